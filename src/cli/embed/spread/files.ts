import { stat } from 'node:fs/promises';
import type { Embedding } from '../../../embed/chunk';

export const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

export async function isWhole(embedding: Embedding, folder: string): Promise<boolean> {
  const manifest = await embedding.readManifest(folder).catch(() => null);
  return manifest?.state === 'complete';
}

export async function checkWhole(embedding: Embedding, folder: string, why: string): Promise<void> {
  if (!(await isWhole(embedding, folder))) throw new Error(why);
}
