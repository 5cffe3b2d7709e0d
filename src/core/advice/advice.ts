import type { Signals } from './signals';

/** What the button next to a piece of advice does. */
export type Fix =
  /** Looks for plans for the config in front. */
  | 'optimize'
  /** Shows the account of the config in front. */
  | 'explain'
  /** Shows who holds the memory. */
  | 'processes';

/** One thing worth doing about a GPU. */
export interface Advice {
  readonly rule: string;
  readonly severity: 'warning' | 'information';
  /** What is going on and what would help, a sentence or two. */
  readonly message: string;
  /** The readings it rests on. */
  readonly signal: string;
  /** Where it was learnt. */
  readonly source: string;
  readonly fix: Fix | null;
}

/** One rule a file: looks at a GPU's last minutes and says what it thinks of them; null: nothing. */
export interface AdviceRule {
  /** kebab-case. */
  readonly id: string;
  readonly source: string;
  check(signals: Signals): Omit<Advice, 'rule' | 'source'> | null;
}
