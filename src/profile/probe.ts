import { peakOf } from './dryRun';
import type { Peak } from './dryRun';
import type { DryRunRequest } from './request';
import { answerOf, fieldsOf, refusalOf, failureOf } from './answers';
import type { Fields, ProfileError } from './answers';

/** At most so many processes are started to find the largest batch. */
export const MOST_TRIES = 8;

/** What the estimate says of the rows that there is room for. */
export interface RowEstimate {
  readonly fixedBytes: number;
  readonly rowBytes: number;
}

export interface ProbeOptions {
  /** Rows of the run itself: what is tried first, where the estimate has room for them. */
  readonly wanted: number;
  readonly estimate: RowEstimate | null;
  readonly timeoutSeconds: number;
  /** A process of this machine without which no one hears the answer; null: it goes on by itself. */
  readonly client: number | null;
  /** What stays when that process is gone. */
  readonly folder: string | null;
  /** A file with another device than CUDA's, seen from the request. */
  readonly device: string | null;
}

/** What `src/python` is asked: tries, each two real steps in its own process. */
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

/** What two real steps took, as torch and the driver say it; bytes. */
export interface Try {
  readonly rows: number;
  /** False: it ran out of what was allowed. */
  readonly ran: boolean;
  readonly allowedBytes: number;
  readonly allocatedBytes: number;
  readonly reservedBytes: number;
  /** As nvidia-smi shows the process; null: it does not. */
  readonly deviceBytes: number | null;
  /** The highest moment, and what was alive then. */
  readonly peak: Peak | null;
  readonly gpu: string | null;
  readonly versions: Readonly<Record<string, string>>;
}

export interface BatchFound {
  /** The most rows that ran; null: not even one. */
  readonly rows: number | null;
  /** One more was tried in vain, or exceeds by the line: these are not merely the most that were tried. */
  readonly certain: boolean;
  readonly allowedBytes: number;
}

/** Reads what a probe says among whatever else its output has. */
export class ProbeReader {
  readonly tries: Try[] = [];
  found: BatchFound | null = null;
  problem: ProfileError | null = null;
  private rest = '';

  constructor(private readonly progress: (text: string) => void) {}

  push(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.take(answerOf(line));
  }

  private take({ kind, ...fields }: Fields): void {
    if (kind === 'progress' && typeof fields['text'] === 'string') this.progress(fields['text']);
    else if (kind === 'try') this.tries.push(tryOf(fields));
    else if (kind === 'found') this.found = foundOf(fields);
    else if (kind === 'refused') this.problem ??= refusalOf(fields);
    else if (kind === 'failed') this.problem ??= failureOf(fields);
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
