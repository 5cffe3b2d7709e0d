import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ending } from './ending';
import { diskError } from './files';
import type { JobConfig, JobEstimate, JobPeak, JobRecord } from './job';

/** A line of `measurements.jsonl`: what a run was, what was expected of it, and what it really had. */
export interface MeasurementLine {
  readonly schema: 'headroom-measurement/1';
  readonly job: string;
  readonly endedMs: number;
  readonly state: JobRecord['state'];
  readonly config: JobConfig | null;
  readonly estimate: JobEstimate | null;
  /** Each in its own metric, per GPU. */
  readonly peaks: readonly JobPeak[];
  /** Names of the GPUs it ran on, where they are known. */
  readonly gpus: readonly string[];
  readonly versions: Readonly<Record<string, string>>;
  /** The last step that its output tells; null: it tells none. A peak before the first step is not the run's. */
  readonly steps: number | null;
}

export const measurementsFile = (state: string): string => join(state, 'measurements.jsonl');

/** One write of one line, which other writers do not cut in two. Runs without a peak have measured nothing. */
export async function keepMeasurement(
  state: string,
  record: JobRecord,
  ending: Ending,
  gpus: readonly string[],
): Promise<void> {
  if (record.peaks.length === 0) return;
  const line: MeasurementLine = {
    schema: 'headroom-measurement/1',
    job: record.id,
    endedMs: record.endedMs ?? Date.now(),
    state: record.state,
    config: record.config,
    estimate: record.estimate,
    peaks: record.peaks,
    gpus,
    versions: ending.versions,
    steps: ending.last?.step ?? null,
  };
  const file = measurementsFile(state);
  try {
    await appendFile(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  } catch (error) {
    throw diskError(file, error);
  }
}
