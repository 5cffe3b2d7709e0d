import type { Answer } from '../../remote/answers';
import type { Shells } from '../../remote/shells';
import type { JobPeak, JobRecord } from '../job';
import { peakOfEach } from '../job';
import { joined } from '../samples';
import type { JobGpuSample, JobSample } from '../samples';
import { allValues, askFor, PIECE_BYTES, firstValue } from './host';
import { MIB } from '../../core/units';
import type { Signal } from '../../core/signal';

/** Jobs whose read positions are kept. */
const MOST_JOBS = 20;
/** More samples are thinned, as the keeper of a local job does. */
const MOST_SAMPLES = 3600;
/** At least this many remain per task of a large array. */
const FEWEST_SAMPLES = 60;

/** A file of blocks and its read position. */
class WatchedFile {
  offset = 0;
  samples: readonly JobSample[] = [];
  /** The text after the last complete block. */
  private rest = '';

  /** `aheadMs`: how far this machine's clock is ahead of the blocks' clock. */
  add(bytes: Uint8Array, aheadMs: number, most: number): void {
    const text = this.rest + Buffer.from(bytes).toString('latin1');
    const end = text.lastIndexOf('\n.\n') + 1;
    this.offset += bytes.length;
    this.rest = text.slice(end);
    const found = samplesInBlocks(text.slice(0, end));
    const here = found.map(one => ({ ...one, timeMs: one.timeMs + Math.round(aheadMs) }));
    this.samples = thinned([...this.samples, ...here], most);
  }
}

/** The readings written on hosts next to jobs; each file is read incrementally. */
export class RemoteReadings {
  /** The task files of each job; a job that is not an array has one with an empty name. */
  private readonly jobs = new Map<string, Map<string, WatchedFile>>();

  constructor(
    private readonly shells: Shells,
    private readonly now: () => number,
  ) {}

  async samples(
    alias: string | null,
    { id, gpus }: JobRecord,
    signal: Signal,
  ): Promise<readonly JobSample[]> {
    const file = fileOf(this.filesOf(id), '');
    for (;;) {
      const words = ['piece', id, String(file.offset), String(PIECE_BYTES), 'samples'];
      const answer = await askFor(this.shells, alias, words, signal);
      if (answer.bytes.length === 0) return samplesOfJob(file.samples, gpus.uuids);
      file.add(answer.bytes, this.aheadMs(answer), MOST_SAMPLES);
    }
  }

  /** For an array: task by task. */
  async samplesOfTasks(
    alias: string | null,
    { id, gpus, limits }: JobRecord,
    signal: Signal,
  ): Promise<readonly JobSample[]> {
    const files = this.filesOf(id);
    const most = Math.max(FEWEST_SAMPLES, Math.floor(MOST_SAMPLES / (limits.array ?? 1)));
    for (;;) {
      const known = [...files].map(([task, { offset }]) => `${task}:${offset}`);
      const words = ['task_pieces', id, String(PIECE_BYTES), ...known];
      const answer = await askFor(this.shells, alias, words, signal);
      if (answer.bytes.length === 0) break;
      for (const [task, bytes] of piecesIn(answer)) {
        fileOf(files, task).add(bytes, this.aheadMs(answer), most);
      }
    }
    return [...files]
      .toSorted(([a], [b]) => Number(a) - Number(b))
      .flatMap(([task, { samples }]) =>
        samplesOfJob(samples, gpus.uuids).map(sample => ({ ...sample, task })),
      );
  }

  private filesOf(id: string): Map<string, WatchedFile> {
    const files = this.jobs.get(id) ?? new Map<string, WatchedFile>();
    this.jobs.delete(id);
    this.jobs.set(id, files);
    for (const old of [...this.jobs.keys()].slice(0, -MOST_JOBS)) this.jobs.delete(old);
    return files;
  }

  private aheadMs(answer: Answer): number {
    return this.now() - 1000 * Number(firstValue(answer, 'now'));
  }
}

function fileOf(files: Map<string, WatchedFile>, task: string): WatchedFile {
  const file = files.get(task) ?? new WatchedFile();
  files.set(task, file);
  return file;
}

