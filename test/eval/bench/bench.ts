/** One benchmark: what it measures, how often, and the peer measured in the same run. */
export interface BenchResult {
  readonly value: number;
  readonly unit: string;
  readonly runs: number;
  readonly peer?: { readonly name: string; readonly value: number };
  /** value ÷ peer, if they have the same unit. */
  readonly ratio?: number;
  readonly detail?: Readonly<Record<string, number | string>>;
}

export interface Bench {
  readonly name: string;
  /** It takes minutes, and gigabytes of disk space. */
  readonly isLong?: true;
  run(): Promise<BenchResult>;
}

/** The number of repetitions; minimal with `--once`, which only checks that a benchmark runs. */
export const repeated = (usual: number, once = 1): number => (process.argv.includes('--once') ? once : usual);

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const rounded = (value: number, digits = 3): number => Number(value.toFixed(digits));

/** Milliseconds of each of `runs` calls, after up to 50 warm-up calls with other indices. */
export async function timed(runs: number, call: (i: number) => unknown): Promise<number[]> {
  for (let i = 0; i < Math.min(runs, 50); i++) await call(runs + i);
  const times: number[] = [];
  for (let i = 0; i < runs; i++) {
    const begin = performance.now();
    await call(i);
    times.push(performance.now() - begin);
  }
  return times;
}
