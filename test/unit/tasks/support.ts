import type { JobRecord } from '../../../src/jobs/job';

/** A job's record; specify only the fields that a test is about. */
export const record = (more: Partial<JobRecord> = {}): JobRecord => ({
  schema: 'headroom-job/1',
  id: '20261122-071502-a1b2c3',
  kind: 'train',
  name: 'train lora.yml',
  config: { file: '/home/ann/lora.yml', digest: 'd', run: '', dialect: 'axolotl' },
  argv: ['axolotl', 'train', 'lora.yml'],
  folder: '/home/ann',
  environment: {},
  secrets: [],
  place: { engine: 'local' },
  gpus: { count: 1, uuids: [], needBytes: null },
  limits: { timeMinutes: null, cpus: null, memoryMiB: null, array: null, requeue: false },
  estimate: null,
  writes: [],
  createdMs: 0,
  startedMs: null,
  endedMs: null,
  state: 'running',
  message: null,
  seenMs: 0,
  handle: null,
  exit: null,
  peaks: [],
  ...more,
});
