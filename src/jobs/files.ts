import { access, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { JobError } from './engine';

/** What a failed file operation means for people: where, and what to do. */
export function diskError(path: string, error: unknown): JobError {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const where = dirname(path);
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new JobError('disk', `No disk space left for ${where}. Free some space and try again.`, message);
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    const todo = 'change its permissions, or set another folder in HEADROOM_STATE';
    return new JobError('disk', `${where} is not writable: ${todo}.`, message);
  }
  return new JobError('disk', `${path} is not writable (${code || message}).`, message);
}

let written = 0;

/** Writes a file whole or not at all, for whoever reads it meanwhile and after a power cut. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const unfinished = `${path}.${process.pid}-${(written += 1)}`;
  try {
    const file = await open(unfinished, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw diskError(path, error);
  }
}

/** A full disk is emptied by somebody sooner or later; what cannot be known again is worth waiting for. */
const RETRY_MS = 1000;
const PATIENCE_MS = 30 * 60_000;

/** The same, again and again while the disk does not take it; not where the folder has been taken away. */
export async function writeWholeAtLast(path: string, text: string): Promise<void> {
  const endMs = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      await writeWhole(path, text);
      return;
    } catch (error) {
      const isThere = await access(dirname(path)).then(
        () => true,
        () => false,
      );
      if (!isThere || Date.now() > endMs) throw error;
    }
    await pause(RETRY_MS);
  }
}

/** A folder of the user's own. */
export async function ownFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw diskError(path, error);
  }
}

/** The value in a JSON file; null where there is none, or none that is whole. */
export async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as unknown;
  } catch {
    return null;
  }
}
