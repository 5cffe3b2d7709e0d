import { withoutArrays } from './arrays';
import { Branches, tested } from './branches';
import { calledFunctions } from './functions';
import type { Functions } from './functions';
import type { Taken } from './branches';
import type { Arrays } from './arrays';
import { withoutHeredocs } from './heredocs';
import type { Heredocs } from './heredocs';
import { slice } from './located';
import { MOST_CELLS, MOST_TURNS, counted, isOverArguments, loopAt } from './loops';
import type { Loop } from './loops';
import type { Located } from '../../text/located';
import { basename } from '../../text/paths';
import type { Syntax, Variables } from './shellValues';
import { ASKS, CLOSES, DECLARES, IS_ABOUT, LEADS, OPENS, STARTS_SCRIPT, TESTS } from './keywords';
import { leading, listed, listsOf, outside, placedAt, shifted, text, unsetIn } from './listed';
import type { Listed } from './listed';
import { nameOf, statements, valueBehind } from './shellWords';
import type { Raw } from './shellWords';
import { scriptIn, startedBy } from './starters';
import { visibleIn, wordOf } from './word';
import type { Command, Word } from './word';
import { WrittenFiles } from './writtenFiles';

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
 * something else could set them; all others are open, as are list items that a branch added. `given`: its arguments, where
 * another file starts it.
 */
export function scriptOf(
  script: Located,
  known: Variables,
  syntax: Syntax = 'shell',
  given: Command | null = null,
): Script {
  return new ShellReading(script, known, syntax, given);
}

/** Commands that always run; it is unknown whether those after `if` or in a function do. */
export const commands = (script: Located, known: Variables, syntax: Syntax = 'shell'): readonly Command[] =>
  scriptOf(script, known, syntax).always;

