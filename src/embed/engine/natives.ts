import { createRequire } from 'node:module';
import type * as Ort from 'onnxruntime-node';
import type * as Tokenizers from 'tokenizers';
import { EmbedError } from '../errors';

/** Libraries with machine code are never bundled: they lie beside the program, those of its platform only. */
const load = createRequire(import.meta.url);

export const onnxruntime = (): typeof Ort => loaded('onnxruntime-node') as typeof Ort;
export const tokenizers = (): typeof Tokenizers => loaded('tokenizers') as typeof Tokenizers;

function loaded(name: string): unknown {
  try {
    return load(name) as unknown;
  } catch (error) {
    const why = (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
    throw new EmbedError(
      'engine',
      `The embedding engine cannot be used on ${process.platform} ${process.arch}: ${name} could not be loaded (${why}). Install the package of this platform, or embed with sentence-transformers in Python.`,
    );
  }
}
