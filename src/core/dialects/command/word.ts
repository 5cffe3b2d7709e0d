import type { Located } from '../../text/located';
import type { Cell } from './loops';
import { filledIn, filledLines } from './shellValues';
import type { Syntax, Variables } from './shellValues';
import type { Raw } from './shellWords';

/** A word of a command line. */
export interface Word {
  readonly text: string;
  /** The position of its text in the file, without quotes. */
  readonly span: { readonly start: number; readonly end: number };
  /** It contains an undefined variable or the output of a command: its text is not its value. */
  readonly open: boolean;
  /** It is in a shell's text, where another word may follow; false for a list item. */
  readonly inText: boolean;
  /** The loops around it have set these variables. */
  readonly cell?: Cell;
  /** It has a variable, which other turns of the loop have, too. */
  readonly isFixed?: boolean;
  /** With the place of each character, if it may be a program: `python -c 'from vllm import …'`. */
  readonly code?: Located;
}

export type Command = readonly Word[];

/** The assignment that is left at the head of a command, since it says which GPUs its program sees, or on how many it starts. */
export const VISIBLE = /^(?:(?:CUDA|HIP)_VISIBLE_DEVICES|NPROC_PER_NODE)=/;

/** The number of processes that a program starts by itself; it wins over the visible GPUs. */
const STARTS = 'NPROC_PER_NODE=';

/** The word before a command that says on which GPUs, or on how many, it starts. */
export const visibleIn = (words: readonly Raw[]): Raw | undefined =>
  words.find(({ text }) => text.text.startsWith(STARTS)) ?? words.find(({ text }) => VISIBLE.test(text.text));

/** A word that no shell interprets: an item of a list of arguments. */
export function argument(text: Located, variables: Variables, syntax: Syntax): Word {
  return { ...wordOf({ text, literal: false, quoted: false }, variables, syntax), inText: false };
}

/** A word with its variables filled in. */
export function wordOf(raw: Raw, variables: Variables, syntax: Syntax): Word {
  const { at, text: written } = raw.text;
  const span = { start: at[0] ?? 0, end: at.at(-1) ?? 0 };
  const isCode = /\bimport\b/.test(written);
  if (raw.literal) {
    return { text: written, span, open: false, inText: true, ...(isCode && { code: raw.text }) };
  }
  const code = isCode ? { code: filledLines(raw.text, variables, syntax) } : {};
  const text = filledIn(written, variables, syntax);
  const open = syntax === 'kubernetes' ? text.includes('$(') : /\$[\w({@*]|`/.test(text);
  return { text, span, open, inText: true, ...(raw.isOutside && { isFixed: true }), ...code };
}
