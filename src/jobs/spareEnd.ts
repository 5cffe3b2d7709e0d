import { lstat, mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { writeWhole } from './files';
import { isJobId } from './id';
import { readExitFile } from './processFile';
import type { ExitFile } from './processFile';

/** Where ends are kept that the state folder did not take: on another disk, as a rule. */
const folder = (): string => join(tmpdir(), `headroom-ends-${process.getuid?.() ?? 'own'}`);

const pathOf = (id: string): string => join(folder(), `${isJobId(id) ? id : 'none'}.json`);

/** Everyone may make folders there: one that someone else made, or may write to, says nothing about our jobs. */
async function isOurs(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  if (!found?.isDirectory()) return false;
  return process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0);
}

/** Keeps a job's end where its state cannot take it; false where that cannot be done either. */
export async function keepSpareEnd(id: string, text: string): Promise<boolean> {
  const path = pathOf(id);
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    if (!(await isOurs(dirname(path)))) return false;
    await writeWhole(path, text);
    return true;
  } catch {
    return false;
  }
}

export async function readSpareEnd(id: string): Promise<ExitFile | null> {
  const path = pathOf(id);
  return (await isOurs(dirname(path))) ? readExitFile(path) : null;
}

/** The state has it by now. */
export async function dropSpareEnd(id: string): Promise<void> {
  await rm(pathOf(id), { force: true }).catch(() => undefined);
}
