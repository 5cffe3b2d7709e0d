import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { factsIn, pastRuns } from '../core/history/collect';
import type { PastRun } from '../core/history/collect';
import type { LogFacts, LogFiles } from '../core/history/logs';
import { boundedRead, boundedText } from '../files/bounded';

const MIB = 2 ** 20;

/** What is read at most; bytes of one file of text, of one binary log, and of all files together. */
const MOST = {
  folders: 20_000,
  depth: 12,
  textBytes: 16 * MIB,
  binaryBytes: 64 * MIB,
  allBytes: 2048 * MIB,
};

/** Folders that hold no logs of runs. */
const SKIPPED = new Set([
  '.git',
  '.hg',
  '.venv',
  'venv',
  'node_modules',
  'site-packages',
  '__pycache__',
  '.headroom',
  '.trash',
]);

/** The runs whose logs are in a folder or below, and whether everything was looked at. */
interface FoundRuns {
  readonly runs: readonly PastRun[];
  /** False: there were more folders or bytes than are read. */
  readonly isWhole: boolean;
}

/** Reads the logs in a folder and below. Links are not followed; only regular files are read. */
export async function runsIn(top: string): Promise<FoundRuns> {
  const files = new NodeLogFiles(top);
  const facts: LogFacts[] = [];
  const waiting: { readonly path: string; readonly depth: number }[] = [{ path: '.', depth: 0 }];
  let isWhole = true;
  for (let seen = 0; waiting.length > 0; seen++) {
    const next = waiting.shift();
    if (!next || seen >= MOST.folders) {
      isWhole = false;
      break;
    }
    const { names, folders } = entriesOf(join(top, next.path));
    facts.push(...(await factsIn({ path: next.path, names }, files)));
    const inside = folders.filter(name => !SKIPPED.has(name));
    if (next.depth < MOST.depth) {
      waiting.push(
        ...inside.map(name => ({
          path: next.path === '.' ? name : `${next.path}/${name}`,
          depth: next.depth + 1,
        })),
      );
    } else isWhole &&= inside.length === 0;
  }
  const runs = pastRuns(facts).map(run => ({ ...run, atMs: run.atMs ?? changedMs(join(top, run.run)) }));
  return { runs, isWhole: isWhole && files.isWhole };
}

/** When a log was last written, for those that state no time; null: gone. `#` separates the job in a table of jobs. */
function changedMs(path: string): number | null {
  try {
    return Math.round(lstatSync(path.split('#')[0] ?? path).mtimeMs);
  } catch {
    return null;
  }
}

/** Names in a folder, links left out, and those of its folders. */
function entriesOf(folder: string): {
  readonly names: readonly string[];
  readonly folders: readonly string[];
} {
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).filter(one => !one.isSymbolicLink());
    return {
      names: entries.map(({ name }) => name).sort(),
      folders: entries
        .filter(one => one.isDirectory())
        .map(({ name }) => name)
        .sort(),
    };
  } catch {
    return { names: [], folders: [] };
  }
}

class NodeLogFiles implements LogFiles {
  private left = MOST.allBytes;
  isWhole = true;

  constructor(private readonly top: string) {}

  async text(path: string): Promise<string | null> {
    const file = this.allowed(path);
    const text = file === null ? null : await boundedText(file, Math.min(this.left, MOST.textBytes));
    this.left -= text?.length ?? 0;
    return text;
  }

  async bytes(path: string): Promise<Uint8Array | null> {
    const file = this.allowed(path);
    if (file === null) return null;
    const read = await boundedRead(file, Math.min(this.left, MOST.binaryBytes)).catch(() => null);
    if (read === null || 'why' in read) return null;
    this.left -= read.length;
    return read;
  }

  names(folder: string): Promise<readonly string[]> {
    return Promise.resolve(entriesOf(join(this.top, folder)).names);
  }

  /** The file's native path, if it may be read: a link could lead anywhere. */
  private allowed(path: string): string | null {
    if (this.left <= 0) {
      this.isWhole = false;
      return null;
    }
    const file = join(this.top, path);
    try {
      return lstatSync(file).isFile() ? file : null;
    } catch {
      return null;
    }
  }
}
