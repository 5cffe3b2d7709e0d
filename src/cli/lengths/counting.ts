import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { version } from '../../../package.json';
import type { LengthRecord } from '../../core/lengths/record';
import { LENGTHS } from '../../core/text/paths';
import { grouped } from '../../core/units';
import type { Lengths } from '../../lengths/chunk';
import type { Renderer } from '../../lengths/templates';
import type { Counter } from '../../lengths/tokens';
import { corePath, nodeEnvironment } from '../../world/environment';
import { huggingFaceCacheFolder } from '../../world/huggingFaceCache';
import { keepLengths } from '../../world/lengths';
import { measurementFileFor } from '../../world/measurements';
import { NodeFiles } from '../../world/nodeFiles';
import { tokenizerFile } from '../../world/tokenizers';
import { BadInput } from '../output';
import type { Output } from '../output';
import { interruption } from '../profile/dry';
import type { LengthsOptions } from './subject';
import type { Subject } from './subject';

const EVERY_MS = 500;

/** Reports a count's progress in occasional lines. */
class CountReporter {
  private lastMs = performance.now();
  private width = 0;

  constructor(private readonly output: Output) {}

  report({ rows, share }: { readonly rows: number; readonly share: number }): void {
    const now = performance.now();
    if (now - this.lastMs < EVERY_MS) return;
    this.lastMs = now;
    const text = `${grouped(rows)} rows, ${Math.floor(Math.min(1, share) * 100)} % …`;
    if (!process.stderr.isTTY) this.output.err(text);
    else this.draw(text);
  }

  end(): void {
    if (this.width > 0) this.draw('');
  }

  private draw(text: string): void {
    process.stderr.write(`\r${text.padEnd(this.width)}${text === '' ? '\r' : ''}`);
    this.width = text.length;
  }
}

/** Data up to this size are tokenized completely, which takes seconds. */
const WHOLE_BYTES = 32 << 20;
/** The maximum number of bytes to read, which takes minutes. The report says that the rest was not read. */
const MOST_BYTES = 16 * 2 ** 30;

/** Reads the data of a run, and stores the counts. */
export async function countedNow(
  path: string,
  subject: Subject,
  options: LengthsOptions,
  output: Output,
): Promise<{ readonly record: LengthRecord | null; readonly why: readonly string[] }> {
  const { lengths } = await import('../../lengths/chunk');
  const environment = nodeEnvironment();
  const { counter, renderer } = await counterFor(lengths, path, subject, options, output);
  const signal = interruption();
  const reporter = new CountReporter(output);
  try {
    const places = {
      from: subject.folders,
      home: environment.home,
      cache: huggingFaceCacheFolder(environment),
    };
    const samples = options.all === true ? null : options.samples;
    const order = {
      datasets: subject.datasets,
      places,
      counter,
      renderer,
      samples,
      wholeBytes: WHOLE_BYTES,
      mostBytes: MOST_BYTES,
    };
    const { counted, left } = await lengths.countLengths(order, {
      signal,
      progress: done => reporter.report(done),
    });
    if (signal.aborted) return { record: null, why: ['interrupted'] };
    if (!counted) return { record: null, why: left.length > 0 ? left : ['the data is empty'] };
    const record: LengthRecord = {
      schema: 'headroom-lengths/1',
      at: new Date().toISOString(),
      by: version,
      key: subject.key,
      ...counted,
    };
    if (options.keep && subject.run) await saveRecord(path, record, output);
    return { record, why: [] };
  } finally {
    reporter.end();
    await renderer?.stop();
    signal.dispose();
  }
}

/** The named tokenizer, which must exist; else the model's, if it is here. */
async function counterFor(
  { openCounter, openRenderer }: Lengths,
  path: string,
  { model }: Subject,
  { tokenizer }: LengthsOptions,
  output: Output,
): Promise<{ readonly counter: Counter | null; readonly renderer: Renderer | null }> {
  const none = { counter: null, renderer: null };
  const environment = nodeEnvironment();
  const files = new NodeFiles(environment.workingFolder);
  const file = model === null ? null : await tokenizerFile(files, environment, model, corePath(path));
  if (model === null || file === null) {
    if (tokenizer === undefined) return none;
    throw new BadInput(`--tokenizer ${tokenizer}: no tokenizer.json on this machine.`);
  }
  const opened = await openCounter(file, `the tokenizer of ${model}`);
  if ('counter' in opened) {
    const setup = { workerFile: join(__dirname, 'templateWorker.js'), nowMs: Date.now() };
    return { counter: opened.counter, renderer: await openRenderer(file, setup) };
  }
  if (tokenizer !== undefined) throw new BadInput(`--tokenizer ${tokenizer}: ${opened.why}`);
  output.err(`Couldn't use the tokenizer: ${opened.why}`);
  return none;
}

/** Files in the workspace are stored relative to its folder, so that the record is valid elsewhere. */
async function saveRecord(path: string, record: LengthRecord, output: Output): Promise<void> {
  const config = resolve(path);
  const here = process.cwd();
  const isInside = !relative(here, config).startsWith('..') && !isAbsolute(relative(here, config));
  const file = await measurementFileFor(config, isInside ? here : dirname(config), LENGTHS);
  const top = dirname(dirname(file));
  const named = record.files.map(one => {
    const from = relative(top, one.path);
    return { ...one, path: corePath(from.startsWith('..') || isAbsolute(from) ? one.path : from) };
  });
  await keepLengths(file, { ...record, files: named });
  output.err(`Stored in ${file}.`);
}
