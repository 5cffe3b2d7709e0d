import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';

/** Why a file was not read: it is no regular file, or larger than it may be. */
type NotRead = NotRegular | 'too-large';

export type NotRegular = 'directory' | 'special';

/** The most bytes of a text that is read whole: four for each of the characters that `src/core/yaml` reads at most. */
export const MOST_TEXT_BYTES = 16 * 1024 * 1024;

/** The system's own views of itself: regular files by their looks, without a size and some without an end. Not a folder of memory. */
const VIRTUAL = /^\/(?:proc|sys|dev(?!\/shm\/))(?:\/|$)/;
const CHUNK = 256 * 1024;

/**
 * The bytes of a regular file, as many as may be at most, counted while they are read: `stat` can say 0 of a file without an end.
 * Nothing here waits for a pipe or a device. Throws as `openSync` does. Synchronous: a command has nothing else to do, and five
 * answers from the thread pool for each small file take a tenth of a check.
 */
export function boundedReadSync(file: string, mostBytes: number): Uint8Array | { readonly why: NotRead } {
  return withRegularSync(file, (handle, size) =>
    size > mostBytes ? { why: 'too-large' } : allOf(handle, size, mostBytes),
  );
}

/** The same for callers that await; rejects as `open` does. */
export const boundedRead = (
  file: string,
  mostBytes: number,
): Promise<Uint8Array | { readonly why: NotRead }> =>
  new Promise(resolve => {
    resolve(boundedReadSync(file, mostBytes));
  });

/** The text of a regular file of at most this many bytes; null if there is none. */
export async function boundedText(file: string, mostBytes = MOST_TEXT_BYTES): Promise<string | null> {
  const read = await boundedRead(file, mostBytes).catch(() => null);
  return read === null || 'why' in read ? null : Buffer.from(read).toString('utf8');
}

/** The text of a file that is about to be replaced: '' if there is none. Rejects where what is there cannot be read whole. */
export async function textToChange(file: string): Promise<string> {
  const read = await boundedRead(file, MOST_TEXT_BYTES).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Uint8Array();
    throw error;
  });
  if (!('why' in read)) return Buffer.from(read).toString('utf8');
  throw new Error(`${file} is ${read.why === 'too-large' ? 'too large' : 'not a regular file'}.`);
}

/** Opens a regular file for reading, and closes it again. */
export function withRegularSync<T>(
  file: string,
  use: (handle: number, size: number) => T,
): T | { readonly why: NotRegular } {
  if (VIRTUAL.test(realpathSync.native(file))) return { why: 'special' };
  // Without O_NONBLOCK, a pipe without a writer would block this call forever.
  const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(handle);
    if (found.isFile()) return use(handle, found.size);
    return { why: found.isDirectory() ? 'directory' : 'special' };
  } finally {
    closeSync(handle);
  }
}

/** Why something is no regular file; null: it is one. Rejects as `stat` does. For programs that open a path themselves. */
export async function whyNotRegular(file: string): Promise<NotRegular | null> {
  if (VIRTUAL.test(await realpath(file))) return 'special';
  const found = await stat(file);
  if (found.isFile()) return null;
  return found.isDirectory() ? 'directory' : 'special';
}

/** The bytes of a regular file, one piece after the other; `why` where it is none. Rejects as `open` does. */
export async function regularStream(
  file: string,
  pieceBytes: number,
): Promise<Readable | { readonly why: NotRegular }> {
  const opened = await openRegular(file);
  return 'why' in opened ? opened : opened.handle.createReadStream({ highWaterMark: pieceBytes });
}

/** A regular file, opened for reading; the caller closes it. */
export async function openRegular(
  file: string,
): Promise<{ readonly handle: FileHandle } | { readonly why: NotRegular }> {
  if (VIRTUAL.test(await realpath(file))) return { why: 'special' };
  // Without O_NONBLOCK, a pipe without a writer would block this call forever.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  const found = await handle.stat();
  if (found.isFile()) return { handle };
  await handle.close();
  return { why: found.isDirectory() ? 'directory' : 'special' };
}

function allOf(handle: number, size: number, mostBytes: number): Uint8Array | { readonly why: NotRead } {
  // One byte more than the file has shows its end without another buffer.
  let bytes = new Uint8Array(Math.min(mostBytes, size > 0 ? size : CHUNK) + 1);
  for (let total = 0; ;) {
    const count = readSync(handle, bytes, total, bytes.length - total, null);
    if (count === 0) return bytes.subarray(0, total);
    total += count;
    if (total > mostBytes) return { why: 'too-large' };
    if (total === bytes.length) bytes = longer(bytes, Math.min(mostBytes + 1, total + CHUNK));
  }
}

function longer(bytes: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(length);
  copy.set(bytes);
  return copy;
}
