import type { Setting } from '../engine/settings';
import { scalarOf } from './tree';
import type { Command, Word } from './shell';
import { ownOf } from '../../yaml/tables';

/** How a program's flags map to keys of its dialect. */
export interface FlagNames {
  /** The separator in names: servers use `max-model-len`, training scripts `max_steps`. */
  readonly joint: '-' | '_';
  /** Other spellings of a flag: `tp` for `tensor-parallel-size`. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Flags that take no value, even if a word follows. */
  readonly bare?: readonly string[];
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

/** The settings of a command's words. */
export function flagsOf(words: Command, names: FlagNames): Flags {
  const items: (Setting | Word)[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (!word) continue;
    const flag = FLAG.exec(word.text);
    if (flag) {
      const next = words[at + 1];
      const takes =
        flag[2] === undefined && next !== undefined && takesNext(nameOf(flag[1] ?? '', names), next, names);
      items.push(flagSetting(word, flag[1] ?? '', flag[2], takes ? next : null, names));
      if (takes) at += 1;
      continue;
    }
    const override = OVERRIDE.exec(word.text);
    items.push(override ? overrideSetting(word, override[1] ?? '', override[2] ?? '') : word);
  }
  const positional = items.filter((item): item is Word => !isSetting(item));
  return { items, settings: items.filter(isSetting), positional };
}

function takesNext(name: string, next: Word, { bare = [] }: FlagNames): boolean {
  return !bare.includes(name) && (!FLAG.test(next.text) || /^-\d/.test(next.text));
}

function nameOf(written: string, { joint, aliases = {} }: FlagNames): string {
  const name = written.replaceAll(/[-_]/g, joint);
  return ownOf(aliases, name) ?? name;
}

function flagSetting(
  word: Word,
  written: string,
  inline: string | undefined,
  next: Word | null,
  names: FlagNames,
): Setting {
  const name = nameOf(written, names);
  const { inText } = word;
  const from = `--${name}`.split('.');
  const keySpan =
    inline === undefined ? word.span : { start: word.span.start, end: valueStart(word, inline) };
  if (next) return { path: [name], keySpan, value: scalarOf(next), from, inText };
  if (inline === undefined) {
    return { path: [name], keySpan, value: scalarOf(word, 'true', true), from, inText };
  }
  const span = { start: valueStart(word, inline), end: word.span.end };
  return { path: [name], keySpan, value: scalarOf({ ...word, text: inline, span }), from, inText };
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
