import { EmbedError } from '../errors';
import { MANIFEST, readManifest } from '../output/manifest';
import type { Manifest } from '../output/manifest';
import { readShard, ShardFlaw } from '../output/reading';
import type { Vectors } from '../output/reading';
import { rangeOf } from './windows';

interface Expected {
  readonly rows?: number | undefined;
  readonly dimensions?: number | undefined;
}

interface Verified {
  readonly rows: number;
  readonly dimensions: number | null;
  readonly files: number;
  /** Lengths of the shortest and longest vector; null if there are none. */
  readonly norms: { readonly least: number; readonly most: number } | null;
  /** Ids that occur more than once; null if there are no ids, or too many to check. */
  readonly repeatedIds: number | null;
  /** One sentence per flaw. */
  readonly flaws: readonly string[];
}

/** The tolerance of a length of 1: single precision, and rounding by other programs. */
const NORM_TOLERANCE = 1e-3;
/** More ids are not checked for duplicates, because each takes about a hundred bytes of memory. */
const MOST_IDS = 5_000_000;

/**
 * Reads everything in an output's manifest and checks count, shape, checksums, ids, finite values and unit length.
 */
export async function verify(folder: string, expected: Expected): Promise<Verified> {
  const manifest = await readManifest(folder);
  if (manifest === null) {
    throw new EmbedError(
      'bad-output',
      `${folder}: there is no ${MANIFEST}; name a folder that headroom embed or merge wrote.`,
    );
  }
  const check = new Check(manifest);
  for (const shard of manifest.shards) {
    try {
      for await (const vectors of readShard(folder, manifest, shard)) check.take(vectors, shard.file);
    } catch (error) {
      if (!(error instanceof ShardFlaw)) throw error;
      check.flaws.push(error.message);
    }
  }
  return check.result(folder, expected);
}

class Check {
  readonly flaws: string[] = [];
  private readonly ids = new Set<string>();
  private repeated = 0;
  private least = Infinity;
  private most = 0;
  private notFinite = 0;
  private notUnit = 0;
  private rows = 0;

  constructor(private readonly manifest: Manifest) {}

  take({ values, rows, ids }: Vectors, file: string): void {
    const size = values.length / rows;
    const [badBefore, offBefore] = [this.notFinite, this.notUnit];
    for (let row = 0; row < rows; row++) this.norm(values.subarray(row * size, (row + 1) * size));
    if (badBefore === 0 && this.notFinite > 0) {
      this.flaws.push(`${file}: it holds vectors that are not finite.`);
    }
    if (offBefore === 0 && this.notUnit > 0) {
      this.flaws.push(`${file}: it holds vectors whose length is not 1.`);
    }
    this.rows += rows;
    if (ids && this.ids.size <= MOST_IDS) for (const id of ids) this.id(id);
  }

  result(folder: string, expected: Expected): Verified {
    const { shards, dimensions } = this.manifest;
    const isTooMany = this.ids.size > MOST_IDS;
    const hasIds = this.manifest.input.id !== null;
    return {
      rows: shards.reduce((sum, { rows }) => sum + rows, 0),
      dimensions,
      files: shards.length,
      norms: this.rows > 0 ? { least: this.least, most: this.most } : null,
      repeatedIds: hasIds && !isTooMany ? this.repeated : null,
      flaws: [...this.ofManifest(folder, expected), ...this.flaws],
    };
  }

  private norm(vector: Float32Array): void {
    let squares = 0;
    for (const value of vector) squares += value * value;
    const norm = Math.sqrt(squares);
    if (!Number.isFinite(norm)) {
      this.notFinite++;
      return;
    }
    this.least = Math.min(this.least, norm);
    this.most = Math.max(this.most, norm);
    if (this.manifest.model.normalize && Math.abs(norm - 1) > NORM_TOLERANCE) this.notUnit++;
  }

  private id(id: string): void {
    if (this.ids.has(id)) this.repeated++;
    else this.ids.add(id);
  }

  private ofManifest(folder: string, expected: Expected): string[] {
    const { state, rows, firstRow, shards } = this.manifest;
    const flaws: string[] = [];
    if (state !== 'complete') {
      flaws.push(`${folder}: incomplete; continue with headroom resume ${folder}.`);
    }
    let next = firstRow;
    for (const shard of shards) {
      if (shard.firstRow !== next) {
        flaws.push(`${shard.file}: it begins at row ${shard.firstRow}, and row ${next} comes next.`);
      }
      next = shard.firstRow + shard.rows;
    }
    const count = next - firstRow;
    if (state === 'complete' && rows !== count) {
      flaws.push(`${folder}: it has ${count} rows, and there were ${rows ?? 'unknown'} texts.`);
    }
    const { input, part } = this.manifest;
    const range = input.rows === null ? null : rangeOf(input.rows, part);
    if (state === 'complete' && range !== null && (range.first !== firstRow || range.rows !== count)) {
      flaws.push(
        `${folder}: it has ${count} rows from ${firstRow} on, and its texts are ${range.rows} from ${range.first} on.`,
      );
    }
    return [...flaws, ...this.unexpected(folder, count, expected)];
  }

  /** Differences from the shape that the caller expects. */
  private unexpected(folder: string, count: number, expected: Expected): string[] {
    const { dimensions } = this.manifest;
    const flaws: string[] = [];
    if (expected.rows !== undefined && expected.rows !== count) {
      flaws.push(`${folder}: it has ${count} rows, not ${expected.rows}.`);
    }
    if (expected.dimensions !== undefined && expected.dimensions !== dimensions) {
      flaws.push(
        `${folder}: its vectors have ${dimensions ?? 'unknown'} components, not ${expected.dimensions}.`,
      );
    }
    return flaws;
  }
}
