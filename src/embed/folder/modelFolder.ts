import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { regularStream, whyNotRegular } from '../../files/bounded';
import { EmbedError } from '../errors';
import { isRecord } from '../../core/text/json';
import { fieldsAt, jsonAt } from './json';
import type { Fields } from './json';
import { longestText, positionsIn } from './lengths';
import { poolingsIn } from './pooling';
import type { Pooling } from './pooling';
import { weightsFile } from './weightsFile';
import type { Precision } from './weightsFile';

/** User settings that override the model's folder. */
export interface ModelOverrides {
  readonly precision: Precision;
  readonly onnx?: string | undefined;
  readonly maxTokens?: number | undefined;
  readonly normalize?: boolean | undefined;
  readonly pooling?: Pooling | undefined;
  readonly prompt?: string | undefined;
  readonly promptName?: string | undefined;
  /** The number of leading components to keep (Matryoshka). */
  readonly dimensions?: number | undefined;
}

/** Settings that affect vectors in addition to the model's files. */
export interface ModelSettings {
  readonly name: string;
  readonly poolings: readonly Pooling[];
  readonly normalize: boolean;
  readonly maxTokens: number;
  /** Prepended to each text; '' for none. */
  readonly prompt: string;
  /** False: tokens of the prompt are excluded from pooling. */
  readonly poolPrompt: boolean;
  /** The number of leading components kept; null: all. */
  readonly dimensions: number | null;
  readonly precision: Precision;
  /** Sentences about defaults that were assumed because the folder does not specify them. */
  readonly assumed: readonly string[];
}

/** A model that onnxruntime runs. */
export interface OnnxModel extends ModelSettings {
  readonly runtime: 'onnxruntime';
  readonly onnx: string;
  /** The file that identifies this model, if `onnx` was made from it. */
  readonly madeFrom?: string;
  readonly tokenizer: string;
}

/** A model that sentence-transformers runs in the user's Python. */
export interface PythonModel extends ModelSettings {
  readonly runtime: 'sentence-transformers';
  readonly folder: string;
  /** Files that identify it. */
  readonly weights: readonly string[];
  readonly tokenizers: readonly string[];
}

/** A model ready to run: its files, and everything that affects its vectors. */
export type EmbedModel = OnnxModel | PythonModel;

const FALLBACK_TOKENS = 512;

/**
 * Reads a model's folder in the layout of sentence-transformers; throws an {@link EmbedError} that says what is
 * missing.
 */
export async function readModelFolder(given: string, overrides: ModelOverrides): Promise<OnnxModel> {
  const folder = await folderAt(given);
  const tokenizer = join(folder, 'tokenizer.json');
  if (!existsSync(tokenizer)) {
    throw new EmbedError(
      'bad-model',
      `${given}: there is no tokenizer.json; save the model with its fast tokenizer (AutoTokenizer.save_pretrained).`,
    );
  }
  const settings = await settingsOf(folder, overrides, ONNX_STEPS);
  const onnx = weightsFile(folder, overrides.precision, overrides.onnx);
  for (const file of [tokenizer, ...onnxFiles(onnx)]) await checkRegular(file);
  return { ...settings, runtime: 'onnxruntime', onnx, tokenizer };
}

/** Libraries open the model's files by their paths: a pipe would hold them for ever. */
async function checkRegular(file: string): Promise<void> {
  if ((await whyNotRegular(file)) === null) return;
  throw new EmbedError('bad-model', `${file}: not a regular file; fetch the model again.`);
}

export async function folderAt(given: string): Promise<string> {
  const folder = resolve(given);
  const isFolder = await stat(folder).then(
    found => found.isDirectory(),
    () => false,
  );
  if (isFolder) return folder;
  throw new EmbedError('bad-model', `${given}: no such folder. Name the folder of a model.`);
}

const ONNX_STEPS = ['Transformer', 'Pooling', 'Normalize'];

/** The settings from a folder and the user; `known`: the supported steps, null: all. */
export async function settingsOf(
  folder: string,
  overrides: ModelOverrides,
  known: readonly string[] | null,
): Promise<ModelSettings> {
  const assumed: string[] = [];
  const layout = await layoutOf(folder, assumed, known);
  return {
    name: basename(folder),
    poolings: overrides.pooling ? [overrides.pooling] : poolingsIn(layout.pooling, layout.poolingFile),
    normalize: overrides.normalize ?? layout.normalize,
    maxTokens: await lengthOf(folder, overrides.maxTokens, assumed),
    ...(await promptOf(folder, overrides, layout.pooling)),
    dimensions: overrides.dimensions ?? numberOrNull(layout.truncate),
    precision: overrides.precision,
    assumed,
  };
}

