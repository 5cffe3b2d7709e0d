import type { Embedding } from '../../embed/chunk';
import type { ModelWishes } from '../../embed/folder/modelFolder';
import type { InputWishes } from '../../embed/input/rows';
import { BadInput } from '../output';
import type { EmbedOptions } from './options';

/** The texts that the options name. */
export function inputOf(embedding: Embedding, path: string, options: EmbedOptions): InputWishes {
  const { inputFormat, textColumn, idColumn, emptyWhenMissing } = options;
  const format = inputFormat ?? embedding.formatOf(path) ?? (path === '-' ? 'jsonl' : null);
  if (format === null) {
    throw new BadInput(
      `${path}: unknown file format; set it with --input-format (jsonl, csv, tsv, txt, parquet).`,
    );
  }
  return {
    path,
    format,
    text: textColumn ?? [],
    id: idColumn === false ? '' : (idColumn ?? null),
    emptyWhenMissing: emptyWhenMissing === true,
  };
}

/** What is asked of the model otherwise than its folder says. */
export function wishesOf(options: EmbedOptions): ModelWishes {
  const { precision, onnx, maxTokens, dimensions, prompt, promptName, pooling, normalize } = options;
  return { precision, onnx, maxTokens, dimensions, prompt, promptName, pooling, normalize };
}
