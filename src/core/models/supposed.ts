import table from './denseShapes.json';
import { modelFromConfigJson } from './fromConfig';
import type { ModelFacts } from './model';

/** `7B`, `0.5b`, `135M` as a word of a name; not `8x7B`, `A3B` or `4bit`. */
const COUNT = /(?:^|[-_./\s])(\d+(?:\.\d+)?)([bm])(?=$|[-_./\s:])/gi;
/** Names of models whose experts take turns: a count in them is not that of a dense model. */
const EXPERTS = /\d+x\d|moe|(?:^|[-_])a\d+(?:\.\d+)?b\b|mixtral/i;

const SIZES: Readonly<Record<string, number>> = { b: 1e9, m: 1e6 };

/** How many parameters a model has, as its name says; null where it says nothing, or several things, or is no name. */
export function countInName(name: string): number | null {
  if (EXPERTS.test(name) || /\s/.test(name)) return null;
  const found = [...name.matchAll(COUNT)].map(([, number, unit]) => {
    return Number(number) * (SIZES[unit?.toLowerCase() ?? ''] ?? 0);
  });
  const [count] = found;
  return count !== undefined && count > 0 && new Set(found).size === 1 ? count : null;
}

/** Counts beyond these shapes are of something else. */
const FEWEST = 5e7;
const MOST = 1e12;

/**
 * A dense decoder of so many parameters: the nearest of the published shapes, its MLP as wide as the count wants. Null
 * where no shape comes near.
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

/** Widens the MLPs, of which a unit takes three weights a layer and hidden size; narrower than a quarter it is another shape. */
function widened(model: ModelFacts, parameters: number): ModelFacts | null {
  const { parameters: counts, hiddenSize, layers, intermediateSize } = model;
  if (counts === null) return null;
  const units = Math.round((parameters - counts.total) / (3 * hiddenSize * layers));
  const width = Math.max(Math.ceil(hiddenSize / 4), intermediateSize + units);
  const more = (width - intermediateSize) * 3 * hiddenSize * layers;
  const own = { ...counts, mlp: counts.mlp + more, total: counts.total + more };
  return { ...model, intermediateSize: width, parameters: own };
}
