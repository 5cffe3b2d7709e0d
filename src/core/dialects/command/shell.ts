import { withoutArrays } from './arrays';
import { Branches, tested } from './branches';
import { calledFunctions } from './functions';
import type { Functions } from './functions';
import type { Taken } from './branches';
import type { Arrays } from './arrays';
import { withoutHeredocs } from './heredocs';
import type { Heredocs } from './heredocs';
import { slice } from './located';
import type { Located } from '../../text/located';
import { filledIn, filledLines } from './shellValues';
import type { Syntax, Variables } from './shellValues';
import { nameOf, statements, valueBehind } from './shellWords';
import type { Raw } from './shellWords';
import { scriptIn, startedBy } from './starters';
import { WrittenFiles } from './writtenFiles';

/** A word of a command line. */
export interface Word {
  readonly text: string;
  /** The position of its text in the file, without quotes. */
  readonly span: { readonly start: number; readonly end: number };
  /** It contains an undefined variable or the output of a command: its text is not its value. */
  readonly open: boolean;
  /** It is in a shell's text, where another word may follow; false for a list item. */
  readonly inText: boolean;
  /** With the place of each character, if it may be a program: `python -c 'from vllm import …'`. */
  readonly code?: Located;
}

export type Command = readonly Word[];

/** The assignment that is left at the head of a command, since it says which GPUs its program sees, or on how many it starts. */
export const VISIBLE = /^(?:(?:CUDA|HIP)_VISIBLE_DEVICES|NPROC_PER_NODE)=/;

/** The number of processes that a program starts by itself; it wins over the visible GPUs. */
const STARTS = 'NPROC_PER_NODE=';

const visibleIn = (words: readonly Raw[]): Raw | undefined =>
  words.find(({ text }) => text.text.startsWith(STARTS)) ?? words.find(({ text }) => VISIBLE.test(text.text));

/** A word that no shell interprets: an item of a list of arguments. */
export function argument(text: Located, variables: Variables, syntax: Syntax): Word {
  return { ...wordOf({ text, literal: false, quoted: false }, variables, syntax), inText: false };
}

/** Commands of a script: those that always run, and those in a branch, a loop or a function. */
export interface Script {
  readonly always: readonly Command[];
  readonly perhaps: readonly Command[];
  /** What is known of its variables at its end. */
  readonly variables: Variables;
  /** Files that it writes from heredocs. */
  readonly written: WrittenFiles;
  /** What it hands on to a command: exported variables, and assignments before it. */
  readonly handed: ReadonlyMap<Command, Variables>;
}

/**
 * The commands of a shell's text, in order. Nothing is executed: variables with a plain assignment are known until
 * something else could set them; all others are open, as are list items that a branch added.
 */
export function scriptOf(script: Located, known: Variables, syntax: Syntax = 'shell'): Script {
  return new ShellReading(script, known, syntax);
}

/** Commands that always run; it is unknown whether those after `if` or in a function do. */
export const commands = (script: Located, known: Variables, syntax: Syntax = 'shell'): readonly Command[] =>
  scriptOf(script, known, syntax).always;

const OPENS = new Set(['if', 'case', 'while', 'for', 'until']);
/** Of these, those whose words are a command. */
const ASKS = new Set(['if', 'while', 'until']);
/** Commands that only compare. */
const TESTS = new Set(['[', '[[', 'test']);
const CLOSES = new Set(['fi', 'esac', 'done']);
/** Words of statements that start nothing themselves. */
const IS_ABOUT = new Set([...OPENS, ...CLOSES, 'elif', 'function']);
/** Words before the commands of a branch. */
const LEADS = new Set(['then', 'else', 'do']);

/** A word of a list in a variable; `maybe`: a branch added it. */
interface Listed {
  readonly raw: Raw;
  readonly maybe: boolean;
}

/** Limits for list words in one script and characters of a variable; scripts have a few hundred. */
const MOST_LISTED = 50_000;
const MOST_CHARACTERS = 20_000;
/** Calls of functions, which may call each other. */
const MOST_CALLS = 50;
/** Characters of a script that are read, in whole lines. Longer ones carry data after their commands. */
const MOST_SCRIPT = 2 ** 17;

function readable(script: Located): Located {
  const { text } = script;
  if (text.length <= MOST_SCRIPT) return script;
  return slice(script, 0, text.lastIndexOf('\n', MOST_SCRIPT) + 1 || MOST_SCRIPT);
}

