import { readFileSync, statSync } from 'node:fs';

/** An error in a tool's arguments, in one sentence. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A tool's flags by the kind of their values. */
interface Flags {
  /** One or more words: `--records A B`, `--records=A`, `--records A --records B`. */
  readonly many?: readonly string[];
  readonly one?: readonly string[];
  readonly none?: readonly string[];
  /** Words without a flag are allowed. */
  readonly words?: boolean;
}

/** The arguments of a command line. */
export class Given {
  constructor(
    private readonly flags: ReadonlyMap<string, readonly string[]>,
    /** Words without a flag. */
    readonly words: readonly string[] = [],
  ) {}

  has(flag: string): boolean {
    return this.flags.has(flag);
  }

  all(flag: string): readonly string[] {
    return this.flags.get(flag) ?? [];
  }

  /** The last value wins. */
  one(flag: string): string | null {
    return this.all(flag).at(-1) ?? null;
  }

  /** Paths that are required and must exist. */
  paths(flag: string, what: 'file' | 'folder'): readonly string[] {
    const paths = this.all(flag);
    if (paths.length === 0) throw new UsageError(`--${flag} is missing: it takes a ${what}.`);
    for (const path of paths) requireThere(path, what);
    return paths;
  }
}

function requireThere(path: string, what: 'file' | 'folder'): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new UsageError(`${path} is not there: name a ${what} that exists.`);
  if (found.isDirectory() !== (what === 'folder')) throw new UsageError(`${path} is not a ${what}.`);
}

/** Assigns the words of a command line to their flags. */
class Sorter {
  readonly flags = new Map<string, string[]>();
  readonly alone: string[] = [];
  private open: string | null = null;

  constructor(private readonly known: Required<Flags>) {}

  take(word: string): void {
    const [, flag, value] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (flag === undefined) this.put(word);
    else this.begin(flag, value);
  }

  private begin(flag: string, value: string | undefined): void {
    const { many, one, none } = this.known;
    const all = [...many, ...one, ...none];
    if (!all.includes(flag)) throw new UsageError(`--${flag} is not known: ${listed(all)} are.`);
    if (!this.flags.has(flag)) this.flags.set(flag, []);
    if (none.includes(flag) && value !== undefined) throw new UsageError(`--${flag} takes nothing.`);
    this.open = none.includes(flag) ? null : flag;
    if (value !== undefined) this.put(value);
  }

  private put(word: string): void {
    if (this.open !== null) {
      this.flags.get(this.open)?.push(word);
      if (!this.known.many.includes(this.open)) this.open = null;
    } else if (this.known.words) this.alone.push(word);
    else throw new UsageError(`${word} belongs to no flag.`);
  }
}

/** The values of each flag on a command line. */
export function givenIn(argv: readonly string[], flags: Flags): Given {
  const sorter = new Sorter({ many: [], one: [], none: [], words: false, ...flags });
  for (const word of argv) sorter.take(word);
  const bare = [...(flags.many ?? []), ...(flags.one ?? [])];
  const empty = bare.find(flag => sorter.flags.get(flag)?.length === 0);
  if (empty !== undefined) throw new UsageError(`--${empty} has nothing after it.`);
  return new Given(sorter.flags, sorter.alone);
}

const listed = (flags: readonly string[]): string => flags.map(flag => `--${flag}`).join(', ');

export function textOf(path: string): string {
  requireThere(path, 'file');
  return readFileSync(path, 'utf8');
}

/** The values in a JSON Lines file. */
export function jsonLines(path: string): readonly unknown[] {
  return textOf(path)
    .split('\n')
    .flatMap((line, at) => (line.trim() === '' ? [] : [parsed(line, `${path}, line ${at + 1}`)]));
}

function parsed(line: string, place: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new UsageError(`${place} is not JSON: the file has to hold one object a line.`);
  }
}

/** Runs a tool: its exit code is that of `main`, or 3 with a sentence about wrong arguments. */
export async function runTool(flags: Flags, main: (given: Given) => number | Promise<number>): Promise<void> {
  try {
    process.exitCode = await main(givenIn(process.argv.slice(2), flags));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 3;
  }
}
