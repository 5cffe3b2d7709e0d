import type { ModelFacts } from '../../models/model';

/*
 * Models with different layers: some with attention and some with other mixers, some with experts and some without.
 * Memory depends on their numbers, not on their order.
 */

/** Config names of layers with attention. */
const ATTENTION = /attention|^\*$|^full|^global/;

/** Config keys that list the kinds of layers. */
const LISTS = ['layer_types', 'layers_block_type', 'hybrid_override_pattern'] as const;

/** Number of layers with softmax attention; null: unknown. */
export function attentionLayers(model: ModelFacts): number | null {
  for (const key of LISTS) {
    const value = model.extra[key];
    const listed: readonly unknown[] =
      typeof value === 'string' ? Array.from(value) : Array.isArray(value) ? value : [];
    // A pipeline's stage has a part of them.
    if (listed.length > 0) {
      return Math.round((listed.filter(isAttention).length * model.layers) / listed.length);
    }
  }
  const listed = model.extra['full_attn_idxs'] ?? model.extra['attn_layer_indices'];
  if (Array.isArray(listed)) return listed.length;
  const period = model.extra['full_attention_interval'] ?? model.extra['attn_layer_period'];
  return typeof period === 'number' && period > 0 ? Math.floor(model.layers / period) : null;
}

const isAttention = (name: unknown): boolean =>
  typeof name === 'string' && ATTENTION.test(name) && !name.includes('linear');

/** One model for each kind of layer, with that number of layers. `extra.mixer`: without attention. */
export function sectionsOf(model: ModelFacts, attention: number): readonly ModelFacts[] {
  const mixers = model.layers - attention;
  const dense = model.moe && !model.moe.besideDense ? model.layers - model.moe.layers : 0;
  const denseMixers = Math.min(dense, mixers);
  const rest = { ...model, extra: { ...model.extra, mixer: true } };
  const plain = { experts: 0, expertsPerToken: 0, moe: null };
  return [
    { ...rest, ...plain, layers: denseMixers },
    { ...model, ...plain, layers: dense - denseMixers },
    { ...rest, layers: mixers - denseMixers },
    { ...model, layers: attention - (dense - denseMixers) },
  ].filter(({ layers }) => layers > 0);
}

/** LFM2's layers: from the config's list; else the number with attention follows from the published size. */
export function publishedLayers(model: ModelFacts): readonly ModelFacts[] {
  return sectionsOf(model, attentionLayers(model) ?? solved(model));
}

/**
 * A convolution has in/out projections and a kernel of 3; attention four projections and two norms of the head
 * size.
 */
function solved({ layers, hiddenSize: h, heads, kvHeads, headDim, ...model }: ModelFacts): number {
  const { publishedTotal, intermediateSize, moe, vocabSize, experts } = model;
  const convolution = 4 * h * h + 3 * h;
  const attention = 2 * h * headDim * (heads + kvHeads) + 2 * headDim;
  const sparse = moe ? moe.layers : 0;
  const mlps =
    (layers - sparse) * 3 * h * intermediateSize +
    sparse * (experts * 3 * h * (moe?.intermediateSize ?? 0) + experts * h);
  const rest = vocabSize * h + h + layers * 2 * h + mlps;
  if (publishedTotal === null) return Math.round(layers / 3);
  const count = (publishedTotal - rest - layers * convolution) / (attention - convolution);
  return Math.min(layers, Math.max(0, Math.round(count)));
}
