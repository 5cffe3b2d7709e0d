import type { ScalarValue } from '../../yaml/node';

/** A call of Python code whose arguments are keys of the dialect. */
export interface DialectCall {
  /** Its names with their module: `trl.SFTTrainer`; one part may begin or end with `*`. */
  readonly of: readonly string[];
  /**
   * `run`: it is a run; `part`: it is given to one, or to another part; `beside`: it states something of the
   * program's runs without being given to them, such as a tokenizer's `max_length`; `use`: a method of what a run's
   * call returns, `__call__` if that is called itself; `told`: its `keys` are what any loop's calls say, by their names.
   */
  readonly role: 'run' | 'part' | 'beside' | 'use' | 'told';
  /** Arguments that a call of role `beside` must have to count; of role `run`: whose texts must be known. */
  readonly needs: readonly string[];
  /** Arguments that a call of role `beside` must not have. */
  readonly unless: readonly string[];
  /** Arguments that tell which calls of role `beside` count where they differ: `shuffle` is that of training. */
  readonly prefers: readonly string[];
  /** It counts in programs that import this module; null: in all. */
  readonly module: string | null;
  /** Methods and functions that start the run: without one of them, a call in a function is none. */
  readonly startedBy: readonly string[];
  /** A run only in programs that train nothing: what is loaded there is trained otherwise. */
  readonly alone: boolean;
  /** Arguments of other calls through which it becomes part of a run. */
  readonly givenAs: readonly string[];
  /** Names of positional arguments. */
  readonly positional: readonly string[];
  /** Arguments that count as the number of their items: a list of prompts, or one. */
  readonly counts: Readonly<Record<string, string>>;
  /** Keys that are set if one of several calls of role `use`, or the only one, lacks an argument. */
  readonly lacks: Readonly<Record<string, string>>;
  /** Arguments with another name than their key. */
  readonly keys: Readonly<Record<string, string>>;
  /** All other arguments are keys under their own names. */
  readonly own: boolean;
  /** Those that are, if not all. */
  readonly only: readonly string[];
  /** What joins the words of keys where arguments have `_`: `-`. */
  readonly joint: string;
  /** Keys that the call sets if no argument does. */
  readonly sets: Readonly<Record<string, ScalarValue>>;
  /** It sets them only if the run has one of these keys; empty: always. */
  readonly ifStated: readonly string[];
  /** An argument that is false if it does not set them. */
  readonly offBy: string | null;
  /** An argument of role `run` that names the GPU it asks for. */
  readonly gpu: string | null;
}
