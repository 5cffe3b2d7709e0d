import type { Signal } from '../core/ports';
import { largestBatch } from './largestBatch';
import type { BatchFound } from './largestBatch';
import type { DryRunRequest } from './request';
import { converse } from './script';
import type { Interpreter } from './script';

/** What two real steps took. */
export interface Probed {
  readonly ran: boolean;
  readonly allocatedBytes: number;
  readonly reservedBytes: number;
  readonly gpu: string | null;
  readonly versions: Readonly<Record<string, string>>;
}

export interface ProbeOptions {
  /** Free memory less a margin: the process stops itself there. */
  readonly allowedBytes: number;
  readonly timeoutMs: number;
  readonly folder: string | null;
  readonly progress: (text: string) => void;
}

/** Two real steps with so many rows. The process ends with the answer, and its memory with it. */
export async function probe(
  interpreter: Interpreter,
  request: DryRunRequest,
  rows: number,
  { allowedBytes, timeoutMs, folder, progress }: ProbeOptions,
  signal: Signal,
): Promise<Probed> {
  const asked = { ...request, task: 'probe', rows, allowedBytes: Math.floor(allowedBytes) };
  const told = await converse(interpreter, { request: asked, folder, timeoutMs, progress }, signal);
  const amount = (name: string): number => (typeof told[name] === 'number' ? told[name] : 0);
  const versions = told['versions'];
  return {
    ran: told['ran'] === true,
    allocatedBytes: amount('allocated'),
    reservedBytes: amount('reserved'),
    gpu: typeof told['gpu'] === 'string' ? told['gpu'] : null,
    versions: typeof versions === 'object' ? (versions as Readonly<Record<string, string>>) : {},
  };
}

/** At most so many processes are started to find the largest batch. */
export const MOST_TRIALS = 8;

export interface Search {
  readonly found: BatchFound;
  /** Of those that ran. */
  readonly probed: readonly (Probed & { readonly rows: number })[];
}

/** The largest batch of a run: from the rows the estimate has room for, never above what is allowed. */
export async function searchBatch(
  interpreter: Interpreter,
  request: DryRunRequest,
  rows: { readonly first: number; readonly most: number },
  options: ProbeOptions,
  signal: Signal,
): Promise<Search> {
  const probed: (Probed & { readonly rows: number })[] = [];
  const found = await largestBatch({
    ...rows,
    allowedBytes: options.allowedBytes,
    trials: MOST_TRIALS,
    attempt: async tried => {
      const answer = await probe(interpreter, request, tried, options, signal);
      if (!answer.ran) return null;
      probed.push({ ...answer, rows: tried });
      return { bytes: answer.reservedBytes };
    },
  });
  return { found, probed };
}
