import type { JobEngine } from './engine';
import type { JobExit, JobPeak, JobRecord } from './job';
import { explainOom } from '../core/output/oom/explain';
import { oomSentence } from '../core/output/oom/sentence';
import { ProgressReader } from '../core/output/progress/reader';
import type { ProgressState } from '../core/output/progress/progress';
import { versionsIn } from '../core/output/versions';

/** What a job's output shows once it is over. */
export interface Ending {
  /** Why it failed, from the output or the exit; null: unknown. */
  readonly message: string | null;
  /** It ran out of memory. */
  readonly ranOut: boolean;
  /** Peaks that the trainer itself printed. */
  readonly peaks: readonly JobPeak[];
  readonly versions: Readonly<Record<string, string>>;
  readonly last: ProgressState | null;
}

type Read = (offset: number) => ReturnType<JobEngine['read']>;

/** The limit for reading an output: trainers report their memory at its start and end. */
const MOST_BYTES = 256 * 2 ** 20;
const HEAD_CHARACTERS = 256 * 1024;
const TAIL_CHARACTERS = 512 * 1024;

/** Reads a whole output again, in pieces. */
export async function endingOf(record: JobRecord, read: Read, exit: JobExit | null): Promise<Ending> {
  const reader = await readerFor(record);
  const decoder = new TextDecoder();
  let [head, tail] = ['', ''];
  for (let offset = 0; offset < MOST_BYTES;) {
    const piece = await read(offset);
    if (piece.bytes.length === 0) break;
    offset = piece.offset + piece.bytes.length;
    const text = decoder.decode(piece.bytes, { stream: true });
    if (head.length < HEAD_CHARACTERS) head += text.slice(0, HEAD_CHARACTERS);
    tail = (tail + text).slice(-TAIL_CHARACTERS);
    reader.push(text);
  }
  const { states } = reader.end();
  return {
    message: exit?.code === 0 ? null : whyFailed(tail, exit),
    ranOut: exit?.code !== 0 && explainOom(tail) !== null,
    peaks: printedPeaks(states),
    versions: versionsIn(head),
    last: states.at(-1) ?? null,
  };
}

async function readerFor({ config }: JobRecord): Promise<ProgressReader> {
  if (config === null) return new ProgressReader();
  const { dialectLogs } = await import('../core/dialects/dialectLogs');
  return new ProgressReader(dialectLogs(config.dialect));
}

function whyFailed(tail: string, exit: JobExit | null): string | null {
  const oom = explainOom(tail);
  if (oom) return oomSentence(oom);
  // 128 + 9, which shells and containers report for SIGKILL.
  if (exit?.signal === 'SIGKILL' || exit?.code === 137) {
    return 'Killed (SIGKILL): by another process, or because host RAM ran out (check dmesg).';
  }
  return lastWords(tail);
}

/** `RuntimeError: …`: the last line of a Python traceback. */
function lastWords(tail: string): string | null {
  const lines = tail.slice(-16_384).split(/[\r\n]+/);
  const found = lines.findLast(line =>
    /^[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit)\b/.test(line.trim()),
  );
  return found === undefined ? null : found.trim().slice(0, 300);
}

function printedPeaks(states: readonly ProgressState[]): readonly JobPeak[] {
  const peaks = new Map<'allocated' | 'reserved', number>();
  for (const { memory = [] } of states) {
    for (const { what, bytes } of memory) {
      const metric = /reserved/i.test(what) ? 'reserved' : /alloc/i.test(what) ? 'allocated' : null;
      if (metric !== null && bytes !== null) peaks.set(metric, Math.max(bytes, peaks.get(metric) ?? 0));
    }
  }
  return [...peaks].map(([metric, bytes]) => ({ metric, bytes, source: "the trainer's output" }));
}
