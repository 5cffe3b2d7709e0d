import { rowsOf } from './datasets';
import type { RowsOfData } from './datasets';

/** What a record says about its rows in words, when it has no number for them. */
export interface RowWords extends RowsOfData {
  readonly task: string;
  readonly seq_len: number | null;
  readonly assumptions?: readonly string[];
}

/** Words for the longest row, those that say most first; of a range the upper end. */
const LONGEST: readonly RegExp[] = [
  /\d+ x ~?(\d+) tokens/,
  /up to ~?(?:\d+-)?(\d+) tokens/,
  /longest (?:roughly|about) (?:\d+-)?(\d+) tokens/,
];

/** Tokens of a row: the number, else what the words say about the longest one. */
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

/** What TRL cut prompts to by default until 0.26 (grpo_config.py, max_prompt_length). */
const GRPO_PROMPT = 512;

/** Tokens of a completion: `completion 256, 8 generations`; TRL's default where a record of GRPO says nothing. */
export function completionIn({
  seq_layout: layout,
  task,
}: Pick<RowWords, 'seq_layout' | 'task'>): number | null {
  if (!task.endsWith('grpo')) return null;
  return Number(/completion (\d+)/.exec(layout ?? '')?.[1] ?? 256);
}

/** Of a token in sums and short sentences: rows of 1,300 characters have 450 to 600 tokens (PEFT's method comparison). */
const CHARACTERS = 2.5;
