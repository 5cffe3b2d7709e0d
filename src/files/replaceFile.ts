import { open, rename, rm } from 'node:fs/promises';

let written = 0;

/** Replaces a file atomically, for concurrent readers and after a power cut: writes next to it, syncs, renames. */
export async function replaceFile(path: string, text: string, mode = 0o666): Promise<void> {
  const unfinished = `${path}.${process.pid}-${(written += 1)}.tmp`;
  try {
    const file = await open(unfinished, 'wx', mode);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw error;
  }
}
