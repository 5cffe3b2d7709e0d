import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';

/** Why a file was not read: it is no regular file, or larger than it may be. */
type NotRead = 'directory' | 'special' | 'too-large';

/** The system's own views of itself: regular files by their looks, without a size and some without an end. */
const VIRTUAL = /^\/(?:proc|sys|dev)(?:\/|$)/;
const CHUNK = 256 * 1024;

/**
 * The bytes of a regular file, as many as may be at most, counted while they are read: `stat` can say 0 of a file without an end.
 * Nothing here waits for a pipe or a device. Throws as `openSync` does. Synchronous: a command has nothing else to do, and five
 * answers from the thread pool for each small file take a tenth of a check.
 */
export function boundedRead(file: string, mostBytes: number): Uint8Array | { readonly why: NotRead } {
  return withRegular(file, (handle, size) =>
    size > mostBytes ? { why: 'too-large' } : allOf(handle, size, mostBytes),
  );
}

/** Opens a regular file for reading, and closes it again. */
export function withRegular<T>(
  file: string,
  use: (handle: number, size: number) => T,
): T | { readonly why: Exclude<NotRead, 'too-large'> } {
  if (VIRTUAL.test(realpathSync.native(file))) return { why: 'special' };
  // Without O_NONBLOCK a pipe that nobody writes to would hold this call for ever.
  const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(handle);
    if (found.isFile()) return use(handle, found.size);
    return { why: found.isDirectory() ? 'directory' : 'special' };
  } finally {
    closeSync(handle);
  }
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
