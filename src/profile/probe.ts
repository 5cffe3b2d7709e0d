import { peakOf } from './dryRun';
import type { Peak } from './dryRun';
import type { DryRunRequest } from './request';
import { AnswerReader, fieldsOf } from './answers';
import type { Fields } from './answers';

/** The maximum number of processes that search for the largest batch. */
export const MOST_TRIES = 8;

/** The estimate of the rows that fit. */
export interface RowEstimate {
  readonly fixedBytes: number;
  readonly rowBytes: number;
}

interface ProbeOptions {
  /** The run's own rows: tried first if the estimate has room for them. */
  readonly wanted: number;
  readonly estimate: RowEstimate | null;
  readonly timeoutSeconds: number;
  /**
   * A local process that waits for the result and without which the search ends; null: the search is independent.
   */
  readonly client: number | null;
  /** The folder to clean up when that process is gone. */
  readonly folder: string | null;
  /** A file with a device other than CUDA's, relative to the request. */
  readonly device: string | null;
}

/** The request to `src/python`: tries of two real steps, each in its own process. */
export function probeRequest(request: DryRunRequest, options: ProbeOptions): object {
  const { wanted, estimate, timeoutSeconds, client, folder, device } = options;
  return {
    protocol: 1,
    task: 'search',
    trials: MOST_TRIES,
    timeoutSeconds,
    client,
    folder,
    try: { ...request, task: 'probe', rows: null, wanted, estimate, device },
  };
}

/** The memory of two real steps, in bytes, as torch and the driver report it. */
export interface Try {
  readonly rows: number;
  /** False: it ran out of the allowed memory. */
  readonly ran: boolean;
  readonly allowedBytes: number;
  readonly allocatedBytes: number;
  readonly reservedBytes: number;
  /** As nvidia-smi shows the process; null: not shown. */
  readonly deviceBytes: number | null;
  /** The highest moment, and what was alive then. */
  readonly peak: Peak | null;
  readonly gpu: string | null;
  readonly versions: Readonly<Record<string, string>>;
}

export interface BatchFound {
  /** The most rows that ran; null: not even one. */
  readonly rows: number | null;
  /**
   * One more row failed, or exceeds by extrapolation, so that this is a limit and not only the most that was tried.
   */
  readonly certain: boolean;
  readonly allowedBytes: number;
}

/** Reads a probe's messages among its other output. */
export class ProbeReader extends AnswerReader {
  readonly tries: Try[] = [];
  found: BatchFound | null = null;

  protected override take(kind: string, fields: Fields): void {
    if (kind === 'try') this.tries.push(tryOf(fields));
    else if (kind === 'found') this.found = foundOf(fields);
  }
}

const foundOf = (fields: Fields): BatchFound => ({
  rows: amountOf(fields['rows']),
  certain: fields['certain'] === true,
  allowedBytes: amountOf(fields['allowed']) ?? 0,
});

function tryOf(fields: Fields): Try {
  const amounts = (name: string): Readonly<Record<string, number>> => fieldsOf(fields[name], amountOf);
  const alive = fieldsOf(fields['alive'], value => fieldsOf(value, amountOf));
  const phases = amounts('phases');
  return {
    rows: amountOf(fields['rows']) ?? 0,
    ran: fields['ran'] === true,
    allowedBytes: amountOf(fields['allowed']) ?? 0,
    allocatedBytes: amountOf(fields['allocated']) ?? 0,
    reservedBytes: amountOf(fields['reserved']) ?? 0,
    deviceBytes: amountOf(fields['device']),
    peak: Object.keys(phases).length === 0 ? null : peakOf({ phases, alive }),
    gpu: textOf(fields['gpu']),
    versions: fieldsOf(fields['versions'], textOf),
  };
}

const amountOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
