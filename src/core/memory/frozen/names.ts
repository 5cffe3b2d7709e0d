import { filePattern } from '../../spec/filePattern';
import type { Pattern } from '../../spec/filePattern';
import type { TrainedParts, TrainedTop } from '../../spec/trainedParts';

/** What is trained, by names and numbers of layers. */
export type NamedParts = Exclude<TrainedParts, TrainedTop>;

/** Whether a parameter is trained: `layer` is its layer's number, or null outside of layers; `module` its module's name in it. */
export type Trains = (module: string, layer: number | null) => boolean;

/** Last names of an MLP's layers, over the families; the others are attention's. */
const MLP = /^(?:gate|up|down|gate_up|experts|router|shared_expert|w[123]$|fc|c_fc|dense_)/;

/** Last names that both have: what they are follows from nothing, and they are taken for attention's. */
export const moduleOf = (name: string): string => (MLP.test(name) ? `mlp.${name}` : `self_attn.${name}`);

/** A layer's norms, whichever they are. */
export const NORM = 'input_layernorm';

/** How families name what the tape calls otherwise: MLPs and attention, layers, the tables of words. */
const SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  mlp: ['mlp', 'block_sparse_moe', 'feed_forward'],
  self_attn: ['self_attn', 'attn', 'attention', 'self_attention'],
  embed_tokens: ['embed_tokens', 'wte', 'embed_in', 'word_embeddings'],
  lm_head: ['lm_head', 'embed_out'],
  norm: ['norm', 'ln_f', 'final_layer_norm'],
  input_layernorm: ['input_layernorm', 'ln_1', 'post_attention_layernorm'],
};

/** Where models hold their layers, as checkpoints name it. */
const ROOTS = ['model.', 'model.language_model.', 'transformer.', 'gpt_neox.', ''];
const LAYERS = ['layers', 'h', 'blocks'];

/** Of several spellings those that the patterns use; else the first. */
function used(spelled: readonly string[], patterns: string): readonly string[] {
  const found = spelled.filter(one => one !== '' && patterns.includes(one));
  return found.length > 0 ? found : spelled.slice(0, 1);
}

/** The names that a parameter may have, as far as the patterns know such names. */
function namesIn(patterns: readonly string[]): (module: string, layer: number | null) => readonly string[] {
  const words = patterns.join(' ').replaceAll('\\', '');
  const [roots, containers] = [used(ROOTS, words), used(LAYERS, words)];
  const ends = new Map(Object.entries(SPELLINGS).map(([name, all]) => [name, used(all, words)]));
  return (module, layer) => {
    const [first = '', ...rest] = module.split('.');
    const modules = (ends.get(first) ?? [first]).map(one => `${[one, ...rest].join('.')}.weight`);
    const places = layer === null ? [''] : containers.map(name => `${name}.${layer}.`);
    const outside = layer === null && module === 'lm_head' ? [''] : roots;
    return outside.flatMap(root => places.flatMap(place => modules.map(end => root + place + end)));
  };
}

/** `[:32000]` behind a name: rows whose gradients are kept, which changes nothing. */
const ROWS = /\[\d*(?::\d*)?\]$/;

/** A pattern as axolotl compiles it: dots are dots unless a plus follows (utils/freeze.py, LayerNamePattern). */
function compiled(pattern: string): Pattern | null {
  const words = pattern.replace(ROWS, '').replaceAll(/\\?\.(?!\+)/g, String.raw`\.`);
  return filePattern(`^(?:${words})`);
}

/** The number of the layer that a pattern is about; null: it may be about any. */
function layerIn(pattern: string): number | null {
  const digits = /\.(\d+)\\?\./.exec(pattern)?.[1];
  return digits === undefined ? null : Number(digits);
}

function byName(patterns: readonly string[]): Trains {
  const all = patterns.flatMap(pattern => {
    const test = compiled(pattern);
    return test ? [{ test, layer: layerIn(pattern) }] : [];
  });
  const spell = namesIn(patterns);
  return (module, layer) => {
    const about = all.filter(one => one.layer === null || one.layer === layer);
    return about.length > 0 && spell(module, layer).some(name => about.some(({ test }) => test.test(name)));
  };
}

/** Every how many layers one is trained, where so many of them are. */
const strideOf = (layers: number, trained: number): number => Math.max(1, Math.floor(layers / trained));

/** What is trained of a model with so many layers. */
export function trainsOf(parts: NamedParts, layers: number): Trains {
  switch (parts.by) {
    case 'name':
      return byName(parts.patterns);
    case 'turn': {
      const stride = strideOf(layers, parts.layers);
      return (_, layer) => layer === null || (layer % stride === 0 && layer / stride < parts.layers);
    }
    case 'share': {
      const trained = Math.floor(layers * parts.share);
      const chosen = chosenOf(layers, trained);
      return (module, layer) => (layer === null ? module !== 'norm' : module !== NORM && chosen.has(layer));
    }
    case 'layer': {
      const chosen = inLayers(parts, layers);
      const inside = (module: string): boolean =>
        parts.modules === null || parts.modules.includes(module.split('.')[0] ?? module);
      return (module, layer) =>
        layer === null ? parts.beside.includes(module) : chosen(layer) && inside(module);
    }
  }
}

/** So many layers, spread over all of them. */
const chosenOf = (layers: number, trained: number): ReadonlySet<number> =>
  new Set(Array.from({ length: trained }, (_, i) => Math.floor((i * layers) / trained)));

function inLayers(
  { layers: wanted, apart }: { readonly layers: number; readonly apart: boolean },
  layers: number,
): (layer: number) => boolean {
  if (apart) {
    const stride = strideOf(layers, wanted);
    return layer => layer % stride === stride - 1;
  }
  return wanted > 0 ? layer => layer >= layers - wanted : layer => layer < -wanted;
}
