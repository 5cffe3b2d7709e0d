import { builtIn } from './defined/compile';
import type { Dialect, KeyWrite, WriterTable } from './dialect';
import file from './embeddings.yaml';
import { count, countOrNone } from './engine/readers';
import type { ValueReader } from './engine/readers';
import type { RunReader } from './engine/runReader';
import { deviceMapAt } from './shared/deviceMap';
import { dtypeWord, rawWords } from './shared/words';
import type { Quantity } from '../spec/quantity';
import type { Dtype } from '../spec/values';
import type { Plain } from '../yaml/scalars';

/** Names of the embedding model's section; a reranker only counts if nothing embeds. */
export const SECTIONS = [
  'embeddings',
  'embedding',
  'embedder',
  'sentence_transformer',
  'sentence_transformers',
  'encoder',
  'vectorizer',
  'reranker',
] as const;

/** Names of local models: `org/name`, well-known families, folders; not the names of providers. */
const LOCAL = String.raw`^(?!(?:openai|azure|cohere|voyage|bedrock|vertex_ai|gemini|ollama|litellm|amazon|text-embedding|embed-)\b)(?:[\w.-]+/[\w.-]+$|(?:all|bge|e5|gte|jina|nomic|multilingual|paraphrase|msmarco|multi-qa|sentence|mxbai|distiluse|instructor)-[\w.-]+$|(?:~|\.{1,2})?/[\w./-]+$)`;

const MODEL_KEYS = ['model', 'model_name', 'model_id', 'model_path', 'path', 'name'] as const;
const BATCH_KEYS = [
  'batch_size',
  'encode_batch_size',
  'encodebatch',
  'embed_batch_size',
  'inference_batch_size',
  'gpu_batch_size',
] as const;
const LENGTH_KEYS = ['max_seq_length', 'max_length', 'max_tokens'] as const;
const DTYPE_KEYS = ['dtype', 'torch_dtype', 'model_kwargs.torch_dtype'] as const;
const HALF_KEYS = ['fp16', 'use_fp16', 'half'] as const;
const ENCODE = 'sentence_transformers/SentenceTransformer.py encode()';

const local = new RegExp(LOCAL);

/** Section and key of the local model. */
function modelKey(run: RunReader): { readonly section: string; readonly key: string } | null {
  for (const section of SECTIONS) {
    for (const name of MODEL_KEYS) {
      const key = `${section}.${name}`;
      const value = run.value(key);
      if (typeof value === 'string' && local.test(value)) return { section, key };
    }
  }
  return run.has('embedding_model') ? { section: 'embedding', key: 'embedding_model' } : null;
}

/** The first of these keys in the model's section. */
function stated(run: RunReader, names: readonly string[]): string | null {
  const section = modelKey(run)?.section;
  return names.map(name => `${section ?? ''}.${name}`).find(key => run.has(key)) ?? null;
}

function model(run: RunReader): Quantity<string> {
  const found = modelKey(run);
  return found === null
    ? run.unknown('No model is named that is loaded here.')
    : run.at(found.key, run.word(found.key));
}

/** Texts per pass; batches of imports and databases are in other sections, and do not use the GPU. */
function batch(run: RunReader): Quantity<number> {
  const key = stated(run, BATCH_KEYS);
  return key === null ? run.byDefault(32, `${ENCODE}: batch_size is 32`) : run.at(key, run.read(key, count));
}

function seqLen(run: RunReader): Quantity<number> {
  const key = stated(run, LENGTH_KEYS);
  return key === null
    ? run.unknown('Texts are cut to what the model’s own files say.')
    : run.at(key, run.read(key, count));
}

function dtypeKey(run: RunReader): string | null {
  return stated(run, DTYPE_KEYS) ?? stated(run, HALF_KEYS);
}

/** `precision` of encode() is how vectors are stored, not the compute precision. */
function loadDtype(run: RunReader): Quantity<Dtype> {
  const key = dtypeKey(run);
  if (key === null) return run.byDefault('fp32', 'sentence_transformers 5: weights are loaded in float32');
  if (HALF_KEYS.some(name => key.endsWith(`.${name}`))) return run.at(key, run.flag(key) ? 'fp16' : 'fp32');
  if (run.word(key) === 'auto') return run.unknown(`${key} is auto: the model’s own files say it.`);
  return run.at(key, run.read(key, dtypeWord));
}

function precision(run: RunReader): Quantity<string> {
  const dtype = run.get('loadDtype');
  return { ...dtype, value: dtype.value };
}

