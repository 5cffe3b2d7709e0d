import type { Json } from './families/config';
import { dtypeOf } from './families/facts';
import type { ModelFacts, ModelFactsSource } from './model';
import { noFacts } from './noFacts';
import { SEGFORMER } from './segformers';

/** Defaults for config.json, by model type, from the config classes of transformers 5.23. */
const DEFAULTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  segformer: {
    ...SEGFORMER,
    hidden_sizes: [32, 64, 160, 256],
    depths: [2, 2, 2, 2],
    decoder_hidden_size: 256,
  },
};

/** Number of classes: the entries of `id2label` if `num_labels` is missing. */
function classesOf(config: Json): Readonly<Record<string, number>> {
  const names = config['id2label'];
  return typeof names === 'object' && names !== null ? { num_labels: Object.keys(names).length } : {};
}

/** An image network whose config.json has a list of sizes per stage; null for other types. */
export function imageModelFromConfig(
  id: string,
  config: Json,
  modelType: string,
  source: ModelFactsSource,
): ModelFacts | null {
  if (!Object.hasOwn(DEFAULTS, modelType)) return null;
  const stated = Object.fromEntries(Object.entries(config).filter(([, value]) => value !== null));
  const extra = { ...DEFAULTS[modelType], ...classesOf(config), ...stated };
  return { ...noFacts, id, modelType, kind: 'vision', source, dtype: dtypeOf(config) ?? 'float32', extra };
}
