import type { Signal } from '../../core/ports';
import type { Shells } from '../../remote/shells';
import type { JobPeak, JobRecord } from '../job';
import { peakOfEach } from '../peak';
import { joined } from '../samples';
import type { JobGpuSample, JobSample } from '../samples';
import { askFor, PIECE_BYTES, said } from './host';

const MIB = 2 ** 20;
/** So many jobs' files are known as far as they were read. */
const MOST_FILES = 20;
/** More than this is thinned, as the keeper of a job on this machine does. */
const MOST_SAMPLES = 3600;

/** A job's file on its host, as far as it was read. */
interface Read {
  offset: number;
  /** What came after the last whole block. */
  rest: string;
  samples: readonly JobSample[];
}

/** What was written beside jobs on hosts; each file is read once, and then on. */
export class WatchedThere {
  private readonly files = new Map<string, Read>();

  constructor(
    private readonly shells: Shells,
    private readonly now: () => number,
  ) {}

  async samples(
    alias: string | null,
    { id, gpus }: JobRecord,
    signal: Signal,
  ): Promise<readonly JobSample[]> {
    const file = this.files.get(id) ?? { offset: 0, rest: '', samples: [] };
    this.files.delete(id);
    this.files.set(id, file);
    for (const old of [...this.files.keys()].slice(0, -MOST_FILES)) this.files.delete(old);
    const decoder = new TextDecoder();
    for (;;) {
      const words = ['piece', id, String(file.offset), String(PIECE_BYTES), 'samples'];
      const answer = await askFor(this.shells, alias, words, signal);
      if (answer.bytes.length === 0) return ofJob(file.samples, gpus.uuids);
      const aheadMs = this.now() - 1000 * Number(said(answer, 'now'));
      const text = file.rest + decoder.decode(answer.bytes, { stream: true });
      const end = text.lastIndexOf('\n.\n') + 1;
      file.offset += answer.bytes.length;
      file.rest = text.slice(end);
      const found = samplesInBlocks(text.slice(0, end));
      const here = found.map(one => ({ ...one, timeMs: one.timeMs + Math.round(aheadMs) }));
      file.samples = thinned([...file.samples, ...here]);
    }
  }
}

/** Blocks of lines `at SECONDS`, `gpu UUID, MIB, PERCENT, °C, W`, `held UUID MIB`, each ended by a dot. Times are the host's. */
export function samplesInBlocks(text: string): readonly JobSample[] {
  return text.split(/^\.\n/m).flatMap(block => {
    const lines = block.split('\n');
    const at = Number(/^at (\d+)$/m.exec(block)?.[1] ?? NaN);
    const held = heldIn(lines);
    const gpus = lines.filter(line => line.startsWith('gpu ')).flatMap(line => gpuOf(line.slice(4), held));
    return Number.isFinite(at) && gpus.length > 0 ? [{ timeMs: at * 1000, gpus }] : [];
  });
}

/** A host shows all its GPUs: those count that the job was given or held, else, where nobody can tell, all that it could see. */
export function ofJob(samples: readonly JobSample[], given: readonly string[]): readonly JobSample[] {
  const held = samples.flatMap(({ gpus }) => gpus.flatMap(one => (one.heldBytes === null ? [] : [one.uuid])));
  const own = new Set([...given, ...held]);
  if (own.size === 0) return samples;
  return samples.map(one => ({ ...one, gpus: one.gpus.filter(({ uuid }) => own.has(uuid)) }));
}

/** By GPU; null where one process holds nobody knows how much. */
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

/** None where the tool says a sentence in a row's place. */
function gpuOf(row: string, held: ReadonlyMap<string, number | null>): readonly JobGpuSample[] {
  const [uuid, used, load, heat, power] = row.split(',').map(cell => cell.trim());
  if (uuid === undefined || power === undefined) return [];
  const usedMiB = numberOf(used);
  const usedBytes = usedMiB === null ? null : usedMiB * MIB;
  const read = { utilPct: numberOf(load), tempC: numberOf(heat), powerW: numberOf(power) };
  return [{ uuid, heldBytes: held.get(uuid) ?? null, usedBytes, ...read }];
}

/** `[N/A]` and an error's words are no numbers. */
const numberOf = (text: string | undefined): number | null =>
  text !== undefined && /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : null;

function thinned(samples: readonly JobSample[]): readonly JobSample[] {
  if (samples.length <= MOST_SAMPLES) return samples;
  const stretch = Math.ceil((2 * samples.length) / MOST_SAMPLES);
  return Array.from({ length: Math.ceil(samples.length / stretch) }, (_, i) =>
    joined(samples.slice(i * stretch, (i + 1) * stretch)),
  );
}

/** The most that a job held on one GPU at any time; null where that was never known. */
export function peakOf(samples: readonly JobSample[]): JobPeak | null {
  const held = new Map<string, number>();
  for (const { uuid, heldBytes } of samples.flatMap(({ gpus }) => gpus)) {
    held.set(uuid, Math.max(held.get(uuid) ?? 0, heldBytes ?? 0));
  }
  return peakOfEach([...held.values()], 'nvidia-smi by process');
}
