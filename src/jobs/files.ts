import { access, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parsedJson } from '../core/text/json';
import { boundedText, openRegular } from '../files/bounded';
import { replaceFile } from '../files/replaceFile';
import { JobError } from './engine';
import type { OutputPiece } from './engine';

/** A failed file operation as an error for the user: where, and what to do. */
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

/** Replaces a file of the user's own. */
export const writeWhole = (path: string, text: string): Promise<void> =>
  replaceFile(path, text, 0o600).catch((error: unknown) => {
    throw diskError(path, error);
  });

/** A full disk will be freed at some point, and facts that cannot be recovered are worth waiting for. */
const RETRY_MS = 1000;
const PATIENCE_MS = 30 * 60_000;

/** The same, retried while the disk is full; stops if the folder was removed. */
export async function writeWholeAtLast(path: string, text: string): Promise<void> {
  const endMs = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      await writeWhole(path, text);
      return;
    } catch (error) {
      if (!(await pathExists(dirname(path))) || Date.now() > endMs) throw error;
    }
    await pause(RETRY_MS);
  }
}

/** A folder above may appear between two calls, made by another process; a file system that always refuses ends after these. */
const FOLDER_TRIES = 3;

/** Makes a folder and its parents. Node's own `recursive` never ends on a file system that denies what exists (/proc). */
async function makeFolder(path: string, triesLeft = FOLDER_TRIES): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const above = dirname(path);
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT' || above === path || triesLeft === 0) throw error;
    if (!(await pathExists(above))) await makeFolder(above);
    await makeFolder(path, triesLeft - 1);
  }
}

const pathExists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Creates a folder that only the user can access. */
export async function ownFolder(path: string): Promise<void> {
  try {
    await makeFolder(path);
  } catch (error) {
    throw diskError(path, error);
  }
}

/** The value in a JSON file; null if it is missing or incomplete. */
export async function readJson(path: string): Promise<unknown> {
  return parsedJson((await boundedText(path)) ?? '');
}

const PIECE_BYTES = 256 * 1024;

/** A file's content from a byte on, up to one piece; empty if the file does not exist yet. */
export async function readPiece(path: string, offset: number): Promise<OutputPiece> {
  const opened = await openRegular(path).catch(() => null);
  if (opened === null || 'why' in opened) return { offset, bytes: new Uint8Array() };
  const file = opened.handle;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(PIECE_BYTES), 0, PIECE_BYTES, offset);
    return { offset, bytes: buffer.subarray(0, bytesRead) };
  } finally {
    await file.close();
  }
}