function precisionRaw(run: RunReader): Quantity<string> {
  const key = dtypeKey(run);
  const words = key === null ? null : rawWords(run, [key]);
  return key === null ? run.unknown('No precision key is set.') : run.at(key, words);
}

/** One word is one device; several need a list, for which encode_multi_process makes a copy each. */
const noDevice: ValueReader<never> = value =>
  typeof value === 'string'
    ? { unfit: 'is not a device that torch knows. Use one, such as cuda:0, or a list' }
    : null;

const textOf = (value: Plain): string => (typeof value === 'object' ? '' : String(value));

/** One device, unless there is a list or txtai's `all`. */
function devices(run: RunReader): Quantity<number | 'auto'> {
  const key = stated(run, ['device', 'devices', 'gpu']);
  if (key === null) return run.unknown('Which device it is, is found out when it starts.');
  const value = run.value(key);
  if (Array.isArray(value)) return run.at(key, value.length);
  const word = textOf(value);
  if (word === 'all' || word === 'auto') return run.at<number | 'auto'>(key, 'auto');
  if (/^cpu$|^false$/.test(word)) return run.at<number | 'auto'>(key, 0);
  if (/^(?:cuda|mps|xpu)(?::\d+)?$|^true$|^\d+$/.test(word)) return run.at<number | 'auto'>(key, 1);
  run.read(key, noDevice);
  return run.unknown(`${key}: ${word} is not a device that torch knows.`);
}

const KINDS: readonly (readonly [RegExp, string])[] = [
  [/^cuda|^true$|^\d+$|^all$/, 'cuda'],
  [/^cpu$|^false$/, 'cpu'],
  [/^mps/, 'mps'],
  [/^auto$/, 'auto'],
];

function accelerator(run: RunReader): Quantity<string> {
  const key = stated(run, ['device', 'devices', 'gpu']);
  if (key === null) return run.byDefault('auto', `${ENCODE}: CUDA where there is it`);
  const value = run.value(key);
  const first = Array.isArray(value) ? ((value as readonly Plain[])[0] ?? null) : value;
  const kind = KINDS.find(([pattern]) => pattern.test(textOf(first)))?.[1];
  return kind === undefined ? run.unknown(`${key} names no device.`) : run.at(key, kind);
}

function workers(run: RunReader): Quantity<number> {
  const key = stated(run, ['num_workers', 'workers']);
  return key === null ? run.unknown('No workers are set.') : run.at(key, run.read(key, countOrNone));
}

/** The section for a new key. */
const sectionOf = (run: RunReader): string | null => modelKey(run)?.section ?? null;

/** The key of the batch, or the one to use for a new key. */
const batchKey = (run: RunReader): string =>
  stated(run, BATCH_KEYS) ?? `${sectionOf(run) ?? 'embeddings'}.batch_size`;

const EMBEDDING_BATCH_KEY = 'import.embedding_batch_size';
const IMPORTED = 'import.batch_size';

/**
 * An importer passes as many texts to the embedder as it takes at a time; the importer's batch is a multiple of
 * that.
 */
export function passedBatchWrites(to: number, run: RunReader): readonly KeyWrite[] {
  if (!run.has(EMBEDDING_BATCH_KEY)) return [];
  const imported = run.read(IMPORTED, count);
  const isMultiple = imported === null || imported % to === 0;
  const whole = Math.max(1, Math.round((imported ?? to) / to)) * to;
  return [{ key: EMBEDDING_BATCH_KEY, value: to }, ...(isMultiple ? [] : [{ key: IMPORTED, value: whole }])];
}

/** Only writes the batch on the GPU and the importer's; batches of databases stay. */
const embeddingsWriters: WriterTable = {
  microBatchSize: (to, run) => ({
    ok: true,
    writes: [
      { key: batchKey(run), value: to, near: [`${sectionOf(run) ?? 'embeddings'}.device`] },
      ...passedBatchWrites(to, run),
    ],
  }),
};

/**
 * Pipelines that embed texts with a local model: sentence-transformers 85ec645, txtai 20f818f, private-gpt ab89a0d
 * and similar. Excludes sections that use a provider over the network, whose batches need no GPU.
 */
export const embeddings: Dialect = builtIn(file, {
  quantities: {
    model,
    microBatchSize: batch,
    seqLen,
    precision,
    precisionRaw,
    loadDtype,
    devices,
    accelerator,
    numWorkers: workers,
  },
  details: {
    deviceMap: deviceMapAt(...SECTIONS.map(section => `${section}.model_kwargs.`), 'model_kwargs.'),
  },
  writers: embeddingsWriters,
});
