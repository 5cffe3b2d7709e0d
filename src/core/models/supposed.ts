import table from './denseShapes.json';
import { modelFromConfigJson } from './fromConfig';
import type { ModelFacts } from './model';

/** `7B`, `0.5b`, `135M` as a separate word; not `8x7B`, `A3B` or `4bit`. */
const COUNT = /(?:^|[-_./\s])(\d+(?:\.\d+)?)([bm])(?=$|[-_./\s:])/gi;
/** Names of mixture-of-experts models: their count is not that of a dense model. */
const EXPERTS = /\dx\d|moe|(?:^|[-_])a\d+(?:\.\d+)?b\b|mixtral/i;

const SIZES: Readonly<Record<string, number>> = { b: 1e9, m: 1e6 };

/**
 * The number of parameters in a model's name; null if there is none, if it is ambiguous, or if the text is not a
 * name.
 */
export function countInName(name: string): number | null {
  if (EXPERTS.test(name) || /\s/.test(name)) return null;
  const found = [...name.matchAll(COUNT)].map(([, number, unit]) => {
    return Number(number) * (SIZES[unit?.toLowerCase() ?? ''] ?? 0);
  });
  const [count] = found;
  return count !== undefined && count > 0 && new Set(found).size === 1 ? count : null;
}

/** Counts outside this range are not of a decoder. */
const FEWEST = 5e7;
const MOST = 1e12;

/**
 * A dense decoder with this many parameters: the nearest published shape, with the MLP width adapted to the count.
 * Null if no shape is near.
 */
export function supposedDecoder(name: string, parameters: number): ModelFacts | null {
  if (parameters < FEWEST || parameters > MOST) return null;
  const models = table.shapes.flatMap(shape => modelOf(name, shape) ?? []);
  const far = (model: ModelFacts): number => Math.abs(Math.log((model.parameters?.total ?? 1) / parameters));
  const [nearest] = models.toSorted((a, b) => far(a) - far(b));
  return nearest ? widened(nearest, parameters) : null;
}

function modelOf(name: string, shape: Readonly<Record<string, unknown>>): ModelFacts | null {
  const config = JSON.stringify({ ...shape, model_type: 'llama' });
  const reading = modelFromConfigJson(name, config, 'catalog');
  return reading.ok ? { ...reading.model, extra: { ...reading.model.extra, supposed: true } } : null;
}

/**
 * Adapts the MLP width: a unit has three weights per layer and hidden size. Below a quarter of the width it is
 * another shape.
 */
function widened(model: ModelFacts, parameters: number): ModelFacts | null {
  const { parameters: counts, hiddenSize, layers, intermediateSize } = model;
  if (counts === null) return null;
  const units = Math.round((parameters - counts.total) / (3 * hiddenSize * layers));
  const width = Math.max(Math.ceil(hiddenSize / 4), intermediateSize + units);
  const more = (width - intermediateSize) * 3 * hiddenSize * layers;
  const own = { ...counts, mlp: counts.mlp + more, total: counts.total + more };
  return { ...model, intermediateSize: width, parameters: own };
}
