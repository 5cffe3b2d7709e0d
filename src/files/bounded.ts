import { constants } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';

/** Why a file was not read: it is no regular file, or larger than it may be. */
type NotRead = NotRegular | 'too-large';

export type NotRegular = 'directory' | 'special';

/** The system's own views of itself: regular files by their looks, without a size and some without an end. */
const VIRTUAL = /^\/(?:proc|sys|dev)(?:\/|$)/;
const CHUNK = 256 * 1024;

/**
 * The bytes of a regular file, as many as may be at most, counted while they are read: `stat` can say 0 of a file without an end.
 * Nothing here waits for a pipe or a device. Rejects as `open` does.
 */
export async function boundedRead(
  file: string,
  mostBytes: number,
): Promise<Uint8Array | { readonly why: NotRead }> {
  const opened = await openRegular(file);
  if ('why' in opened) return opened;
  const { handle } = opened;
  try {
    const { size } = await handle.stat();
    return size > mostBytes ? { why: 'too-large' } : await allOf(handle, size, mostBytes);
  } finally {
    await handle.close();
  }
}

/** The text of a regular file of so many bytes at most; null where there is none. */
export async function boundedText(file: string, mostBytes: number): Promise<string | null> {
  const read = await boundedRead(file, mostBytes).catch(() => null);
  return read === null || 'why' in read ? null : Buffer.from(read).toString('utf8');
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

/** A regular file, opened for reading; whoever asks closes it. */
export async function openRegular(
  file: string,
): Promise<{ readonly handle: FileHandle } | { readonly why: NotRegular }> {
  if (VIRTUAL.test(await realpath(file))) return { why: 'special' };
  // Without O_NONBLOCK a pipe that nobody writes to would hold this call for ever.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  const found = await handle.stat();
  if (found.isFile()) return { handle };
  await handle.close();
  return { why: found.isDirectory() ? 'directory' : 'special' };
}

async function allOf(
  handle: FileHandle,
  size: number,
  mostBytes: number,
): Promise<Uint8Array | { readonly why: NotRead }> {
  const chunks: Uint8Array[] = [];
  for (let total = 0; ;) {
    const chunk = new Uint8Array(Math.min(mostBytes + 1 - total, Math.max(size + 1 - total, CHUNK)));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) break;
    chunks.push(chunk.subarray(0, bytesRead));
    total += bytesRead;
    if (total > mostBytes) return { why: 'too-large' };
  }
  const [only] = chunks;
  return chunks.length === 1 && only ? only : Buffer.concat(chunks);
}
