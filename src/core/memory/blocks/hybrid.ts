import type { ModelFacts } from '../../models/model';

/*
 * Models whose layers differ: so many with attention and so many that mix tokens otherwise, so many with experts and so
 * many without. Memory asks how many there are of each, not in which order they come.
 */

/** What a config calls layers with attention. */
const ATTENTION = /attention|^\*$|^full|^global/;

/** What a config calls lists of what layers are. */
const LISTS = ['layer_types', 'layers_block_type', 'hybrid_override_pattern'] as const;

/** Layers with softmax attention; null where nothing says how many. */
export function attentionLayers(model: ModelFacts): number | null {
  for (const key of LISTS) {
    const value = model.extra[key];
    const listed: readonly unknown[] =
      typeof value === 'string' ? Array.from(value) : Array.isArray(value) ? value : [];
    if (listed.length > 0) return listed.filter(isAttention).length;
  }
  const listed = model.extra['full_attn_idxs'] ?? model.extra['attn_layer_indices'];
  if (Array.isArray(listed)) return listed.length;
  const period = model.extra['full_attention_interval'] ?? model.extra['attn_layer_period'];
  return typeof period === 'number' && period > 0 ? Math.floor(model.layers / period) : null;
}

const isAttention = (name: unknown): boolean =>
  typeof name === 'string' && ATTENTION.test(name) && !name.includes('linear');

/** One model for each kind of layer, with as many layers as there are of it. `extra.mixer`: without attention. */
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

/** Layers of LFM2: what its config lists; else as many with attention as its published size asks for. */
export function publishedLayers(model: ModelFacts): readonly ModelFacts[] {
  return sectionsOf(model, attentionLayers(model) ?? solved(model));
}

/** In/out projections and a kernel of 3 against four projections and two norms of a head's size. */
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
