/* Row lengths of well-known datasets, for records that name the data or the benchmark but not the length. */

/** A record's statements about the origin of its rows. */
interface RowsOfData {
  readonly seq_layout: string | null;
  readonly source_title?: string;
  readonly framework: string;
  readonly model: string;
  readonly micro_batch_size: number | null;
}

/**
 * Tokens of Alpaca's longest row by tokenizer: SentencePiece of Llama and Mistral, byte-level for others (litgpt,
 * tutorials/resource-tables.md, "longest sequence length").
 */
const ALPACA = { sentencePiece: 1304, byteLevel: 1044 };

/** torchtune before 0.3 truncated Alpaca's rows (datasets/_alpaca.py, max_seq_len). */
const TORCHTUNE_CUT = 512;

/**
 * microsoft/orca-math-word-problems-200k: 225,322,861 bytes in 200,035 rows (its dataset card); English has 4 bytes
 * per token.
 */
const ORCA_MEAN = 225322861 / 200035 / 4;

/** The longest row as records state it. Peaks with padded rows suggest twice as many, but no source says so. */
const ORCA_LONGEST = 1000;

/** Tokens of the longest row; for concatenated rows, a mixture of the longest and average ones. */
function rowsOf(record: RowsOfData): number | null {
  const words = `${record.seq_layout ?? ''} ${record.source_title ?? ''}`;
  if (/alpaca/i.test(words)) return record.framework.startsWith('torchtune') ? TORCHTUNE_CUT : alpaca(record);
  if (words.includes('orca-math')) return words.includes('padding-free') ? laidOut(record) : ORCA_LONGEST;
  // fms-acceleration, scripts/benchmarks: Alpaca if a scenario names no data (benchmark.py, data_processing).
  return words.includes('fms-acceleration') && words.startsWith('unpacked') ? alpaca(record) : null;
}

function laidOut({ micro_batch_size: rows }: RowsOfData): number {
  const others = (rows ?? 1) - 1;
  return Math.ceil((ORCA_LONGEST + others * ORCA_MEAN) / (others + 1));
}

const alpaca = ({ model }: RowsOfData): number =>
  /llama-2|mistral|mixtral/i.test(model) ? ALPACA.sentencePiece : ALPACA.byteLevel;

/** A record's description of its rows if it has no number for them. */
interface RowWords extends RowsOfData {
  readonly task: string;
  readonly seq_len: number | null;
  readonly assumptions?: readonly string[];
}

/** Descriptions of the longest row, most specific first; the upper end of a range. */
const LONGEST: readonly RegExp[] = [
  /\d+ x ~?(\d+) tokens/,
  /up to ~?(?:\d+-)?(\d+) tokens/,
  /longest (?:roughly|about) (?:\d+-)?(\d+) tokens/,
];

/** Tokens of a row: the number, else from the description of the longest one. */
export function tokensOf(record: RowWords): number | null {
  const { seq_len: stated, seq_layout: layout, assumptions = [] } = record;
  if (stated !== null) return stated;
  const words = [...assumptions, layout ?? ''].join('; ');
  const found = LONGEST.map(pattern => pattern.exec(words)?.[1]).find(text => text !== undefined);
  if (found !== undefined) return Number(found);
  const completion = completionIn(record);
  if (completion !== null) return GRPO_PROMPT + completion;
  const characters = /<=(\d+) chars/.exec(words)?.[1];
  return characters === undefined ? rowsOf(record) : Math.ceil(Number(characters) / CHARACTERS);
}

/** TRL's default prompt truncation until 0.26 (grpo_config.py, max_prompt_length). */
const GRPO_PROMPT = 512;

/** Tokens of a completion: `completion 256, 8 generations`; TRL's default if a GRPO record does not say. */
export function completionIn({
  seq_layout: layout,
  task,
}: Pick<RowWords, 'seq_layout' | 'task'>): number | null {
  if (!task.endsWith('grpo')) return null;
  return Number(/completion (\d+)/.exec(layout ?? '')?.[1] ?? 256);
}

/**
 * Characters per token in calculations and short sentences: rows of 1,300 characters have 450 to 600 tokens (PEFT's
 * method comparison).
 */
const CHARACTERS = 2.5;