class ShellReading implements Script {
  readonly always: Command[] = [];
  readonly perhaps: Command[] = [];
  readonly variables: Map<string, string | null>;
  /** Variables with several words: arrays, and texts that a shell splits. */
  private readonly lists = new Map<string, readonly Listed[]>();
  private readonly branches = new Branches();
  /** Remaining list words to expand: a script can double a list with each line. */
  private left = MOST_LISTED;
  private visible: Word | null = null;
  private readonly exports = new Set<string>();
  readonly handed = new Map<Command, Variables>();
  private readonly functions = new Map<
    string,
    { readonly body: Functions['rest']; readonly arrays: Arrays }
  >();
  private calls = 0;
  private readonly inside = new Set<string>();
  private readonly programs: Heredocs['programs'];
  private readonly writes: Heredocs['writes'];
  readonly written = new WrittenFiles();

  constructor(
    script: Located,
    known: Variables,
    private readonly syntax: Syntax,
  ) {
    this.variables = new Map(known);
    const { rest, filled, programs, writes } = withoutHeredocs(readable(script));
    this.programs = programs;
    this.writes = writes;
    for (const [name, text] of filled) this.lists.set(name, listed(text, false));
    const { rest: plain, arrays } = withoutArrays(rest);
    this.script(plain, arrays);
  }

  private script(text: Located, arrays: Arrays): void {
    const all = statements(text).map(words => words.map(raw => this.programs.get(raw.text.text) ?? raw));
    const { bodies, rest } = calledFunctions(all);
    for (const [name, body] of bodies) this.functions.set(name, { body, arrays });
    this.statements(rest, arrays);
  }

  private statements(all: Functions['rest'], arrays: Arrays): void {
    for (const [i, written] of all.entries()) this.statement(written, all[i + 1], arrays);
  }

  /** A function's statements, with the words behind its name as its arguments. */
  private call(words: readonly Listed[]): boolean {
    const name = words[0]?.raw.text.text ?? '';
    const called = this.functions.get(name);
    if (!called || this.calls >= MOST_CALLS) return false;
    // A function that is being called would start the same again.
    if (this.inside.has(name)) return true;
    this.calls += 1;
    this.inside.add(name);
    const outer = this.lists.get('@');
    this.given(words.slice(1));
    this.statements(called.body, called.arrays);
    this.given(outer);
    this.inside.delete(name);
    return true;
  }

  /** Sets `$@` and `$1` to `$9`; undefined: those of the script, which no one knows. */
  private given(words: readonly Listed[] | undefined): void {
    if (words) this.lists.set('@', words);
    else this.lists.delete('@');
    for (let i = 1; i <= 9; i++) {
      const one = words?.[i - 1];
      const word = one && this.word(one);
      if (words === undefined) this.variables.delete(String(i));
      else this.variables.set(String(i), word === undefined ? '' : word.open ? null : word.text);
    }
  }

  private branch(opener: string, written: readonly Raw[], next: readonly Raw[] | undefined): void {
    if (opener === 'if') this.branches.enter(this.test(written, next), unsetIn(written));
    else if (OPENS.has(opener)) this.branches.enter(null);
    else if (opener === 'elif') this.branches.next(this.test(written, next));
    else if (opener === 'else') this.branches.next(true);
    else if (CLOSES.has(opener)) this.branches.leave();
  }

  private statement(written: readonly Raw[], next: readonly Raw[] | undefined, arrays: Arrays): void {
    const opener = written[0]?.text.text ?? '';
    // What a condition starts runs before its branch: `if serve; then`, `while ! serve; do`.
    if (ASKS.has(opener)) this.body(written.slice(text(written[1]) === '!' ? 2 : 1), arrays);
    this.branch(opener, written, next);
    if (!IS_ABOUT.has(opener)) this.body(LEADS.has(opener) ? written.slice(1) : written, arrays);
  }

  private body(body: readonly Raw[], arrays: Arrays): void {
    const opener = text(body[0]);
    if (this.branches.taken === false || TESTS.has(opener)) return;
    if (opener === ':') this.defaults(body);
    const assigned = this.assignments(body, arrays);
    const all = this.evaluated(body.slice(assigned).flatMap(word => this.expanded(word)));
    const lead = leading(all);
    const words = startedBy(all.slice(lead));
    const script = scriptIn(words);
    if (script) this.script(script, arrays);
    else if (words.length > 0) {
      this.start(words, [...body.slice(0, assigned), ...all.slice(0, lead).map(({ raw }) => raw)]);
    }
  }

