import { countDecoder } from './countDecoder';
import type { ModelFacts, ParameterCounts } from './model';
import { counts, extraNumber } from './shapes';

/** A number by config.json's name or the catalog's. */
const number = (model: ModelFacts, ...names: readonly string[]): number =>
  names.map(name => extraNumber(model, name)).find(value => value > 0) ?? 0;

/** Width of the per-layer embeddings; 0: none. */
export const perLayerWidth = (model: ModelFacts): number =>
  number(model, 'hidden_size_per_layer_input', 'per_layer_embedding_dim');

/** Number of layers with global attention: the last one of each period, and the last layer. */
function globalLayers({ layers, extra }: ModelFacts): number {
  const listed = extra['layer_types'];
  if (Array.isArray(listed)) return listed.filter(kind => kind === 'full_attention').length;
  // Gemma4TextConfig: five sliding layers to one global, and the last is global; the smallest have four to one.
  return layers % 6 === 0 ? layers / 6 : Math.ceil(layers / 5);
}

/** Groups of equal layers: sliding or global, with or without their own keys. */
export function gemma4Sections(model: ModelFacts): readonly ModelFacts[] {
  const all = globalLayers(model);
  const shared = number(model, 'num_kv_shared_layers');
  const sharedGlobal = Math.round((shared * all) / Math.max(model.layers, 1));
  const equal = model.extra['attention_k_eq_v'];
  const wide = {
    headDim: number(model, 'global_head_dim') || 2 * model.headDim,
    kvHeads: number(model, 'num_global_key_value_heads', 'global_num_key_value_heads') || model.kvHeads,
  };
  const section = (layers: number, isGlobal: boolean, shares: boolean): ModelFacts => ({
    ...model,
    ...(isGlobal ? wide : {}),
    layers,
    intermediateSize: model.intermediateSize * (shares && isDoubleWide(model) ? 2 : 1),
    extra: { ...model.extra, sees_all: isGlobal, shares, values_are_keys: isGlobal && Boolean(equal) },
  });
  return [
    section(model.layers - all - (shared - sharedGlobal), false, false),
    section(all - sharedGlobal, true, false),
    section(shared - sharedGlobal, false, true),
    section(sharedGlobal, true, true),
  ].filter(({ layers }) => layers > 0);
}

/** In E2B, layers without their own keys have MLPs twice as wide; if not stated, the published size decides. */
function isDoubleWide(model: ModelFacts): boolean {
  const stated = model.extra['use_double_wide_mlp'];
  if (typeof stated === 'boolean') return stated;
  return perLayerWidth(model) > 0 && model.layers % 5 === 0;
}

/** Parameters of all groups, including the tables and projections of the per-layer embeddings. */
export function countGemma4(model: ModelFacts): ParameterCounts {
  const { hiddenSize: hidden, layers, vocabSize } = model;
  const width = perLayerWidth(model);
  const sections = gemma4Sections(model).map(section => {
    const { attention, mlp, norm } = countDecoder({ ...section, moe: null, experts: 0 });
    const { kvHeads, headDim, extra } = section;
    const gone = extra['shares'] === true ? 2 : extra['values_are_keys'] === true ? 1 : 0;
    const unnormed = extra['shares'] === true ? headDim : 0;
    return {
      attention: attention - section.layers * gone * hidden * kvHeads * headDim,
      mlp: mlp + section.layers * 2 * hidden * width,
      norm: norm - hidden - section.layers * unnormed + (width > 0 ? section.layers * hidden : 0),
    };
  });
  const sum = (part: 'attention' | 'mlp' | 'norm'): number =>
    sections.reduce((all, section) => all + section[part], 0);
  return counts({
    embedding: vocabSize * hidden + vocabSize * layers * width,
    attention: sum('attention'),
    mlp: sum('mlp'),
    norm: sum('norm') + hidden + width,
    head: model.tiedEmbeddings ? 0 : vocabSize * hidden,
    other: hidden * layers * width,
  });
}
