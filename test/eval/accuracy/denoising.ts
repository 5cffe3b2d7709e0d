import type { PublishedRecord } from './publishedRecord';
import recipes from './simpletuner.json';
import type { StatedQuantities } from './stated';
import type { LoraSettings } from '../../../src/core/spec/values';

/** `512x512 image -> …`, `training resolution 832x480, 81f`: the pixels of a denoiser's training data. */
export function trainedSize(record: PublishedRecord): StatedQuantities {
  const { task, seq_layout: layout } = record;
  if (!task.startsWith('diffusion-')) return {};
  const side = recipeSide(record);
  if (side !== undefined) return { imageSize: [side, side] };
  const [, width, height] = /(\d+)x(\d+)/.exec(layout ?? '') ?? [];
  return width === undefined ? {} : { imageSize: [Number(width), Number(height)] };
}

/**
 * The training size of the recipe that a record names: its text is the page's, which states the size of validation
 * images.
 */
function recipeSide({ extra }: PublishedRecord): number | undefined {
  const example = extra?.['example'];
  return typeof example === 'string'
    ? (recipes.images as Readonly<Record<string, number>>)[example]
    : undefined;
}

/**
 * `AuraFlow (auraflow/v0.3)`: the model that SimpleTuner loads for this family and flavour; null: another kind of
 * text.
 */
export function simpleTunerModel(words: string): string | null {
  const key = /^[\w. -]+ \((\w+\/[\w.-]+)\)$/.exec(words)?.[1];
  if (key === undefined) return null;
  return (recipes.models as Readonly<Record<string, string>>)[key] ?? 'unknown';
}

const ATTENTION = [
  'to_q',
  'to_k',
  'to_v',
  'to_out.0',
  'add_q_proj',
  'add_k_proj',
  'add_v_proj',
  'to_add_out',
];
const MLP = ['net.0.proj', 'net.2'];

/** LyCORIS as in the recipe's lycoris_config.json: module classes, and the factor for each. */
export function lycorisOf({ extra }: PublishedRecord): LoraSettings | null {
  const example = extra?.['example'];
  const known = recipes.lokr as Readonly<
    Record<string, { readonly attention: number; readonly mlp?: number }>
  >;
  const factors = typeof example === 'string' ? known[example] : undefined;
  return {
    method: 'lycoris-lokr',
    r: null,
    alpha: null,
    dropout: null,
    targets: factors?.mlp === undefined ? ATTENTION : [...ATTENTION, ...MLP],
    modulesToSave: [],
    rslora: false,
    dora: false,
    ...(factors && { factors }),
  };
}