/** The bytes are in the order of the announced tasks. */
function piecesIn(answer: Answer): readonly (readonly [task: string, bytes: Uint8Array])[] {
  let from = 0;
  return allValues(answer, 'piece').map(line => {
    const [task = '', count] = line.split(' ');
    const bytes = answer.bytes.subarray(from, from + Number(count));
    from += bytes.length;
    return [task, bytes] as const;
  });
}

/** The readings of a job's GPUs, from a whole file of blocks. */
export const samplesOf = (text: string, { gpus }: JobRecord): readonly JobSample[] =>
  thinned(samplesOfJob(samplesInBlocks(text), gpus.uuids), MOST_SAMPLES);

/**
 * Blocks of lines `at SECONDS`, `gpu UUID, MIB, PERCENT, °C, W`, `held UUID MIB`, each ended by a dot. Times are
 * the host's.
 */
export function samplesInBlocks(text: string): readonly JobSample[] {
  return text.split(/^\.\n/m).flatMap(block => {
    const lines = block.split('\n');
    const at = Number(/^at (\d+)$/m.exec(block)?.[1] ?? NaN);
    const held = heldIn(lines);
    const gpus = lines.filter(line => line.startsWith('gpu ')).flatMap(line => gpuOf(line.slice(4), held));
    return Number.isFinite(at) && gpus.length > 0 ? [{ timeMs: at * 1000, gpus }] : [];
  });
}

/**
 * A host reports all of its GPUs: keeps those that the job was given or held; if unknown, all that it could see.
 */
export function samplesOfJob(samples: readonly JobSample[], given: readonly string[]): readonly JobSample[] {
  const held = samples.flatMap(({ gpus }) => gpus.flatMap(one => (one.heldBytes === null ? [] : [one.uuid])));
  const own = new Set([...given, ...held]);
  if (own.size === 0) return samples;
  return samples.map(one => ({ ...one, gpus: one.gpus.filter(({ uuid }) => own.has(uuid)) }));
}

/** By GPU; null if one process holds an unknown amount. */
function heldIn(lines: readonly string[]): ReadonlyMap<string, number | null> {
  const held = new Map<string, number | null>();
  for (const line of lines) {
    const [, uuid, amount] = /^held (\S+) (.*)$/.exec(line) ?? [];
    if (uuid === undefined) continue;
    const before = held.get(uuid);
    const mib = numberOf(amount);
    held.set(uuid, mib === null || before === null ? null : (before ?? 0) + mib * MIB);
  }
  return held;
}

/** Empty if the tool printed a message instead of a row. */
function gpuOf(row: string, held: ReadonlyMap<string, number | null>): readonly JobGpuSample[] {
  const [uuid, used, load, heat, power] = row.split(',').map(cell => cell.trim());
  if (uuid === undefined || power === undefined) return [];
  const usedMiB = numberOf(used);
  const usedBytes = usedMiB === null ? null : usedMiB * MIB;
  const read = { utilPct: numberOf(load), tempC: numberOf(heat), powerW: numberOf(power) };
  return [{ uuid, heldBytes: held.get(uuid) ?? null, usedBytes, ...read }];
}

/** `[N/A]` and error messages are not numbers. */
const numberOf = (text: string | undefined): number | null =>
  text !== undefined && /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : null;

function thinned(samples: readonly JobSample[], most: number): readonly JobSample[] {
  if (samples.length <= most) return samples;
  const stretch = Math.ceil((2 * samples.length) / most);
  return Array.from({ length: Math.ceil(samples.length / stretch) }, (_, i) =>
    joined(samples.slice(i * stretch, (i + 1) * stretch)),
  );
}

/** The peak of a job on each of its GPUs, for an array task by task; empty if unknown. */
export function peaksOf(samples: readonly JobSample[]): readonly JobPeak[] {
  const tasks = [...new Set(samples.map(({ task }) => task))];
  return tasks.flatMap(task => {
    const peak = peakOf(samples.filter(one => one.task === task));
    return peak === null ? [] : [{ ...peak, ...(task !== undefined && { task }) }];
  });
}

/** The peak on one GPU; null if unknown. */
export function peakOf(samples: readonly JobSample[]): JobPeak | null {
  const held = new Map<string, number>();
  for (const { uuid, heldBytes } of samples.flatMap(({ gpus }) => gpus)) {
    held.set(uuid, Math.max(held.get(uuid) ?? 0, heldBytes ?? 0));
  }
  return peakOfEach([...held.values()], 'nvidia-smi by process');
}
