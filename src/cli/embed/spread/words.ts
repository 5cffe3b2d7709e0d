import type { EmbedOptions } from '../options';

type Value = string | number | boolean | readonly string[] | undefined;

/** The options that every part runs with, as command-line arguments. */
export function partWords(options: EmbedOptions, model: string | undefined): readonly string[] {
  const { idColumn, normalize } = options;
  const given: readonly (readonly [flag: string, value: Value])[] = [
    ['--input-format', options.inputFormat],
    ['--text-column', options.textColumn],
    ['--id-column', typeof idColumn === 'string' ? idColumn : undefined],
    ['--no-id-column', idColumn === false],
    ['--empty-when-missing', options.emptyWhenMissing],
    ['--limit', options.limit],
    ['--precision', options.precision],
    ['--max-tokens', options.maxTokens],
    ['--dimensions', options.dimensions],
    ['--prompt', options.prompt],
    ['--prompt-name', options.promptName],
    ['--pooling', options.pooling],
    ['--normalize', normalize === true],
    ['--no-normalize', normalize === false],
    ['--format', options.format],
    ['--rows-per-shard', options.rowsPerShard],
    ['--model', model],
    ['--onnx', options.onnx],
    ['--worker', options.worker],
    ['--python', options.python],
    ['--device', options.device],
    ['--workers', options.workers],
    ['--batch-tokens', options.batchTokens],
    ['--batch-rows', options.batchRows],
  ];
  return given.flatMap(([flag, value]) => wordsOf(flag, value));
}

function wordsOf(flag: string, value: Value): readonly string[] {
  if (value === undefined || value === false) return [];
  if (value === true) return [flag];
  return typeof value === 'object' ? [flag, ...value] : [flag, String(value)];
}
