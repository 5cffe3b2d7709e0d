import { filePattern } from '../../spec/filePattern';
import type { Pattern } from '../../spec/filePattern';
import type { TrainedParts, TrainedTop } from '../../spec/trainedParts';

/** The trained parts, by names and numbers of layers. */
export type NamedParts = Exclude<TrainedParts, TrainedTop>;

/**
 * True if a parameter is trained; `layer` is its layer's number, or null outside layers; `module` is its module's
 * name.
 */
export type Trains = (module: string, layer: number | null) => boolean;

/** Last names of an MLP's layers in all families; the others belong to attention. */
const MLP = /^(?:gate|up|down|gate_up|experts|router|shared_expert|w[123]$|fc|c_fc|dense_)/;

/** Ambiguous last names count as attention. */
export const moduleOf = (name: string): string => (MLP.test(name) ? `mlp.${name}` : `self_attn.${name}`);

/** The name of any norm in a layer. */
export const NORM = 'input_layernorm';

/** Family-specific names for the tape's names: MLPs and attention, layers, word tables. */
const SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  mlp: ['mlp', 'block_sparse_moe', 'feed_forward'],
  self_attn: ['self_attn', 'attn', 'attention', 'self_attention'],
  embed_tokens: ['embed_tokens', 'wte', 'embed_in', 'word_embeddings'],
  lm_head: ['lm_head', 'embed_out'],
  norm: ['norm', 'ln_f', 'final_layer_norm'],
  input_layernorm: ['input_layernorm', 'ln_1', 'post_attention_layernorm'],
};

/** Prefixes of layers in checkpoints. */
const ROOTS = ['model.', 'model.language_model.', 'transformer.', 'gpt_neox.', ''];
const LAYERS = ['layers', 'h', 'blocks'];

/** The spellings that the patterns use; else the first one. */
function used(spelled: readonly string[], patterns: string): readonly string[] {
  const found = spelled.filter(one => one !== '' && patterns.includes(one));
  return found.length > 0 ? found : spelled.slice(0, 1);
}

/** The possible names of a parameter, as far as the patterns use them. */
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

/** `[:32000]` after a name: rows whose gradients are kept; has no effect on memory. */
const ROWS = /\[\d*(?::\d*)?\]$/;

/** A pattern as axolotl compiles it: dots are literal unless a plus follows (utils/freeze.py, LayerNamePattern). */
function compiled(pattern: string): Pattern | null {
  const words = pattern.replace(ROWS, '').replaceAll(/\\?\.(?!\+)/g, String.raw`\.`);
  return filePattern(`^(?:${words})`);
}

/** The layer number in a pattern; null: any layer. */
function layerIn(pattern: string): number | null {
  const digits = /\.(\d+)\\?\./.exec(pattern)?.[1];
  return digits === undefined ? null : Number(digits);
}

function trainsByName(patterns: readonly string[]): Trains {
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

/** Distance between trained layers. */
const strideOf = (layers: number, trained: number): number => Math.max(1, Math.floor(layers / trained));

/** The trained parts of a model with this many layers. */
export function trainsOf(parts: NamedParts, layers: number): Trains {
  switch (parts.by) {
    case 'name':
      return trainsByName(parts.patterns);
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
      const chosen = trainsInLayers(parts, layers);
      const inside = (module: string): boolean =>
        parts.modules === null || parts.modules.includes(module.split('.')[0] ?? module);
      return (module, layer) =>
        layer === null ? parts.beside.includes(module) : chosen(layer) && inside(module);
    }
  }
}

/** This many layers, evenly spread. */
const chosenOf = (layers: number, trained: number): ReadonlySet<number> =>
  new Set(Array.from({ length: trained }, (_, i) => Math.floor((i * layers) / trained)));

function trainsInLayers(
  { layers: wanted, apart }: { readonly layers: number; readonly apart: boolean },
  layers: number,
): (layer: number) => boolean {
  if (apart) {
    const stride = strideOf(layers, wanted);
    return layer => layer % stride === stride - 1;
  }
  return wanted > 0 ? layer => layer >= layers - wanted : layer => layer < -wanted;
}
