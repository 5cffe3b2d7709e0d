import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { EngineRoom } from '../../src/jobs/engineMaker';
import type { JobRecord, JobRequest, JobState } from '../../src/jobs/job';
import type { Jobs } from '../../src/jobs/jobs';
import { openJobs } from '../../src/jobs/openJobs';

export const NEVER = { aborted: false };

/** A separate state folder, removed at the end of the suite. */
export class Place {
  readonly folder = mkdtempSync(join(tmpdir(), 'headroom-jobs-'));
  readonly room: EngineRoom = {
    state: join(this.folder, 'state'),
    keeper: resolve('dist/keeper.js'),
    executables: {},
    ssh: {},
    // If a keeper was killed before it started, the wait for it is short.
    startLimitMs: 8000,
  };
  readonly jobs: Jobs = openJobs(this.room);

  async remove(): Promise<void> {
    const all = await this.jobs.list();
    const ends = all.filter(({ endedMs }) => endedMs === null).map(({ id }) => this.jobs.stop(id, NEVER));
    await Promise.all(ends);
    this.jobs.dispose();
    // A keeper that ends may still write.
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A job that runs JavaScript in Node. */
/**
 * A program that runs until `release`. With a time instead, a busy machine would look at it only after its end.
 */
export function held(): { readonly script: string; readonly release: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-held-'));
  const file = join(folder, 'go');
  // Nor does it outlive the tests, which remove their folders.
  const script = `const { existsSync } = require('node:fs');
    setInterval(() => { if (existsSync(${JSON.stringify(file)}) || !existsSync(${JSON.stringify(folder)})) process.exit(0); }, 20)`;
  return { script, release: () => writeFileSync(file, '') };
}

export function request(script: string, more: Partial<JobRequest> = {}): JobRequest {
  return {
    kind: 'train',
    name: 'train test.yml',
    config: null,
    argv: [process.execPath, '-e', script],
    folder: tmpdir(),
    environment: {},
    secrets: [],
    place: { engine: 'local' },
    gpus: { count: 0, uuids: [], needBytes: null },
    limits: { timeMinutes: null, cpus: null, memoryMiB: null, array: null, requeue: false },
    estimate: null,
    writes: [],
    ...more,
  };
}

const PATIENCE_MS = 20_000;
const LOOK_MS = 30;

/** Waits until the record is in one of these states, and returns it. */
export async function until(jobs: Jobs, id: string, ...states: readonly JobState[]): Promise<JobRecord> {
  let last: JobRecord | null = null;
  const endMs = Date.now() + PATIENCE_MS;
  while (Date.now() < endMs) {
    last = await jobs.get(id);
    if (last && states.includes(last.state)) return last;
    await pause(LOOK_MS);
  }
  throw new Error(`still ${last?.state}: ${JSON.stringify(last)}`);
}

/** All of a job's output as text. */
export async function outputOf(jobs: Jobs, id: string): Promise<string> {
  const parts: Uint8Array[] = [];
  for (let at = 0; ;) {
    const { bytes } = await jobs.output(id, at, NEVER);
    if (bytes.length === 0) return Buffer.concat(parts).toString('utf8');
    parts.push(bytes);
    at += bytes.length;
  }
}
