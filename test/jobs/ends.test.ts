import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { JobRecord } from '../../src/jobs/job';
import { readSpareEnd } from '../../src/jobs/spareEnd';
import { jobPaths } from '../../src/jobs/stateFolder';
import { held, NEVER, Place, request, until } from './support';
import { signalTo } from '../signals';

describe('the end of a job whose keeper is killed', function () {
  this.timeout(30_000);
  const place = new Place();
  const { jobs, room } = place;

  before(function () {
    if (process.platform !== 'linux') this.skip();
  });
  after(() => place.remove());

  const ended = ({ id }: JobRecord) => until(jobs, id, 'succeeded', 'failed', 'stopped', 'lost');
  const kill = ({ handle }: JobRecord): void => {
    signalTo(Number(handle?.['keeper']), 'SIGKILL');
  };

  for (const [code, state] of [
    [0, 'succeeded'],
    [7, 'failed'],
  ] as const) {
    it(`is the exit of its first process, ${code}, if its keeper waited for the others`, async () => {
      const { script: child, release } = held();
      const words = JSON.stringify(['-e', child]);
      const script = `require('node:child_process').spawn(process.execPath, ${words}, { stdio: 'ignore' }).unref(); process.exit(${code})`;
      const job = await jobs.start(request(script), {}, NEVER);
      const { process: file } = jobPaths(room.state, job.id);
      let now = await until(jobs, job.id, 'running');
      while (!(now.message ?? '').includes('still run')) now = (await jobs.get(job.id)) ?? now;
      kill(job);
      assert.match(await readFile(file, 'utf8'), new RegExp(`"code":${code}`));
      assert.equal((await jobs.get(job.id))?.state, 'running');
      release();
      const end = await ended(job);
      assert.deepEqual([end.state, end.exit?.code], [state, code], end.message ?? '');
      assert.ok((end.endedMs ?? 0) >= (end.startedMs ?? Infinity));
    });
  }

  it('is the end stored elsewhere, if its own folder was not writable', async () => {
    const { script, release } = held();
    const job = await jobs.start(request(script), {}, NEVER);
    const { exit } = jobPaths(room.state, job.id);
    // A file cannot replace a folder that is not empty.
    mkdirSync(join(exit, 'full'), { recursive: true });
    release();
    while ((await readSpareEnd(job.id)) === null) await pause(20);
    kill(job);
    rmSync(exit, { recursive: true });
    const end = await ended(job);
    assert.deepEqual([end.state, end.exit?.code], ['succeeded', 0], end.message ?? '');
  });

  it('is the end stored next to its record, if the record was not updated yet', async () => {
    const job = await jobs.start(request(''), {}, NEVER);
    const { exit, record, keeper } = jobPaths(room.state, job.id);
    while (!existsSync(exit) || existsSync(keeper)) await pause(20);
    const early = { ...(JSON.parse(readFileSync(record, 'utf8')) as JobRecord), state: 'running' };
    writeFileSync(record, JSON.stringify({ ...early, endedMs: null, exit: null }));
    assert.deepEqual([(await ended(job)).state, (await jobs.get(job.id))?.exit?.code], ['succeeded', 0]);
  });
});
