import { createRequire } from 'node:module';
import type * as Ort from 'onnxruntime-node';
import type * as Tokenizers from 'tokenizers';
import { EmbedError } from '../errors';
import { reasonOf } from '../../core/text/errors';

/** Native libraries are never bundled: they are next to the program, only those of its platform. */
const load = createRequire(import.meta.url);

export const onnxruntime = (): typeof Ort => loaded('onnxruntime-node') as typeof Ort;
export const tokenizers = (): typeof Tokenizers => loaded('tokenizers') as typeof Tokenizers;

const NAMES = ['onnxruntime-node', 'tokenizers'] as const;

/** Fails early if this package has no native code for its platform, before a model is downloaded in vain. */
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
