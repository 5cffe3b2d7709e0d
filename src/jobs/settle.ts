import type { JobSighting } from './engine';
import { FINAL_STATES } from './job';
import type { JobRecord, JobState } from './job';

export const isFinal = ({ state }: Pick<JobRecord, 'state'>): boolean => FINAL_STATES.includes(state);

/**
 * A record updated with its engine's current view; the same object if nothing is new. A final state never changes.
 */
export function settled(record: JobRecord, seen: JobSighting, nowMs: number): JobRecord {
  if (isFinal(record)) return record;
  if (seen.state === 'unknown') return record;
  const state = stateOf(record, seen);
  const startedMs = seen.startedMs ?? record.startedMs;
  const isOver = FINAL_STATES.includes(state);
  const next: JobRecord = {
    ...record,
    state,
    startedMs,
    message: seen.message ?? (state === record.state ? record.message : null),
    exit: seen.exit ?? record.exit,
    ...(seen.machines && { machines: { ...record.machines, ...seen.machines } }),
    endedMs: isOver ? (seen.endedMs ?? nowMs) : null,
  };
  return isSame(record, next) ? record : { ...next, seenMs: nowMs };
}

/** A job that was asked to stop is stopping until it is over, and then counts as stopped, unless it is lost. */
function stateOf({ state }: JobRecord, seen: JobSighting): JobState {
  if (state !== 'stopping') return seen.state;
  if (!FINAL_STATES.includes(seen.state)) return 'stopping';
  return seen.state === 'lost' ? 'lost' : 'stopped';
}

const isSame = (a: JobRecord, b: JobRecord): boolean => JSON.stringify(a) === JSON.stringify(b);