interface Layout {
  readonly pooling: Fields;
  readonly poolingFile: string;
  readonly normalize: boolean;
  readonly truncate: unknown;
}

const numberOrNull = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** The steps of `modules.json`: the transformer, its pooling, possibly a normalization. */
async function layoutOf(folder: string, assumed: string[], known: readonly string[] | null): Promise<Layout> {
  const modules = await jsonAt(join(folder, 'modules.json'));
  const truncate = (await fieldsAt(join(folder, 'config_sentence_transformers.json')))['truncate_dim'];
  if (!Array.isArray(modules)) {
    const poolingFile = join(folder, '1_Pooling/config.json');
    if (!existsSync(poolingFile)) assumed.push('no modules.json: uses mean pooling');
    assumed.push('no modules.json: normalizes vectors');
    return { pooling: await fieldsAt(poolingFile), poolingFile, normalize: true, truncate };
  }
  const steps = modules.filter(isRecord).map(({ type, path }) => ({
    kind: typeof type === 'string' ? (type.split('.').at(-1) ?? '') : 'unknown',
    path: typeof path === 'string' ? path : '',
  }));
  const unrecognized = known && steps.find(({ kind }) => !known.includes(kind));
  if (unrecognized) {
    throw new EmbedError(
      'bad-model',
      `${join(folder, 'modules.json')}: Headroom can't run its step ${unrecognized.kind}. Export the whole model to an ONNX file with an output sentence_embedding, in a folder without modules.json.`,
    );
  }
  const at = steps.find(({ kind }) => kind === 'Pooling')?.path ?? '1_Pooling';
  const poolingFile = join(folder, at, 'config.json');
  const normalize = steps.some(({ kind }) => kind === 'Normalize');
  return { pooling: await fieldsAt(poolingFile), poolingFile, normalize, truncate };
}

async function lengthOf(folder: string, requested: number | undefined, assumed: string[]): Promise<number> {
  const config = await fieldsAt(join(folder, 'config.json'));
  const positions = positionsIn(config);
  if (requested !== undefined) {
    if (positions === null || requested <= positions) return requested;
    throw new EmbedError(
      'bad-model',
      `--max-tokens ${requested}: the model has positions for ${positions} tokens; take at most that.`,
    );
  }
  const length = longestText({
    sentenceBert: await fieldsAt(join(folder, 'sentence_bert_config.json')),
    tokenizer: await fieldsAt(join(folder, 'tokenizer_config.json')),
    config,
  });
  if (length === null) {
    assumed.push(`the model sets no maximum length: truncates texts to ${FALLBACK_TOKENS} tokens`);
  }
  return length ?? FALLBACK_TOKENS;
}

async function promptOf(folder: string, { prompt, promptName }: ModelOverrides, pooling: Fields) {
  const path = join(folder, 'config_sentence_transformers.json');
  const config = await fieldsAt(path);
  const prompts = isRecord(config['prompts']) ? config['prompts'] : {};
  const usual = config['default_prompt_name'];
  const name = promptName ?? (typeof usual === 'string' ? usual : null);
  if (prompt === undefined && promptName !== undefined && prompts[promptName] === undefined) {
    const known = Object.keys(prompts).join(', ') || 'none';
    throw new EmbedError(
      'bad-model',
      `${path}: there is no prompt ${promptName} (it has: ${known}); give the text with --prompt.`,
    );
  }
  const named = name === null ? '' : (prompts[name] ?? '');
  if (typeof named !== 'string') {
    throw new EmbedError('bad-model', `${path}: the prompt ${name ?? ''} is no text; give it with --prompt.`);
  }
  return { prompt: prompt ?? named, poolPrompt: pooling['include_prompt'] !== false };
}

/** SHA-256 of a file, read in pieces. */
export async function fileDigest(path: string): Promise<string> {
  const hash = createHash('sha256');
  const stream = await regularStream(path, 1 << 20);
  if ('why' in stream) throw new EmbedError('bad-input', `${path}: not a regular file; name one.`);
  await pipeline(stream, hash);
  return hash.digest('hex');
}

/** SHA-256 of an ONNX file, and of its external weights. */
export async function onnxDigest(path: string): Promise<string> {
  return filesDigest(onnxFiles(path));
}

const onnxFiles = (path: string): readonly string[] => [
  path,
  ...['_data', '.data'].map(end => `${path}${end}`).filter(existsSync),
];

/** SHA-256 of several files in order: of the only one, or of all their digests. */
export async function filesDigest(paths: readonly string[]): Promise<string> {
  const digests = await Promise.all(paths.map(fileDigest));
  if (digests.length === 1) return digests[0] ?? '';
  return createHash('sha256').update(digests.join('\n')).digest('hex');
}
