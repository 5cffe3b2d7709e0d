import { countParameters, familyOf, languageModelOf } from './families/families';
import { ConfigValues } from './families/config';
import type { Json } from './families/config';
import { dtypeOf, sizes, structure } from './families/facts';
import { impossibleSize } from './bounds';
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
function imageModelFromConfig(
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

/** Facts, or a phrase about why there are none: `config.json states no model_type`. */
export type ModelReading =
  | { readonly ok: true; readonly model: ModelFacts }
  | { readonly ok: false; readonly why: string };

/**
 * Architecture facts from the text of a Hugging Face `config.json`. Missing keys get the transformers default of
 * the model type; an unknown type or an impossible value gives no facts.
 */
export function modelFromConfigJson(id: string, text: string, source: ModelFactsSource): ModelReading {
  const config = parseObject(text);
  if (!config) return { ok: false, why: 'config.json is not a JSON object' };
  const beyond = impossibleSize(config);
  if (beyond !== null) return { ok: false, why: beyond };
  const modelType = config['model_type'];
  const className = config['_class_name'];
  if (modelType === undefined && typeof className === 'string') {
    return denoiser(id, config, className, source);
  }
  if (typeof modelType !== 'string') return { ok: false, why: 'config.json states no model_type' };
  const image = imageModelFromConfig(id, config, modelType, source);
  if (image !== null) return { ok: true, model: image };
  const inner = languageModelOf(modelType);
  if (inner !== null) return visionLanguage(id, config, modelType, inner, source);
  return readFacts({ id, config, modelType, source });
}

/** A diffusers component: its config is flat, and its class has the defaults. */
function denoiser(id: string, config: Json, modelType: string, source: ModelFactsSource): ModelReading {
  const extra = Object.fromEntries(Object.entries(config).filter(([name]) => !name.startsWith('_')));
  return { ok: true, model: { ...noFacts, id, modelType, kind: 'diffusion', source, extra } };
}

/** Python writes and reads these values, which are not valid JSON. */
const PYTHON_NUMBER = /([[:,]\s*)(?:-?Infinity|NaN)(?=\s*[,\]}])/g;

function parseObject(text: string): Json | null {
  const plain = text.replace(/^\uFEFF/, '');
  const value = parse(plain) ?? parse(plain.replace(PYTHON_NUMBER, '$1null'));
  return isObject(value) ? value : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The language model's sizes under the outer type's name; because of the towers, the total is unknown. */
function visionLanguage(
  id: string,
  config: Json,
  modelType: string,
  inner: string,
  source: ModelFactsSource,
): ModelReading {
  const nested = config['text_config'] ?? config['llm_config'];
  const text = isObject(nested) ? nested : config;
  const textType = text !== config && typeof text['model_type'] === 'string' ? text['model_type'] : inner;
  const tied = { tie_word_embeddings: tying(config, text, modelType) };
  const reading = readFacts({ id, config: { ...text, ...tied }, modelType: textType, source });
  if (!reading.ok) return { ok: false, why: `in text_config: ${reading.why}` };
  const model: ModelFacts = {
    ...reading.model,
    modelType,
    kind: 'vision-language',
    dtype: dtypeOf(config) ?? reading.model.dtype,
    parameters: null,
    extra: { ...reading.model.extra, text_model_type: textType, vision_config: config['vision_config'] },
  };
  return { ok: true, model };
}

/** The outer model decides whether the head is tied. */
function tying(config: Json, text: Json, modelType: string): unknown {
  const key = 'tie_word_embeddings';
  return config[key] ?? text[key] ?? new ConfigValues({}, modelType).value(key);
}

interface Source {
  readonly id: string;
  readonly config: Json;
  readonly modelType: string;
  readonly source: ModelFactsSource;
}

function readFacts({ id, config, modelType, source }: Source): ModelReading {
  const family = familyOf(modelType);
  if (!family) return { ok: false, why: `model type ${modelType} is not known` };
  const values = new ConfigValues(config, modelType);
  const refusal = family.refuse?.(values) ?? null;
  if (refusal !== null) return { ok: false, why: refusal };
  const base = { ...sizes(values, family), ...structure(values, family), id, modelType, source };
  const model: ModelFacts = { ...base, parameters: null, publishedTotal: null, sameAs: null };
  const adjusted = { ...model, ...family.adjust?.(values, model) };
  if (values.problems.length > 0) return { ok: false, why: values.problems.join('; ') };
  const parameters = countParameters(adjusted);
  const isCountable = parameters === null || Number.isSafeInteger(parameters.total);
  if (!isCountable) return { ok: false, why: 'its sizes give more parameters than any model has' };
  return { ok: true, model: { ...adjusted, parameters } };
}
