import { table } from '../../core/text/terminal';
import type { TerminalText } from '../../core/text/terminal';
import type { JobRecord } from '../../jobs/job';
import { placeName } from '../../jobs/job';
import { predictedPace, rateText, statedSeconds } from '../../jobs/pace';
import type { ProgressState } from '../../core/output/progress/progress';
import { formatBytes, groupDigits } from '../../core/units';

/** `train lora.yml · running since 07:15 · on this machine`. */
export function stateText({ id, state, message }: JobRecord): string {
  return [`${id} · ${state}`, message].filter(Boolean).join(' · ');
}

export function exitText(record: JobRecord): string {
  const { id, state, message, startedMs, endedMs } = record;
  const how = howText(record);
  const elapsed = elapsedMs(startedMs, endedMs);
  const took = elapsed === null ? null : `after ${duration(elapsed)}`;
  return [`${id} · ${state}`, state === 'succeeded' ? null : how, took, peakText(record), message]
    .filter(Boolean)
    .join(' · ');
}

/** The time between two instants; null if one is unknown, or the clock was set back between them. */
const elapsedMs = (fromMs: number | null, toMs: number | null): number | null =>
  fromMs === null || toMs === null || toMs < fromMs ? null : toMs - fromMs;

/** `SIGKILL`, `code 2`; if Slurm ended the job, Slurm's word. */
function howText({ place, exit }: JobRecord): string | null {
  if (exit === null) return null;
  if (place.engine === 'slurm' && exit.reason !== null) return exit.reason;
  return exit.signal ?? (exit.code === null ? exit.reason : `code ${exit.code}`);
}

/** `peak 21.4 GB (estimated 20.9 GB)`; null if nothing was measured. */
function peakText({ peaks, estimate }: JobRecord): string | null {
  const peak = peaks.toSorted((a, b) => b.bytes - a.bytes)[0];
  if (!peak) return null;
  const expected =
    estimate?.metric === peak.metric ? `, estimated ${formatBytes(estimate.bytes.expected)}` : '';
  return `peak ${formatBytes(peak.bytes)} ${peak.metric} (${peak.source}${expected})`;
}

/** `1 h 02 min`, `4 min 10 s`, `12 s`. */
function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  if (hours > 0) return `${hours} h ${String(minutes).padStart(2, '0')} min`;
  return minutes > 0 ? `${minutes} min ${String(seconds % 60).padStart(2, '0')} s` : `${seconds} s`;
}

/**
 * `1,240 of 5,000 steps · 1.2 s/step, predicted 1.1 (0.9–1.6) · 12 min 10 s left`; empty if the output has no
 * progress. Without a rate in the output, it is computed from the time since the start, which has loading in it.
 */
export function progressText(
  record: Pick<JobRecord, 'kind' | 'startedMs' | 'pace'>,
  progress: ProgressState | null,
  nowMs: number,
): string {
  const { kind, startedMs } = record;
  const { step, totalSteps, etaSeconds } = progress ?? {};
  if (step === undefined) return '';
  const stated = statedSeconds(progress);
  const each = stated ?? sinceStart(step, startedMs, nowMs);
  const left = etaSeconds ?? (each !== null && totalSteps !== undefined ? each * (totalSteps - step) : null);
  const what = kind === 'embed' ? 'texts' : 'steps';
  return [
    totalSteps === undefined
      ? `${groupDigits(step)} ${what}`
      : `${groupDigits(step)} of ${groupDigits(totalSteps)} ${what}`,
    each === null
      ? null
      : rateText(each, what.slice(0, -1)) + (stated === null ? '' : predictedPace(record, stated)),
    left === null || left <= 0 ? null : `${duration(left * 1000)} left`,
  ]
    .filter(part => part !== null)
    .join(' · ');
}

function sinceStart(step: number, startedMs: number | null, nowMs: number): number | null {
  const elapsed = elapsedMs(startedMs, nowMs);
  return elapsed === null || elapsed === 0 || step <= 0 ? null : elapsed / 1000 / step;
}

/** Jobs as a table, newest last. */
export function jobsTable(
  records: readonly JobRecord[],
  progress: ReadonlyMap<string, ProgressState>,
  nowMs: number,
): TerminalText {
  const rows = records.map(record => {
    const { id, name, state, place, startedMs, endedMs, message } = record;
    const elapsed = elapsedMs(startedMs, endedMs ?? nowMs);
    const took = elapsed === null ? '' : duration(elapsed);
    const now = state === 'running' ? progressText(record, progress.get(id) ?? null, nowMs) : '';
    const details = [peakText(record), message].filter(Boolean).join(' · ');
    return [id, name, state, placeName(place), took, now, details];
  });
  return table([['job', 'of', 'state', 'on', 'for', 'progress', 'details'], ...rows]);
}
