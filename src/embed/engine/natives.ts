import { createRequire } from 'node:module';
import type * as Ort from 'onnxruntime-node';
import type * as Tokenizers from 'tokenizers';
import { EmbedError } from '../errors';
import { reasonOf } from '../../core/text/errors';

/** Libraries with machine code are never bundled: they lie next to the program, those of its platform only. */
const load = createRequire(import.meta.url);

export const onnxruntime = (): typeof Ort => loaded('onnxruntime-node') as typeof Ort;
export const tokenizers = (): typeof Tokenizers => loaded('tokenizers') as typeof Tokenizers;

const NAMES = ['onnxruntime-node', 'tokenizers'] as const;

/** Says at once where this package has no machine code for its platform: before a model is fetched for nothing. */
export function checkNatives(resolve: (name: string) => string = name => load.resolve(name)): void {
  for (const name of NAMES) {
    try {
      resolve(name);
    } catch {
      throw unusable(name, 'it is not in this package');
    }
  }
}

function loaded(name: string): unknown {
  try {
    return load(name) as unknown;
  } catch (error) {
    throw unusable(name, reasonOf(error).split('\n')[0] ?? '');
  }
}

const unusable = (name: string, why: string): EmbedError =>
  new EmbedError(
    'engine',
    `The embedding engine cannot be used on ${process.platform} ${process.arch}: ${name} could not be loaded (${why}). Install the package of this platform, or embed with sentence-transformers in your own Python: --worker python.`,
  );
