import type { Signals } from './signals';
import type { Say } from '../text/say';

/** The action of the button next to a piece of advice. */
export type Fix =
  /** Searches plans for the active config. */
  | 'optimize'
  /** Explains the active config. */
  | 'explain'
  /** Shows the processes that hold memory. */
  | 'processes';

/** One piece of advice about a GPU. */
export interface Advice {
  readonly rule: string;
  readonly severity: 'warning' | 'information';
  /** What happens and what would help, in one or two sentences. */
  readonly message: string;
  /** The readings that it is based on. */
  readonly signal: string;
  /** Where the rule comes from. */
  readonly source: string;
  readonly fix: Fix | null;
}

/** One rule per file: checks a GPU's last minutes; null: no advice. */
export interface AdviceRule {
  /** In kebab-case. */
  readonly id: string;
  readonly source: string;
  check(signals: Signals, say: Say): Omit<Advice, 'rule' | 'source'> | null;
}