  /** `eval "$BEFORE $COMMAND"` splits its texts once more, whatever their quotes. */
  private evaluated(words: readonly Listed[]): readonly Listed[] {
    if (words[0]?.raw.text.text !== 'eval') return words;
    return words
      .slice(1)
      .flatMap(({ raw, maybe }) => listed(raw.text, maybe))
      .flatMap(({ raw, maybe }) =>
        this.expanded(raw).map(inner => ({ ...inner, maybe: maybe || inner.maybe })),
      );
  }

  private start(words: readonly Listed[], before: readonly Raw[]): void {
    if (words[0]?.raw.text.text === 'shift') this.given(this.lists.get('@')?.slice(shifted(words)));
    else if (!this.call(words)) this.command(words, before);
  }

  private command(words: readonly Listed[], before: readonly Raw[]): void {
    const own = visibleIn(before);
    const visible = own ? this.word({ raw: own, maybe: false }) : this.visible;
    const written = words.map(word => this.word(word));
    const heredoc = written.flatMap(({ text }) => this.writes.get(text) ?? [])[0];
    if (heredoc) {
      this.written.write(written, heredoc, this.variables, this.branches.taken, this.syntax);
      return;
    }
    // `${A:+--flag}` is no word where A is not set.
    const command = [
      ...(visible ? [visible] : []),
      ...written.filter(({ text }, i) => text !== '' || words[i]?.raw.quoted !== false),
    ];
    const names = [...this.exports, ...before.flatMap(({ text }) => nameOf(text.text) ?? [])];
    if (names.length > 0) {
      this.handed.set(command, new Map(names.map(name => [name, this.variables.get(name) ?? null])));
    }
    (this.branches.taken === true ? this.always : this.perhaps).push(command);
  }

  /** A test that is the whole condition: `[ a ] && [ b ]` are two statements. */
  private test([, ...words]: readonly Raw[], next: readonly Raw[] | undefined): Taken {
    return next?.[0]?.text.text === 'then'
      ? tested(words.map(raw => this.word({ raw, maybe: false })))
      : null;
  }

  private word({ raw, maybe }: Listed): Word {
    const word = wordOf(raw, this.variables, this.syntax);
    const file = word.text.endsWith('.py') ? this.written.named(word.text) : null;
    return { ...word, ...(file && { code: file.text }), ...(maybe && { open: true }) };
  }

  /** The words of `"${NAME[@]}"`, or of an unquoted `$NAME` with several. */
  private expanded(raw: Raw): readonly Listed[] {
    const [, array, all, plain, braced] =
      /^\$(?:\{(\w+)\[[@*]\]\}|\{?([@*])\}?|(\w+)|\{(\w+)\})$/.exec(raw.text.text) ?? [];
    const several = array ?? (all && '@');
    const isText = several === undefined && (raw.quoted || raw.literal);
    const list = isText
      ? undefined
      : (this.lists.get(several ?? plain ?? braced ?? '') ?? this.otherwise(raw));
    if (list === undefined || list.length > this.left) return [{ raw, maybe: false }];
    this.left -= list.length;
    if (raw.quoted) return list;
    return list.flatMap(one => (/\s/.test(one.raw.text.text) ? listed(one.raw.text, one.maybe) : [one]));
  }

  /** The words of `${NAME:-a b}`, which are several where nothing sets the variable. */
  private otherwise(raw: Raw): readonly Listed[] | undefined {
    const { text } = raw.text;
    const [, lead = '', name = '', value = ''] = /^(\$\{(\w+):?-)([^${}]*)\}$/.exec(text) ?? [];
    if (raw.quoted || this.variables.has(name) || !/\s/.test(value.trim())) return undefined;
    return listed(slice(raw.text, lead.length, lead.length + value.length), false);
  }

