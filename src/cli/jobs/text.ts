import { markdownTable } from 'markdown-table';
import type { JobRecord } from '../../jobs/job';
import { placeName } from '../../jobs/placeName';
import { formatBytes } from '../../core/units';

/** `train lora.yml · running since 07:15 · on this machine`. */
export function stateText({ id, state, message }: JobRecord): string {
  return [`${id} · ${state}`, message].filter(Boolean).join(' · ');
}

export function exitText(record: JobRecord): string {
  const { id, state, message, startedMs, endedMs } = record;
  const how = howText(record);
  const took = startedMs !== null && endedMs !== null ? `after ${duration(endedMs - startedMs)}` : null;
  return [`${id} · ${state}`, state === 'succeeded' ? null : how, took, peakText(record), message]
    .filter(Boolean)
    .join(' · ');
}

/** `SIGKILL`, `code 2`; where Slurm ended it, Slurm's word. */
function howText({ place, exit }: JobRecord): string | null {
  if (exit === null) return null;
  if (place.engine === 'slurm' && exit.reason !== null) return exit.reason;
  return exit.signal ?? (exit.code === null ? exit.reason : `code ${exit.code}`);
}

/** `peak 21.4 GB (estimated 20.9 GB)`; null where nothing was measured. */
export function peakText({ peaks, estimate }: JobRecord): string | null {
  const peak = peaks.toSorted((a, b) => b.bytes - a.bytes)[0];
  if (!peak) return null;
  const expected =
    estimate?.metric === peak.metric ? `, estimated ${formatBytes(estimate.bytes.expected)}` : '';
  return `peak ${formatBytes(peak.bytes)} ${peak.metric} (${peak.source}${expected})`;
}

/** `1 h 02 min`, `4 min 10 s`, `12 s`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  if (hours > 0) return `${hours} h ${String(minutes).padStart(2, '0')} min`;
  return minutes > 0 ? `${minutes} min ${String(seconds % 60).padStart(2, '0')} s` : `${seconds} s`;
}

/** Jobs as a table, the newest last. */
export function jobsTable(records: readonly JobRecord[], nowMs: number): string {
  const rows = records.map(record => {
    const { id, name, state, place, startedMs, endedMs, message } = record;
    const took = startedMs === null ? '' : duration((endedMs ?? nowMs) - startedMs);
    return [id, name, state, placeName(place), took, [peakText(record), message].filter(Boolean).join(' · ')];
  });
  return markdownTable([['job', 'of', 'state', 'on', 'for', ''], ...rows]);
}
