import { rowsOf } from './datasets';
import type { RowsOfData } from './datasets';

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