  /** `: "${A:=b}"` sets a variable that is not set yet. */
  private defaults(words: readonly Raw[]): void {
    for (const { text } of words) {
      const [, name, value = ''] = /^\$\{([A-Za-z_]\w*):?=([^{}]*)\}$/.exec(text.text) ?? [];
      if (name !== undefined && !this.variables.has(name)) {
        this.variables.set(name, this.isPerhaps || /[$`]/.test(value) ? null : value);
      }
    }
  }

  /** Applies the assignments at the start of a statement; returns their number of words. */
  private assignments(words: readonly Raw[], arrays: Arrays): number {
    const head = words[0]?.text.text ?? '';
    const isDeclared = DECLARES.has(head);
    const start = isDeclared ? 1 : 0;
    const isOption = (word: Raw): boolean => isDeclared && /^-\w+$/.test(word.text.text);
    const other = words.findIndex(
      (word, i) => i >= start && !isOption(word) && !this.assignment(word, arrays),
    );
    const end = other < 0 ? words.length : other;
    if (head === 'export') this.exported(words);
    return end > start || isDeclared ? end : 0;
  }

  /** GPUs that all later commands see. */
  private exported(words: readonly Raw[]): void {
    for (const { text } of words.slice(1)) this.exports.add(nameOf(text.text) ?? text.text);
    const raw = visibleIn(words);
    if (raw) this.visible = this.isPerhaps ? null : this.word({ raw, maybe: false });
  }

  private assignment(word: Raw, arrays: Arrays): boolean {
    const match = /^([A-Za-z_]\w*)(\+?)=([\s\S]*)$/.exec(word.text.text);
    if (!match) return false;
    const [, name = '', more = '', value = ''] = match;
    const maybe = this.isPerhaps && !this.isDefault(name);
    const array = arrays.get(value);
    if (array) {
      const before = more === '' && !maybe ? [] : (this.lists.get(name) ?? []);
      const added = statements(array)
        .flat()
        .flatMap(one => this.expanded(one));
      this.lists.set(name, [...before, ...added.map(one => ({ ...one, maybe: maybe || one.maybe }))]);
      return true;
    }
    // What an unknown variable leaves open in a value stays open where the value is used.
    const { text } = this.word({ raw: word, maybe: false });
    const isKnown = !maybe && more === '' && !text.includes('`') && text.length <= MOST_CHARACTERS;
    this.variables.set(name, isKnown ? text.slice(name.length + 1) : null);
    this.assignText(name, more !== '', word, maybe);
    return true;
  }

  private get isPerhaps(): boolean {
    return this.branches.taken === null;
  }

  /** `if [ -z "$A" ]; then A=b; fi` is what `${A:=b}` is. */
  private isDefault(name: string): boolean {
    return this.branches.defaulted === name && !this.variables.has(name);
  }

  /** An unquoted text with blanks is several words; in a branch, a flag is one that may be there. */
  private assignText(name: string, isMore: boolean, word: Raw, maybe: boolean): void {
    const before = isMore || maybe ? (this.lists.get(name) ?? []) : [];
    const value = valueBehind(word);
    const isFlag = maybe && value !== null && /^--?[A-Za-z]/.test(value.text);
    const isWords = value !== null && (/\s/.test(value.text.trim()) || before.length > 0 || isFlag);
    if (!isWords) {
      if (!maybe) this.lists.delete(name);
      return;
    }
    const added = listed(value, maybe).flatMap(one =>
      this.expanded(one.raw).map(inner => ({ ...inner, maybe: maybe || inner.maybe })),
    );
    this.lists.set(name, [...before, ...added]);
  }
}

const shifted = ([, by]: readonly Listed[]): number => Number(by?.raw.text.text ?? 1) || 1;

const text = (raw: Raw | undefined): string => raw?.text.text ?? '';

/** The number of assignments before a command. */
function leading(words: readonly Listed[]): number {
  const at = words.findIndex(({ raw }) => nameOf(raw.text.text) === null);
  return at < 0 ? words.length : at;
}

/** The variable of `if [ -z "$A" ]`. */
function unsetIn(written: readonly Raw[]): string | null {
  const [, bracket, test, variable] = written.map(({ text }) => text.text);
  if ((bracket !== '[' && bracket !== '[[') || test !== '-z') return null;
  return /^\$\{?(\w+)(?::?-)?\}?$/.exec(variable ?? '')?.[1] ?? null;
}

const DECLARES = new Set(['export', 'declare', 'local', 'readonly', 'typeset']);

/** A text's words, split as in a shell. */
const listed = (text: Located, maybe: boolean): Listed[] =>
  statements(text)
    .flat()
    .map(raw => ({ raw, maybe }));

function wordOf(raw: Raw, variables: Variables, syntax: Syntax): Word {
  const { at, text: written } = raw.text;
  const span = { start: at[0] ?? 0, end: at.at(-1) ?? 0 };
  const isCode = /\bimport\b/.test(written);
  if (raw.literal) {
    return { text: written, span, open: false, inText: true, ...(isCode && { code: raw.text }) };
  }
  const code = isCode ? { code: filledLines(raw.text, variables, syntax) } : {};
  const text = filledIn(written, variables, syntax);
  const open = syntax === 'kubernetes' ? text.includes('$(') : /\$[\w({]|`/.test(text);
  return { text, span, open, inText: true, ...code };
}
