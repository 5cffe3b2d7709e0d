import { stat } from 'node:fs/promises';
import type { DatasetRef } from '../core/spec/dataset';
import { datasetName } from '../core/spec/dataset';
import { LengthCounts } from '../core/lengths/counts';
import type { CountedFile, LengthRecord } from '../core/lengths/record';
import { EmbedError } from '../embed/errors';
import { findData } from './files';
import type { DataPlaces } from './files';
import { Longest } from './longest';
import { recordsIn } from './rows';
import { RowTexts } from './rowTexts';
import type { RowText } from './rowTexts';
import { isTaken, shareFor } from './sample';
import type { SampleOptions } from './sample';
import type { Renderer } from './templates';
import type { Counter } from './tokens';
import type { Signal } from '../core/signal';

/** The data to count, and how much of it. */
interface CountOrder extends SampleOptions {
  readonly datasets: readonly DatasetRef[];
  readonly places: DataPlaces;
  /** Null: bytes are counted. */
  readonly counter: Counter | null;
  /** The tokenizer's own chat template; null: it has none, or nothing is tokenized. */
  readonly renderer: Renderer | null;
  /** The maximum number of bytes to read. */
  readonly mostBytes: number;
}

interface CountWatch {
  readonly signal: Signal;
  /** Called occasionally: `share` is the progress, 0–1. */
  progress(done: { readonly rows: number; readonly share: number }): void;
}

/** The counts; the record's other fields identify the data. */
export type Counted = Omit<LengthRecord, 'schema' | 'at' | 'by' | 'key'>;

interface Source {
  readonly ref: DatasetRef;
  readonly file: CountedFile;
}

/** Reads the data once, with bounded memory. Null: none could be read, or it was aborted. */
export async function countLengths(
  order: CountOrder,
  watch: CountWatch,
): Promise<{ readonly counted: Counted | null; readonly left: readonly string[] }> {
  const left: string[] = [];
  const sources: Source[] = [];
  for (const ref of order.datasets) {
    const found = await findData(ref, order.places);
    if ('why' in found) left.push(found.why);
    else for (const path of found.files) sources.push({ ref: found.ref, file: await asItIs(path) });
  }
  const run = new Counting(order, watch, sources);
  const share = order.counter ? await shareFor(sources, order) : 1;
  for (const source of sources) {
    const why = watch.signal.aborted ? null : await run.read(source, share);
    if (why !== null) left.push(why);
  }
  const counted = await run.result(left);
  return { counted: watch.signal.aborted ? null : counted, left };
}

async function asItIs(path: string): Promise<CountedFile> {
  const { size, mtimeMs } = await stat(path);
  return { path, bytes: size, modifiedMs: Math.round(mtimeMs) };
}

/** Texts tokenized at a time: enough for all threads, and bounded. */
const BATCH_TEXTS = 256;
const BATCH_CHARACTERS = 4 << 20;

/** One pass over the data. */
class Counting {
  private readonly counts = new LengthCounts();
  private readonly longest = new Longest();
  private readonly read_: Source[] = [];
  private readonly texts: RowTexts;
  private batch: RowText[] = [];
  private characters = 0;
  private rows = 0;
  private bytesBefore = 0;
  private scanned = true;
  private longestTokens = 0;
  private least: number | null = null;
  private readonly all: number;

  constructor(
    private readonly order: CountOrder,
    private readonly watch: CountWatch,
    sources: readonly Source[],
  ) {
    this.texts = new RowTexts(order.counter?.marks, order.renderer);
    this.all = sources.reduce((sum, { file }) => sum + file.bytes, 0);
  }

  /** Reads a file; returns why it failed, or null. */
  async read(source: Source, share: number): Promise<string | null> {
    if (this.bytesBefore >= this.order.mostBytes) {
      this.scanned = false;
      return null;
    }
    try {
      return await this.recordsOf(source, share);
    } catch (error) {
      if (!(error instanceof EmbedError)) throw error;
      return error.message.replace(/\.$/, '');
    } finally {
      this.bytesBefore += source.file.bytes;
    }
  }

