import type { Located } from '../../text/located';
import { placed } from './located';
import { nameOf, statements } from './shellWords';
import type { Raw } from './shellWords';
import type { Variables } from './shellValues';
import type { Word } from './word';

/** A word of a list in a variable; `maybe`: a branch added it. */
export interface Listed {
  readonly raw: Raw;
  readonly maybe: boolean;
}

/** The number of arguments that `shift` drops. */
export const shifted = ([, by]: readonly Listed[]): number => Number(by?.raw.text.text ?? 1) || 1;

/** The text of a word; '' if there is none. */
export const text = (raw: Raw | undefined): string => raw?.text.text ?? '';

/** The number of assignments before a command. */
export function leading(words: readonly Listed[]): number {
  const at = words.findIndex(({ raw }) => nameOf(raw.text.text) === null);
  return at < 0 ? words.length : at;
}

/** The variable of `if [ -z "$A" ]`. */
export function unsetIn(written: readonly Raw[]): string | null {
  const [, bracket, test, variable] = written.map(({ text }) => text.text);
  if ((bracket !== '[' && bracket !== '[[') || test !== '-z') return null;
  return /^\$\{?(\w+)(?::?-)?\}?$/.exec(variable ?? '')?.[1] ?? null;
}

/** A text's words, split as in a shell. */
export const listed = (text: Located, maybe: boolean): Listed[] =>
  statements(text)
    .flat()
    .map(raw => ({ raw, maybe }));

/** An argument that another file starts a script with. */
export const outside = ({ text: given, open }: Word): Listed => ({
  raw: { text: placed(given, 0), literal: false, quoted: true, isOutside: true },
  maybe: open,
});

/** Such an argument where the script uses it. */
export const placedAt = ({ raw, maybe }: Listed, use: Raw): Listed => ({
  raw: { ...raw, text: placed(raw.text.text, use.text.at[0] ?? 0) },
  maybe,
});

/** Words of the given variables that have several: a shell splits them where they are not quoted. */
export function listsOf(known: Variables): readonly (readonly [name: string, words: readonly Listed[]])[] {
  return [...known].flatMap(([name, value]) => {
    if (value === null || !/\S\s+\S/.test(value)) return [];
    const words = listed(placed(value, 0), false);
    return [[name, words.map(one => ({ ...one, raw: { ...one.raw, isOutside: true as const } }))] as const];
  });
}
