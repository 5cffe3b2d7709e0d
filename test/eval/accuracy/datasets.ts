/*
 * How long the rows of well-known sets of data are, for records that name the data or the benchmark and not the length.
 */

/** What a record says of where its rows come from. */
export interface RowsOfData {
  readonly seq_layout: string | null;
  readonly source_title?: string;
  readonly framework: string;
  readonly model: string;
  readonly micro_batch_size: number | null;
}

/**
 * Tokens of the longest row of Alpaca by tokenizer: SentencePiece's of Llama and Mistral, byte-level ones of the others
 * (litgpt, tutorials/resource-tables.md, "longest sequence length").
 */
const ALPACA = { sentencePiece: 1304, byteLevel: 1044 };

/** torchtune before 0.3 cut Alpaca's rows (datasets/_alpaca.py, max_seq_len). */
const TORCHTUNE_CUT = 512;

/** microsoft/orca-math-word-problems-200k: 225,322,861 bytes in 200,035 rows (its dataset card); English has 4 a token. */
const ORCA_MEAN = 225322861 / 200035 / 4;

/** What records call the longest of them. Peaks of padded rows look like twice as many, which nobody states. */
const ORCA_LONGEST = 1000;

/** Tokens of the longest row; where rows are laid one after the other, a row's share of the longest and average ones. */
export function rowsOf(record: RowsOfData): number | null {
  const words = `${record.seq_layout ?? ''} ${record.source_title ?? ''}`;
  if (/alpaca/i.test(words)) return record.framework.startsWith('torchtune') ? TORCHTUNE_CUT : alpaca(record);
  if (words.includes('orca-math')) return words.includes('padding-free') ? laidOut(record) : ORCA_LONGEST;
  // fms-acceleration, scripts/benchmarks: Alpaca where a scenario names no data (benchmark.py, data_processing).
  return words.includes('fms-acceleration') && words.startsWith('unpacked') ? alpaca(record) : null;
}

function laidOut({ micro_batch_size: rows }: RowsOfData): number {
  const others = (rows ?? 1) - 1;
  return Math.ceil((ORCA_LONGEST + others * ORCA_MEAN) / (others + 1));
}

const alpaca = ({ model }: RowsOfData): number =>
  /llama-2|mistral|mixtral/i.test(model) ? ALPACA.sentencePiece : ALPACA.byteLevel;
