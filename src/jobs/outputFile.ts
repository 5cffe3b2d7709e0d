import { open } from 'node:fs/promises';
import type { OutputPiece } from './engine';

const PIECE_BYTES = 256 * 1024;

/** What is in a file from a byte on, as far as one piece goes; nothing where there is no file yet. */
export async function readPiece(path: string, offset: number): Promise<OutputPiece> {
  const file = await open(path).catch(() => null);
  if (!file) return { offset, bytes: new Uint8Array() };
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(PIECE_BYTES), 0, PIECE_BYTES, offset);
    return { offset, bytes: buffer.subarray(0, bytesRead) };
  } finally {
    await file.close();
  }
}