/** Limits for list words in one script and characters of a variable; scripts have a few hundred. */
const MOST_LISTED = 50_000;
const MOST_CHARACTERS = 20_000;
/** Calls of functions, which may call each other. */
const MOST_CALLS = 50;
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
  /** Loops around a statement: the variables that they set, their turns together, and the turns of all loops so far. */
  private readonly cell = new Map<string, string>();
  private cells = 1;
  private turns = 0;
  private readonly inside = new Set<string>();
  private readonly programs: Heredocs['programs'];
  private readonly writes: Heredocs['writes'];
  readonly written = new WrittenFiles();
  private readonly scripts: Heredocs['scripts'];
  /** Those of its scripts that it starts. */
  private readonly started = new Set<string>();

  constructor(
    script: Located,
    known: Variables,
    private readonly syntax: Syntax,
    given: Command | null,
  ) {
    this.variables = new Map(known);
    for (const [name, words] of listsOf(known)) this.lists.set(name, words);
    if (given) this.given(given.map(outside));
    const { rest, filled, programs, writes, scripts } = withoutHeredocs(script);
    this.programs = programs;
    this.writes = writes;
    this.scripts = scripts;
    for (const [name, text] of filled) this.lists.set(name, listed(text, false));
    const { rest: plain, arrays } = withoutArrays(rest);
    this.script(plain, arrays);
    this.branches.enter(null);
    for (const name of scripts.keys()) if (!this.started.has(name)) this.startWritten(name, []);
    this.branches.leave();
  }

  /** A script that it has written, with its arguments; false if it has not. */
  private startWritten(name: string, given: readonly Listed[]): boolean {
    const content = this.scripts.get(name);
    if (!content || this.started.has(name)) return content !== undefined;
    this.started.add(name);
    const outer = this.lists.get('@');
    this.given(given);
    const { rest, arrays } = withoutArrays(content.text);
    this.script(rest, arrays);
    this.given(outer);
    return true;
  }

  private script(text: Located, arrays: Arrays): void {
    const all = statements(text).map(words => words.map(raw => this.programs.get(raw.text.text) ?? raw));
    const { bodies, rest } = calledFunctions(all);
    for (const [name, body] of bodies) this.functions.set(name, { body, arrays });
    this.statements(rest, arrays);
  }

  private statements(all: Functions['rest'], arrays: Arrays): void {
    for (let i = 0; i < all.length; i++) {
      const loop = loopAt(all, i);
      if (loop && this.looped(loop, arrays)) i = loop.end;
      else this.statement(all[i] ?? [], all[i + 1], arrays);
    }
  }

  /** Each turn of a loop over known words; false if they are not known, or too many. */
  private looped({ name, words, body }: Loop, arrays: Arrays): boolean {
    const all = words.flatMap(raw => this.expanded(raw).flatMap(({ raw: one }) => counted(one)));
    const values = all.map(raw => this.word({ raw, maybe: false }));
    const isKnown = values.every(({ text, open }) => !open && !/[*?[\]]/.test(text));
    this.turns += values.length;
    if (!isKnown || values.length * this.cells > MOST_CELLS || this.turns > MOST_TURNS) return false;
    this.cells *= values.length;
    for (const [i, value] of values.entries()) {
      this.variables.set(name, value.text);
      this.cell.set(name, value.text);
      const raw = all[i];
      if (raw && /\s/.test(value.text)) this.lists.set(name, listed(raw.text, false));
      else this.lists.delete(name);
      this.statements(body, arrays);
    }
    this.cell.delete(name);
    this.cells /= values.length;
    return values.length > 0;
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
    else if (OPENS.has(opener)) this.branches.enter(this.skips(written) ? false : null);
    else if (opener === 'elif') this.branches.next(this.test(written, next));
    else if (opener === 'else') this.branches.next(true);
    else if (CLOSES.has(opener)) this.branches.leave();
  }

  private skips(loop: readonly Raw[]): boolean {
    return !this.lists.has('@') && isOverArguments(loop);
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
    else if (this.startsWritten(words)) return;
    else if (words.length > 0) {
      // With what `env` sets.
      const before = all.slice(0, all.length - words.length).map(({ raw }) => raw);
      this.start(words, [...body.slice(0, assigned), ...before]);
    }
  }

  /** `bash job.sh`, `sbatch job.sh`, `./job.sh` of a script that it has written. */
  private startsWritten(words: readonly Listed[]): boolean {
    if (this.scripts.size === 0) return false;
    const at = words.findIndex((word, i) => i > 0 && !text(word.raw).startsWith('-'));
    const start = STARTS_SCRIPT.test(text(words[0]?.raw)) ? at : 0;
    const word = words[start] && this.word(words[start]);
    return word ? this.startWritten(basename(word.text), words.slice(start + 1)) : false;
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
    const [head, option] = words.slice(0, 2).map(({ raw }) => raw.text.text);
    if (head === 'set' && option === '--') this.given(words.slice(2));
    else if (head === 'shift') this.given(this.lists.get('@')?.slice(shifted(words)));
    else if (!this.call(words)) this.command(words, before);
  }

  private command(words: readonly Listed[], before: readonly Raw[]): void {
    const own = visibleIn(before);
    const visible = own ? this.word({ raw: own, maybe: false }) : this.visible;
    const written = this.inCell(
      words.map(word => this.word(word)),
      words,
    );
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

  /** What a turn of a loop says is not changed where it is used. */
  private inCell(written: readonly Word[], words: readonly Listed[]): readonly Word[] {
    if (this.cell.size === 0) return written;
    const cell = { at: written[0]?.span.start ?? 0, variables: new Map(this.cell) };
    return written.map((word, i) => ({ ...word, cell, isFixed: text(words[i]?.raw).includes('$') }));
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
    const list = isText ? undefined : this.listed(several ?? plain ?? braced ?? '', raw);
    if (list === undefined || list.length > this.left) return [{ raw, maybe: false }];
    this.left -= list.length;
    if (raw.quoted) return list;
    return list.flatMap(one => (/\s/.test(one.raw.text.text) ? listed(one.raw.text, one.maybe) : [one]));
  }

  private listed(name: string, raw: Raw): readonly Listed[] | undefined {
    const list = this.lists.get(name) ?? this.otherwise(raw);
    return list?.[0]?.raw.isOutside === true ? list.map(one => placedAt(one, raw)) : list;
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