  private async recordsOf({ ref, file }: Source, share: number): Promise<string | null> {
    const before = this.rows;
    let unknown: readonly string[] = [];
    let bytes = 0;
    for await (const records of recordsIn(file.path, ref, this.watch.signal)) {
      for (const [i, row] of (await this.texts.of(records, ref)).entries()) {
        if (row) bytes += await this.row(row, share);
        else if (unknown.length === 0) unknown = Object.keys(records[i]?.fields ?? {});
      }
      this.report(file, bytes);
      if (this.bytesBefore + bytes > this.order.mostBytes) {
        this.scanned = false;
        break;
      }
    }
    if (this.rows > before) this.read_.push({ ref, file });
    if (this.rows > before || unknown.length === 0) return null;
    return `${file.path} has no known text column (it has ${unknown.slice(0, 12).join(', ')}); choose one with --column`;
  }

  /** Adds a row; returns its bytes. */
  private async row(row: RowText, share: number): Promise<number> {
    const bytes = Buffer.byteLength(row.text);
    this.rows += 1;
    if (!this.order.counter) this.counts.add(bytes);
    else if (isTaken(this.rows, share)) await this.take(row);
    else this.longest.offer(row, bytes);
    return bytes + 1;
  }

  private async take(row: RowText): Promise<void> {
    this.batch.push(row);
    this.characters += row.text.length;
    if (this.batch.length >= BATCH_TEXTS || this.characters >= BATCH_CHARACTERS) await this.flush();
  }

  private async flush(): Promise<void> {
    const rows = this.batch;
    [this.batch, this.characters] = [[], 0];
    for (const tokens of await this.tokensOf(rows)) this.counts.add(tokens);
  }

  private async tokensOf(rows: readonly RowText[]): Promise<readonly number[]> {
    const [rendered, others] = [rows.filter(isRendered), rows.filter(row => !isRendered(row))];
    return [...(await this.tokenized(rendered, true)), ...(await this.tokenized(others, false))];
  }

  private async tokenized(rows: readonly RowText[], isRendered: boolean): Promise<readonly number[]> {
    const texts = rows.map(({ text }) => text);
    const tokens = texts.length === 0 ? [] : ((await this.order.counter?.count(texts, isRendered)) ?? []);
    for (const [i, n] of tokens.entries()) {
      this.longestTokens = Math.max(this.longestTokens, n);
      const bytes = Buffer.byteLength(texts[i] ?? '');
      if (bytes >= LONG_TEXT && n > 0) this.least = Math.min(this.least ?? Infinity, bytes / n);
    }
    return tokens;
  }

  private report(file: CountedFile, bytes: number): void {
    const done = this.bytesBefore + Math.min(bytes, file.bytes);
    this.watch.progress({ rows: this.rows, share: this.all === 0 ? 1 : done / this.all });
  }

  /** Tokenizes the remaining rows, including the longest ones. */
  async result(left: readonly string[]): Promise<Counted | null> {
    await this.flush();
    const { rows, nextBytes } = this.longest;
    await this.tokensOf(rows);
    const { counts, order, texts } = this;
    if (counts.count === 0) return null;
    const names = [...new Set(this.read_.map(({ ref }) => datasetName(ref)))];
    return {
      name: names.join(', '),
      files: this.read_.map(({ file }) => file),
      left,
      tokenizer: order.counter?.name ?? null,
      marks: order.counter && texts.isMarked ? order.counter.marks.name : null,
      template: texts.use,
      rows: this.rows,
      counted: counts.count,
      scanned: this.scanned,
      bins: counts.sorted(),
      sum: counts.sum,
      longest: Math.max(counts.longest, this.longestTokens),
      untokenisedBytes: nextBytes,
      leastBytesPerToken: this.least ?? (order.counter ? 1 : null),
    };
  }
}

const isRendered = (row: RowText): boolean => row.isRendered;

/** Shorter texts may have few bytes per token by chance. */
const LONG_TEXT = 512;
