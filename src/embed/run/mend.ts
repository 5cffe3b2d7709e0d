import { join } from 'node:path';
import type { Survey } from '../input/rows';
import type { Manifest, ShardRecord } from '../output/manifest';
import { readShard, ShardFlaw } from '../output/reading';
import { rangeOf } from './windows';

/** What an earlier run left, without what is damaged: that is embedded again. */
interface Repaired {
  readonly manifest: Manifest;
  /** A sentence for each file that does not count any more. */
  readonly damaged: readonly string[];
}

/** Reads all files that a manifest names, as `verify` does, and leaves out those that are not what it says. */
export async function repaired(folder: string, manifest: Manifest, { rows }: Survey): Promise<Repaired> {
  const range = rows === null ? { first: manifest.firstRow, rows: null } : rangeOf(rows, manifest.part);
  const shards: ShardRecord[] = [];
  const damaged: string[] = [];
  for (const shard of manifest.shards) {
    const flaw = placeFlaw(folder, shard, { range, before: shards, rowsPerShard: manifest.rowsPerShard });
    const found = flaw ?? (await contentFlaw(folder, manifest, shard));
    if (found === null) shards.push(shard);
    else damaged.push(found);
  }
  const isLess = damaged.length > 0 || rowsOf(shards) !== (range.rows ?? manifest.rows);
  if (manifest.state === 'complete' && !isLess) return { manifest, damaged };
  return {
    // How much is piped in is known when it has ended, once more.
    manifest: { ...manifest, state: 'running', firstRow: range.first, rows: range.rows, shards },
    damaged,
  };
}

const rowsOf = (shards: readonly ShardRecord[]): number => shards.reduce((sum, { rows }) => sum + rows, 0);

interface Places {
  readonly range: { readonly first: number; readonly rows: number | null };
  readonly before: readonly ShardRecord[];
  readonly rowsPerShard: number;
}

/** Each shard begins where one has to, once, and has as many rows as there are. */
function placeFlaw(
  folder: string,
  { file, firstRow, rows }: ShardRecord,
  { range, before, rowsPerShard }: Places,
): string | null {
  const at = firstRow - range.first;
  const left = range.rows === null ? rowsPerShard : Math.min(rowsPerShard, range.rows - at);
  const isInPlace = at >= 0 && at % rowsPerShard === 0 && !before.some(shard => shard.firstRow === firstRow);
  const hasAll = range.rows === null ? rows > 0 && rows <= left : rows === left;
  return isInPlace && hasAll ? null : `${join(folder, file)}: its rows are others than there have to be.`;
}

async function contentFlaw(folder: string, manifest: Manifest, shard: ShardRecord): Promise<string | null> {
  try {
    const vectors = readShard(folder, manifest, shard);
    // What matters is that they can be read to the end.
    let step = await vectors.next();
    while (!step.done) step = await vectors.next();
    return null;
  } catch (error) {
    if (error instanceof ShardFlaw) return error.message;
    throw error;
  }
}
