import type { LogLine } from '../../data/forms/line';

export const embeddingsLogs: readonly LogLine[] = [
  {
    pattern: String.raw`Batches:\s+(?<percent>\d+)%\|.*?\| (?<step>\d+)/(?<steps>\d+) .*?(?<stepsPerSecond>[\d.]+)it/s`,
    bar: true,
    fields: ['percent', 'step', 'steps', 'stepsPerSecond'],
    example: 'Batches:  12%|█▏        | 38/313 [00:05<00:40,  6.84it/s]',
    source: 'sentence_transformers/SentenceTransformer.py encode(): trange(desc="Batches")',
  },
];
