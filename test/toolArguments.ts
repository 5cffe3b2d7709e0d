import { readFileSync, statSync } from 'node:fs';

/** What somebody who runs a tool did wrong, in one sentence. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Flags of a tool by what they take. */
export interface Flags {
  /** One word or several: `--records A B`, `--records=A`, `--records A --records B`. */
  readonly many?: readonly string[];
  readonly one?: readonly string[];
  readonly none?: readonly string[];
}

/** What was given on a command line. */
export class Given {
  constructor(private readonly words: ReadonlyMap<string, readonly string[]>) {}

  has(flag: string): boolean {
    return this.words.has(flag);
  }

  all(flag: string): readonly string[] {
    return this.words.get(flag) ?? [];
  }

  /** The last one counts. */
  one(flag: string): string | null {
    return this.all(flag).at(-1) ?? null;
  }

  /** Paths that must be given, and be there. */
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

/** What stands after each flag on a command line. */
export function givenIn(argv: readonly string[], { many = [], one = [], none = [] }: Flags): Given {
  const known = [...many, ...one, ...none];
  const words = new Map<string, string[]>();
  let open: string | null = null;
  const put = (flag: string, word: string): void => {
    if (none.includes(flag)) throw new UsageError(`--${flag} takes nothing.`);
    words.get(flag)?.push(word);
    open = many.includes(flag) ? flag : null;
  };
  for (const word of argv) {
    const [, flag, value] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (flag === undefined && open === null) throw new UsageError(`${word} belongs to no flag.`);
    if (flag === undefined) put(open ?? '', word);
    else {
      if (!known.includes(flag)) throw new UsageError(`--${flag} is not known: ${listed(known)} are.`);
      if (!words.has(flag)) words.set(flag, []);
      open = none.includes(flag) ? null : flag;
      if (value !== undefined) put(flag, value);
    }
  }
  const empty = [...many, ...one].find(flag => words.get(flag)?.length === 0);
  if (empty !== undefined) throw new UsageError(`--${empty} has nothing after it.`);
  return new Given(words);
}

const listed = (flags: readonly string[]): string => flags.map(flag => `--${flag}`).join(', ');

export function textOf(path: string): string {
  requireThere(path, 'file');
  return readFileSync(path, 'utf8');
}

/** The values of a file of JSON lines. */
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

/** Runs a tool: its exit code is that of `main`, or 3 with a sentence for what the user did wrong. */
export async function runTool(flags: Flags, main: (given: Given) => number | Promise<number>): Promise<void> {
  try {
    process.exitCode = await main(givenIn(process.argv.slice(2), flags));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 3;
  }
}
