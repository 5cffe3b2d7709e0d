import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbedError } from '../errors';
import { MANIFEST, modelDifference, readManifest } from '../output/manifest';
import type { Manifest } from '../output/manifest';

/** A complete part of an embedding. */
export interface FoundPart {
  readonly folder: string;
  readonly manifest: Manifest;
}

/** The parts in folders, or in their subfolders, in the order of their rows. Together they must be complete. */
export async function partsIn(folders: readonly string[]): Promise<readonly FoundPart[]> {
  const parts: FoundPart[] = [];
  for (const folder of folders) parts.push(...(await partsBelow(folder)));
  parts.sort((one, other) => one.manifest.firstRow - other.manifest.firstRow);
  const [first] = parts;
  if (!first) {
    throw new EmbedError('bad-output', 'Nothing to merge; give the folders of the parts.');
  }
  for (const part of parts) checkSameRun(first, part);
  checkRows(parts, first);
  return parts;
}

async function partsBelow(folder: string): Promise<readonly FoundPart[]> {
  const manifest = await readManifest(folder);
  if (manifest) return [{ folder, manifest }];
  const names = await readdir(folder).catch(() => {
    throw new EmbedError('bad-output', `${folder}: no such folder. Check the path.`);
  });
  const found: FoundPart[] = [];
  for (const name of names.sort()) {
    const inside = await readManifest(join(folder, name));
    if (inside) found.push({ folder: join(folder, name), manifest: inside });
  }
  if (found.length > 0) return found;
  throw new EmbedError(
    'bad-output',
    `${folder}: neither it nor a folder in it has a ${MANIFEST}; name what headroom embed wrote.`,
  );
}

function checkSameRun(first: FoundPart, { folder, manifest }: FoundPart): void {
  const fail = (what: string): never => {
    throw new EmbedError('changed', `${folder}: ${what}.`);
  };
  if (manifest.state !== 'complete') fail(`incomplete; continue with headroom resume ${folder}`);
  const difference = modelDifference(first.manifest.model, manifest.model);
  if (difference !== null) fail(`it has ${difference} than ${first.folder}; embed it again with the same`);
  if (manifest.input.sha256 !== first.manifest.input.sha256) {
    fail(`it comes from another input than ${first.folder}`);
  }
  if (manifest.dimensions !== first.manifest.dimensions) {
    fail(`its vectors have another length than those of ${first.folder}`);
  }
  if ((manifest.input.id === null) !== (first.manifest.input.id === null)) {
    fail(`one has ids and the other not: ${first.folder}`);
  }
}

function checkRows(parts: readonly FoundPart[], first: FoundPart): void {
  let next = 0;
  for (const { folder, manifest } of parts) {
    if (manifest.firstRow > next) throw missing(next, manifest.firstRow);
    if (manifest.firstRow < next) {
      throw new EmbedError(
        'bad-output',
        `${folder}: its rows from ${manifest.firstRow} on are in another folder, too; name each part once.`,
      );
    }
    next += manifest.rows ?? 0;
  }
  const total = first.manifest.input.rows;
  if (total !== null && next < total) throw missing(next, total);
}

const missing = (from: number, to: number): EmbedError =>
  new EmbedError('bad-output', `Rows ${from} to ${to - 1} are missing; name the folder of that part, too.`);
