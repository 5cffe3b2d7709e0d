import { mkdir, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readRecords, recordLine } from '../core/lengths/readRecords';
import type { CountedFile, LengthRecord } from '../core/lengths/record';
import type { Files } from '../core/text/files';
import type { LengthFiles, LengthLookup } from '../core/learn/lookups';
import { dirname, join, LENGTHS } from '../core/text/paths';
import { textToChange } from '../files/bounded';
import { replaceFile } from '../files/replaceFile';
import { NearbyFiles } from './nearbyFiles';

/** The records in `lengths.jsonl` files near a config. */
export class CountedLengths implements LengthFiles {
  private readonly kept: NearbyFiles<readonly LengthRecord[]>;

  constructor(files: Files) {
    this.kept = new NearbyFiles(LENGTHS, path => recordsIn(files, path));
  }

  async near(file: string): Promise<LengthLookup> {
    const { paths, contents } = await this.kept.near(file);
    const records = contents.flat().toSorted((a, b) => (a.at < b.at ? -1 : 1));
    const counted = await Promise.all(
      records.map(async record => ({ record, isStale: !(await isAsCounted(record)) })),
    );
    return { counted, dependencies: paths };
  }

  forget(): void {
    this.kept.forget();
  }
}

/** The records in one `lengths.jsonl`, with the paths of their data as seen from the file's workspace folder. */
export async function recordsIn(files: Files, path: string): Promise<readonly LengthRecord[]> {
  const answer = await files.read(path);
  if (!('text' in answer)) return [];
  // The workspace folder: paths inside it are relative to it.
  const top = dirname(dirname(path));
  const here = (file: CountedFile): CountedFile => ({ ...file, path: join(top, file.path) });
  return readRecords(answer.text).map(record => ({ ...record, files: record.files.map(here) }));
}

/** Data that are not on this machine are assumed unchanged. */
async function isAsCounted({ files }: LengthRecord): Promise<boolean> {
  const same = await Promise.all(
    files.map(async ({ path, bytes, modifiedMs }) => {
      const now = await stat(path).catch(() => null);
      return now === null || (now.size === bytes && Math.round(now.mtimeMs) === modifiedMs);
    }),
  );
  return same.every(Boolean);
}

/** Replaces the earlier record of the same data atomically. */
export async function keepLengths(file: string, record: LengthRecord): Promise<void> {
  const text = await textToChange(file);
  const others = readRecords(text).filter(({ key }) => key !== record.key);
  await mkdir(resolve(file, '..'), { recursive: true });
  await replaceFile(file, [...others, record].map(recordLine).join(''));
}
