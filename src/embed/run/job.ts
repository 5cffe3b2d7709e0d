import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { batchesOf } from '../engine/batches';
import type { Batch, BatchLimits } from '../engine/batches';
import type { Budget } from '../engine/budget';
import type { Engine, PreparedTexts, TextSize } from '../engine/engine';
import { OutOfMemory } from '../engine/workers';
import { EmbedError } from '../errors';
import type { Input, Row } from '../input/rows';
import { writeManifest } from '../output/manifest';
import type { Manifest, ShardRecord } from '../output/manifest';
import { OpenShard, addTexts } from '../output/shard';
import type { BatchCounts } from '../output/shard';
import type { Meter } from './progress';
import { windowsOf } from './windows';
import type { Window } from './windows';
import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';

/** Checks that new stdin starts with the texts that are already embedded. */
class TextsBefore {
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

/** Iterates over `source` one value ahead, so that its work overlaps with the caller's. */
async function* ahead<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  let next = iterator.next();
  try {
    for (;;) {
      const result = await next;
      if (result.done) return;
      next = iterator.next();
      // Handled in the next iteration; it may fail before.
      next.catch(() => undefined);
      yield result.value;
    }
  } finally {
    await next.catch(() => undefined);
    await iterator.return?.();
  }
}

/** The limit for uncollected garbage: a run of hours must not need more memory than in its first minute. */
const MOST_BYTES = 16e6;

/**
 * V8 lets garbage grow while the machine has memory, which would double what a model of 90 MB needs in addition to itself.
 */
class Garbage {
  private readonly collect = collector();
  private left = 0;

  /** Takes a few milliseconds, or none if there is little garbage. */
  look(): void {
    if (used() < this.left + MOST_BYTES) return;
    this.collect();
    this.left = used();
  }
}

const used = (): number => getHeapStatistics().used_heap_size;

function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (() => void) | undefined;
  return () => collect?.();
}

interface JobParts {
  readonly folder: string;
  readonly input: Input;
  readonly engine: Engine;
  readonly meter: Meter;
  /** A text's weight for the remaining time. */
  readonly weigh: (text: string) => number;
  readonly signal: AbortSignal;
  readonly budget: Budget;
  readonly limits: BatchLimits;
}

/** Tokenized texts of a window, in batches. */
interface Prepared {
  readonly window: Window;
  readonly texts: PreparedTexts;
  readonly batches: readonly Batch[];
  /** Tokens per batch when the batches were made. */
  readonly budget: number;
}

/**
 * One run over an input, from its manifest's state. Reading and tokenizing run ahead of the model; vectors are
 * written as they arrive.
 */
export class Job {
  private readonly running = new Set<Promise<void>>();
  private readonly open = new Set<OpenShard>();
  private readonly sealed = new Set<OpenShard>();
  private finishing: Promise<void> = Promise.resolve();
  private failure: Error | null = null;
  private readonly garbage = new Garbage();

  constructor(
    private manifest: Manifest,
    private readonly parts: JobParts,
  ) {}

  /** The manifest at the end: complete, or running if it was asked to stop. */
  async run(): Promise<Manifest> {
    try {
      await this.work();
      await Promise.all(this.running);
      await this.finishing;
      this.check();
      if (!this.parts.signal.aborted) await this.complete();
      return this.manifest;
    } finally {
      await Promise.allSettled([...this.running, this.finishing]);
      for (const shard of this.open) await shard.pause().catch((error: unknown) => this.fail(error));
    }
  }

  private async work(): Promise<void> {
    for await (const { window, texts, batches, budget } of ahead(this.prepared())) {
      const before = this.parts.meter.read();
      for (const batch of batches) {
        await this.parts.engine.ready();
        if (this.failure !== null || this.parts.signal.aborted) return;
        this.dispatch(window, texts, batch);
        this.garbage.look();
      }
      const { tokens, elapsedS } = this.parts.meter.read();
      if (elapsedS > before.elapsedS) {
        this.parts.budget.rated(budget, (tokens - before.tokens) / (elapsedS - before.elapsedS));
      }
    }
  }

  private async *prepared(): AsyncGenerator<Prepared> {
    const { input, engine, limits } = this.parts;
    const before = input.isPiped ? new TextsBefore(this.manifest.shards, input.name) : null;
    const { firstRow: first, rows, rowsPerShard } = this.manifest;
    const windows = windowsOf({
      rows: from => input.from(from),
      range: { first, rows },
      rowsPerShard,
      shard: (index, firstRow, most) => this.shard(index, firstRow, most),
      sealed: shard => this.seal(shard),
      passed: before === null ? undefined : (row, some) => before.pass(row, some),
    });
    for await (const window of windows) {
      if (this.failure !== null || this.parts.signal.aborted) return;
      const texts = await engine.prepare(window.texts);
      const lengths = texts.sizes.map(({ length }) => length);
      const { tokens } = this.parts.budget;
      yield { window, texts, batches: batchesOf(lengths, tokens, limits), budget: tokens };
    }
  }

