import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { EmbedError } from '../errors';
import { folderAt, settingsOf } from './modelFolder';
import type { ModelOverrides, PythonModel } from './modelFolder';

const TOKENIZERS = ['tokenizer.json', 'vocab.txt', 'vocab.json', 'merges.txt', 'spiece.model'];
const PICKLED = /^(pytorch_model.*\.bin|.*\.pt)$/;

/** Whether sentence-transformers may be able to run a folder. */
export const hasSafetensors = (folder: string): boolean =>
  filesBelow(folder).some(path => path.endsWith('.safetensors'));

/** A model's folder for sentence-transformers: safetensors weights, with any steps. */
export async function readPythonFolder(given: string, overrides: ModelOverrides): Promise<PythonModel> {
  const folder = await folderAt(given);
  const files = filesBelow(folder);
  const safe = files.filter(path => path.endsWith('.safetensors'));
  checkSafe(given, files, safe);
  checkOverrides(overrides);
  const weights = [...files.filter(path => basename(path) === 'config.json'), ...safe];
  const tokenizers = files.filter(path => TOKENIZERS.includes(basename(path)));
  const settings = await settingsOf(folder, overrides, null);
  const inFolder = (path: string): string => join(folder, path);
  return {
    ...settings,
    runtime: 'sentence-transformers',
    folder,
    weights: weights.map(inFolder),
    tokenizers: tokenizers.map(inFolder),
  };
}

/** Pickled weights can run code, so they are never loaded. */
function checkSafe(given: string, files: readonly string[], safe: readonly string[]): void {
  const folders = new Set(safe.map(folderOf));
  const pickled = files.find(path => PICKLED.test(basename(path)) && !folders.has(folderOf(path)));
  if (safe.length > 0 && pickled === undefined) return;
  const what = pickled === undefined ? 'there is no *.safetensors' : `${pickled} is pickled, and not loaded`;
  throw new EmbedError(
    'bad-model',
    `${given}: ${what}. Save it again with a current version of sentence-transformers (model.save_pretrained, which writes safetensors).`,
  );
}

function checkOverrides({ precision, pooling, onnx }: ModelOverrides): void {
  const refused =
    precision === 'int8'
      ? '--precision int8'
      : pooling
        ? '--pooling'
        : onnx === undefined
          ? undefined
          : '--onnx';
  if (refused === undefined) return;
  throw new EmbedError(
    'usage',
    `${refused} is for ONNX models; sentence-transformers runs a model as its folder says. Leave it out, or take --worker onnx.`,
  );
}

const folderOf = (path: string): string => path.split('/').slice(0, -1).join('/');

/** Paths relative to the folder with slashes, in order; skips hidden folders. */
function filesBelow(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(path =>
    path.replaceAll('\\', '/'),
  );
  return names.filter(path => !path.split('/').some(part => part.startsWith('.'))).sort();
}
