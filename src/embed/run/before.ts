import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { EmbedError } from '../errors';
import type { Row } from '../input/rows';
import type { ShardRecord } from '../output/manifest';
import { addTexts } from '../output/shard';

/** Checks that new stdin starts with the texts that are already embedded. */
export class TextsBefore {
  private hash: Hash = createHash('sha256');
  private seen = 0;

  constructor(
    private readonly shards: readonly ShardRecord[],
    private readonly name: string,
  ) {}

  /** Checks rows of the complete shard that starts at `firstRow`, in order; throws if they differ from before. */
  pass(firstRow: number, rows: readonly Row[]): void {
    const shard = this.shards.find(each => each.firstRow === firstRow);
    addTexts(this.hash, rows);
    this.seen += rows.length;
    if (!shard || this.seen < shard.rows) return;
    if (this.hash.digest('hex') !== shard.textsSha256) {
      throw new EmbedError(
        'changed',
        `${this.name}: other texts came than before (rows from ${shard.firstRow} on); pipe the same in, or begin anew.`,
      );
    }
    this.hash = createHash('sha256');
    this.seen = 0;
  }
}
