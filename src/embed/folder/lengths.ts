import { numberIn } from './json';
import type { Fields } from './json';

/** Model types whose positions start after the padding index (transformers, create_position_ids_from_input_ids). */
const SHIFTED = new Set([
  'roberta',
  'xlm-roberta',
  'camembert',
  'mpnet',
  'xlm-roberta-xl',
  'longformer',
  'data2vec-text',
]);
/** Tokenizers write 10³⁰ for no limit. */
const NO_LIMIT = 1e9;

interface LengthFiles {
  readonly sentenceBert: Fields;
  readonly tokenizer: Fields;
  readonly config: Fields;
}

/** Tokens of the longest text that the model accepts, including special ones; null if unknown. */
export function longestText({ sentenceBert, tokenizer, config }: LengthFiles): number | null {
  const declared =
    numberIn(sentenceBert, 'max_seq_length') ?? limited(numberIn(tokenizer, 'model_max_length'));
  const positions = positionsIn(config);
  if (declared === null) return positions;
  return positions === null ? declared : Math.min(declared, positions);
}

/** The number of positions; null for models without a position table. */
export function positionsIn(config: Fields): number | null {
  const rows = numberIn(config, 'max_position_embeddings');
  if (rows === null || rows <= 0) return null;
  const padding = numberIn(config, 'pad_token_id') ?? 1;
  return SHIFTED.has(String(config['model_type'])) ? rows - padding - 1 : rows;
}

const limited = (tokens: number | null): number | null =>
  tokens !== null && tokens < NO_LIMIT ? tokens : null;
