import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Embedding } from '../../../embed/chunk';
import { ownFolder, readJson, writeWhole } from '../../../jobs/files';
import type { Shard } from '../../../jobs/shards/schedule';

/** The state of a spread run, from which another start of the same command continues. */
export interface SpreadState {
  readonly schema: 'headroom-parts/1';
  readonly input: string;
  readonly words: readonly string[];
  /** The input's folder on each host. */
  readonly folders: Readonly<Record<string, string>>;
  readonly shards: readonly Shard[];
}

const FILE = 'parts.json';

/** Next to the output, which appears once it is complete. */
export const partsFolder = (out: string): string => `${out.replace(/(?<![\\/])[\\/]+$/, '')}.parts`;

export async function readState(out: string): Promise<SpreadState | null> {
  const value = (await readJson(join(partsFolder(out), FILE))) as Partial<SpreadState> | null;
  return value?.schema === 'headroom-parts/1' && Array.isArray(value.shards) ? (value as SpreadState) : null;
}

export async function writeState(out: string, state: SpreadState): Promise<void> {
  await ownFolder(partsFolder(out));
  await writeWhole(join(partsFolder(out), FILE), JSON.stringify(state, null, 2));
}

export const pathExists = (path: string): Promise<boolean> =>
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
