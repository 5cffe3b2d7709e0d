import type { Setting } from '../engine/compose';
import { scalarOf } from './tree';
import type { Command, Word } from './word';
import type { YamlNode } from '../../yaml/node';
import { ownOf } from '../../yaml/tables';

/** How a program's flags map to keys of its dialect. */
export interface FlagNames {
  /** The separator in names: servers use `max-model-len`, training scripts `max_steps`. */
  readonly joint: '-' | '_';
  /** Other spellings of a flag: `tp` for `tensor-parallel-size`. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Flags that take no value, even if a word follows. */
  readonly bare?: readonly string[];
  /** Flags that take all words up to the next flag (argparse, `nargs='+'`). */
  readonly several?: readonly string[];
}

export interface Flags {
  /** All settings and words, in command order. */
  readonly items: readonly (Setting | Word)[];
  readonly settings: readonly Setting[];
  readonly positional: readonly Word[];
}

export const isSetting = (item: Setting | Word): item is Setting => 'path' in item;

const FLAG = /^--?([A-Za-z][\w.-]*)(?:=([\s\S]*))?$/;
/** Hydra's and OmegaConf's `a.b=c`, `+a=c`. */
const OVERRIDE = /^\+{0,2}([A-Za-z_][\w.@/-]*)=([\s\S]*)$/;

/** `+group=option` is never the value of a flag before it: `--multirun +experiment=a`. */
const ADDS = /^\+{1,2}[A-Za-z_][\w.@/-]*=/;

/** Flags that name something are no switches: without a value, the shell has dropped an empty variable. */
const NAMES = /(?:^|_)(?:name_or_path|model|path|file|dir)$/;

/** The settings of a command's words. */
export function flagsOf(words: Command, names: FlagNames): Flags {
  const items: (Setting | Word)[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (!word) continue;
    const flag = FLAG.exec(word.text);
    if (flag) {
      const taken = flag[2] === undefined ? takenBy(nameOf(flag[1] ?? '', names), words, at + 1, names) : [];
      items.push(flagSetting(word, flag[1] ?? '', flag[2], taken, names));
      at += taken.length;
      continue;
    }
    const override = OVERRIDE.exec(word.text);
    items.push(override ? overrideSetting(word, override[1] ?? '', override[2] ?? '') : word);
  }
  const positional = items.filter((item): item is Word => !isSetting(item));
  return { items, settings: items.filter(isSetting), positional };
}

/** The words from `from` on that are a flag's values. */
function takenBy(
  name: string,
  words: Command,
  from: number,
  { bare = [], several = [] }: FlagNames,
): readonly Word[] {
  if (bare.includes(name)) return [];
  const most = several.includes(name) ? words.length : 1;
  const rest = words.slice(from, from + most);
  const end = rest.findIndex(({ text }) => (FLAG.test(text) && !/^-\d/.test(text)) || ADDS.test(text));
  return end < 0 ? rest : rest.slice(0, end);
}

function nameOf(written: string, { joint, aliases = {} }: FlagNames): string {
  const name = written.replaceAll(/[-_]/g, joint);
  return ownOf(aliases, name) ?? name;
}

function flagSetting(
  word: Word,
  written: string,
  inline: string | undefined,
  taken: readonly Word[],
  names: FlagNames,
): Setting {
  const name = nameOf(written, names);
  const { inText } = word;
  const from = `--${name}`.split('.');
  const keySpan =
    inline === undefined ? word.span : { start: word.span.start, end: valueStart(word, inline) };
  if (taken.length > 0) {
    const value = valueOf(
      taken.map(one => (one.text === '' && NAMES.test(name) ? { ...one, open: true } : one)),
    );
    return { path: [name], keySpan, value, from, inText };
  }
  if (inline === undefined) {
    const value = scalarOf({ ...word, open: word.open || NAMES.test(name) }, 'true', true);
    return { path: [name], keySpan, value, from, inText };
  }
  const span = { start: valueStart(word, inline), end: word.span.end };
  return { path: [name], keySpan, value: scalarOf({ ...word, text: inline, span }), from, inText };
}

/** One word, or a list of several. */
function valueOf(words: readonly Word[]): YamlNode {
  const items = words.map(word => scalarOf(word));
  const [first = null] = items;
  if (first !== null && items.length === 1) return first;
  const span = { start: first?.span.start ?? 0, end: items.at(-1)?.span.end ?? 0 };
  return { kind: 'sequence', items, flow: true, span, anchor: null };
}

/** The position of the value in `name=value`, unless a variable changed its length. */
function valueStart({ text, span }: Word, value: string): number {
  return Math.min(span.end, span.start + text.length - value.length);
}

function overrideSetting(word: Word, path: string, value: string): Setting {
  const span = { start: valueStart(word, value), end: word.span.end };
  const parts = path.split('.');
  return {
    path: parts,
    keySpan: word.span,
    value: scalarOf({ ...word, text: value, span }),
    from: parts,
    inText: word.inText,
  };
}
