import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { lengthFiles } from '../core/lengths/folders';
import { readRecords, recordLine } from '../core/lengths/readRecords';
import type { CountedFile, LengthRecord } from '../core/lengths/record';
import type { Files } from '../core/text/files';
import type { LengthFiles, LengthLookup } from '../core/learn/ports';
import { dirname as folderOf, join } from '../core/text/paths';

/** What `lengths.jsonl` beside a config and above it say; each file is read once until it is forgotten. */
export class CountedLengths implements LengthFiles {
  private readonly read = new Map<string, Promise<readonly LengthRecord[]>>();

  constructor(private readonly files: Files) {}

  async near(file: string): Promise<LengthLookup> {
    const paths = lengthFiles(file);
    const all = await Promise.all(paths.map(path => this.in(path)));
    const records = all.flat().toSorted((a, b) => (a.at < b.at ? -1 : 1));
    const counted = await Promise.all(
      records.map(async record => ({ record, isStale: !(await isAsCounted(record)) })),
    );
    return { counted, dependencies: paths };
  }

  forget(): void {
    this.read.clear();
  }

  private in(path: string): Promise<readonly LengthRecord[]> {
    const found = this.read.get(path) ?? this.from(path);
    this.read.set(path, found);
    return found;
  }

  private async from(path: string): Promise<readonly LengthRecord[]> {
    const answer = await this.files.read(path);
    if (!('text' in answer)) return [];
    // The folder of the workspace: what lies in it is named from there.
    const top = folderOf(folderOf(path));
    const here = (file: CountedFile): CountedFile => ({ ...file, path: join(top, file.path) });
    return readRecords(answer.text).map(record => ({ ...record, files: record.files.map(here) }));
  }
}

/** Data that are not on this machine are taken to be what they were. */
async function isAsCounted({ files }: LengthRecord): Promise<boolean> {
  const same = await Promise.all(
    files.map(async ({ path, bytes, modifiedMs }) => {
      const now = await stat(path).catch(() => null);
      return now === null || (now.size === bytes && Math.round(now.mtimeMs) === modifiedMs);
    }),
  );
  return same.every(Boolean);
}

/** Puts a record in the place of what was counted of the same data before, whole and at once. */
export async function keepLengths(file: string, record: LengthRecord): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const others = readRecords(text).filter(({ key }) => key !== record.key);
  await mkdir(dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}`;
  const handle = await open(temporary, 'w');
  try {
    await handle.writeFile([...others, record].map(recordLine).join(''));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file).catch(async (error: unknown) => {
    await rm(temporary, { force: true });
    throw error;
  });
}