  private async shard(index: number, firstRow: number, rows: number): Promise<OpenShard | 'complete'> {
    if (this.manifest.shards.some(shard => shard.firstRow === firstRow)) return 'complete';
    const { format, input } = this.manifest;
    const hasIds = input.id !== null;
    const shard = await OpenShard.open({ folder: this.parts.folder, index, firstRow, rows, format, hasIds });
    this.open.add(shard);
    this.parts.meter.restore(shard.rowsDone);
    return shard;
  }

  private seal(shard: OpenShard): void {
    this.sealed.add(shard);
    this.finishIfWhole(shard);
  }

  private dispatch({ shard, places, texts: words }: Window, texts: PreparedTexts, batch: Batch): void {
    const rows = batch.places.map(place => places[place] ?? 0);
    const counts = countsOf(batch, texts.sizes);
    const weight = batch.places.reduce((sum, place) => sum + this.parts.weigh(words[place] ?? ''), 0);
    const promise = this.vectors(batch, texts)
      .then(vectors => {
        checkFinite(vectors, shard.firstRow, rows);
        return shard.write(rows, vectors, counts);
      })
      .then(() => {
        this.parts.meter.add(rows.length, counts.tokens, weight);
        this.finishIfWhole(shard);
      })
      .catch((error: unknown) => this.fail(error))
      .finally(() => this.running.delete(promise));
    this.running.add(promise);
  }

  /** Halves a batch until it fits; later batches are smaller. */
  private async vectors(batch: Batch, texts: PreparedTexts): Promise<Float32Array> {
    try {
      return await texts.vectors(batch);
    } catch (error) {
      if (!(error instanceof OutOfMemory)) throw error;
      const { places, width } = batch;
      if (places.length === 1) {
        throw new EmbedError(
          'engine',
          `A text of ${width} tokens does not fit into memory. Lower --max-tokens or --workers.`,
        );
      }
      this.parts.budget.outOfMemory(places.length * width);
      const half = Math.ceil(places.length / 2);
      const first = await this.vectors({ places: places.slice(0, half), width }, texts);
      const second = await this.vectors({ places: places.slice(half), width }, texts);
      const both = new Float32Array(first.length + second.length);
      both.set(first);
      both.set(second, first.length);
      return both;
    }
  }

  private finishIfWhole(shard: OpenShard): void {
    if (!this.sealed.has(shard) || !shard.isWhole || !this.open.delete(shard)) return;
    this.finishing = this.finishing
      .then(() => this.finish(shard))
      .catch((error: unknown) => this.fail(error));
  }

  /** One after the other, because the manifest lists them in order. */
  private async finish(shard: OpenShard): Promise<void> {
    if (shard.isEmpty) {
      await shard.pause();
      await shard.clean();
      return;
    }
    const record = await shard.finish();
    const shards = [...this.manifest.shards, record].sort((a, b) => a.firstRow - b.firstRow);
    const dimensions = shard.size;
    this.manifest = { ...this.manifest, dimensions, shards };
    await writeManifest(this.parts.folder, this.manifest);
    await shard.clean();
    this.parts.meter.addShard();
  }

  private async complete(): Promise<void> {
    const rows = this.manifest.shards.reduce((sum, shard) => sum + shard.rows, 0);
    if (this.manifest.rows !== null && rows !== this.manifest.rows) {
      throw new EmbedError(
        'changed',
        `${this.parts.input.name}: it changed during the run: ${this.manifest.rows} texts at the start, ${rows} at the end. Start again.`,
      );
    }
    if (rows === 0) throw new EmbedError('bad-input', `${this.parts.input.name}: contains no text.`);
    this.manifest = { ...this.manifest, state: 'complete', rows };
    await writeManifest(this.parts.folder, this.manifest);
  }

  private fail(error: unknown): void {
    this.failure ??= error instanceof Error ? error : new Error(String(error));
  }

  private check(): void {
    if (this.failure) throw this.failure;
  }
}

function countsOf({ places }: Batch, sizes: readonly TextSize[]): BatchCounts {
  const counts = { tokens: 0, empty: 0, cut: 0 };
  for (const place of places) {
    const text = sizes[place];
    counts.tokens += text?.length ?? 0;
    if (text?.isEmpty) counts.empty++;
    if (text?.isCut) counts.cut++;
  }
  return counts;
}

function checkFinite(vectors: Float32Array, firstRow: number, rows: readonly number[]): void {
  const at = vectors.findIndex(value => !Number.isFinite(value));
  if (at < 0) return;
  const row = firstRow + (rows[Math.floor(at / (vectors.length / rows.length))] ?? 0);
  throw new EmbedError(
    'engine',
    `Row ${row}: the model's vector is not finite. Use another precision of the model, or another device.`,
  );
}
