import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

/** Why a file was not read: it is no regular file, or larger than it may be. */
type NotRead = 'directory' | 'special' | 'too-large';

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

/** A regular file, opened for reading; whoever asks closes it. */
export async function openRegular(
  file: string,
): Promise<{ readonly handle: FileHandle } | { readonly why: Exclude<NotRead, 'too-large'> }> {
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
