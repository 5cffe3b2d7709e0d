import type { JobPlace, JobRecord } from '../../../src/jobs/job';

let count = 0;

/** A job before its start. */
export function recordOf(place: JobPlace, argv: readonly string[], more: Partial<JobRecord> = {}): JobRecord {
  count += 1;
  const chance = `${process.pid.toString(36)}${count.toString(36)}`.padStart(6, '0').slice(-6);
  return {
    schema: 'headroom-job/1',
    id: `20261122-070000-${chance}`,
    kind: 'train',
    name: 'a job of the tests',
    config: null,
    argv,
    folder: process.cwd(),
    environment: {},
    secrets: [],
    place,
    gpus: { count: 0, uuids: [], needBytes: null },
    limits: { timeMinutes: null, cpus: null, memoryMiB: null, array: null, requeue: false },
    estimate: null,
    writes: [],
    createdMs: Date.now(),
    startedMs: null,
    endedMs: null,
    state: 'starting',
    message: null,
    seenMs: Date.now(),
    handle: null,
    exit: null,
    peaks: [],
    ...more,
  };
}
