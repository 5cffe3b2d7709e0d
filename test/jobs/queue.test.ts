import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openJobs } from '../../src/jobs/openJobs';
import type { Jobs } from '../../src/jobs/jobs';
import { readMeasurements } from '../../src/core/learn/readMeasurements';
import type { MeasuredRun } from '../../src/core/analyse/measuredRun';
import { fakeGpus } from './fakeGpus';
import { NEVER, outputOf, Place, request, until } from './support';

const GIB = 2 ** 30;
const MEASURED: MeasuredRun = {
  config: 'lora.yml',
  framework: 'axolotl',
  frameworkVersion: null,
  family: 'llama',
  features: { microBatchSize: '2' },
  rows: { batch: 2, sequence: 2048, sequences: null },
  predicted: null,
};
const GPUS = ['GPU-0000', 'GPU-1111'];

describe('jobs that wait for GPUs', function () {
  this.timeout(90_000);
  const place = new Place();
  const { executable, holding } = fakeGpus(place.folder, 24 * 1024, GPUS);
  const room = { ...place.room, executables: { 'nvidia-smi': executable } };
  const jobs: Jobs = openJobs(room);
  const measuredIn = join(place.folder, 'workspace/.headroom/measurements.jsonl');
  const start = (needGiB: number, mib: number, ms: number, uuids: readonly string[] = [], count = 1) =>
    jobs.start(
      request(holding(mib, ms), {
        gpus: { count, uuids, needBytes: needGiB * GIB },
        measured: MEASURED,
        measuredIn,
      }),
      {},
      NEVER,
    );

  before(function () {
    if (process.platform !== 'linux') return this.skip();
  });
  after(async () => {
    jobs.dispose();
    await place.remove();
  });

  it('get the GPUs with the most free memory, by UUID, and record what they held in their file', async () => {
    const { id } = await start(10, 9000, 6000);
    const record = await until(jobs, id, 'succeeded', 'failed');
    assert.equal(record.state, 'succeeded', record.message ?? '');
    assert.deepEqual([record.gpus.uuids.length, record.gpus.chosen], [1, true]);
    assert.match(await outputOf(jobs, id), /^on GPU-(?:0000|1111)\n$/);
    assert.deepEqual(record.peaks, [
      { metric: 'device', bytes: 9000 * 2 ** 20, source: 'nvidia-smi by process' },
    ]);
    const samples = await jobs.samples(id, NEVER);
    const held = samples.flatMap(({ gpus }) => gpus.map(one => [one.uuid, one.heldBytes]));
    assert.ok(held.some(([uuid, bytes]) => uuid === record.gpus.uuids[0] && bytes === 9000 * 2 ** 20));
    assert.ok(held.every(([uuid]) => uuid === record.gpus.uuids[0]));
    // It is kept when everything else is done.
    while (!existsSync(measuredIn) || readFileSync(measuredIn, 'utf8') === '') await pause(50);
    const { measurements } = readMeasurements(readFileSync(measuredIn, 'utf8'));
    assert.deepEqual(
      measurements.map(({ source, metric, bytes, gpu, family }) => [source, metric, bytes, gpu, family]),
      [['job', 'device', 9000 * 2 ** 20, 'NVIDIA A100-SXM4-80GB', 'llama']],
    );
  });

  it('do not get the same memory when they start at once, and keep their order', async () => {
    // Two jobs of 14 GiB fit on two GPUs of 24; a third waits, and a fourth that would fit waits behind it.
    const all = await Promise.all([
      start(14, 13_000, 5000),
      start(14, 13_000, 5000),
      start(14, 13_000, 2000),
    ]);
    const records = await Promise.all(all.map(({ id }) => until(jobs, id, 'running', 'queued')));
    const last = await start(2, 1000, 100);
    const waiting = await until(jobs, last.id, 'queued');
    assert.ok(waiting);
    const ended = await Promise.all(
      [...all, last].map(({ id }) => until(jobs, id, 'succeeded', 'failed', 'lost')),
    );
    assert.ok(ended.every(({ state }) => state === 'succeeded'));
    const firsts = ended.slice(0, 3).toSorted((a, b) => (a.startedMs ?? 0) - (b.startedMs ?? 0));
    const [one, two, three] = firsts;
    assert.notDeepEqual(one?.gpus.uuids, two?.gpus.uuids);
    assert.ok((three?.startedMs ?? 0) >= Math.min(one?.endedMs ?? 0, two?.endedMs ?? 0), 'the third waited');
    assert.ok((ended[3]?.startedMs ?? 0) >= (three?.startedMs ?? Infinity), 'nobody overtakes');
    assert.equal(records.length, 3);
  });

  it('say what they wait for, and can be canceled', async () => {
    const first = await start(20, 20_000, 60_000, [GPUS[0] ?? '']);
    await until(jobs, first.id, 'running');
    const second = await start(10, 1000, 100, [GPUS[0] ?? '']);
    let { message, waits } = await until(jobs, second.id, 'queued');
    while (!message) ({ message, waits } = await until(jobs, second.id, 'queued'));
    assert.match(message, /^waits for 10\.0 GB on a GPU: at most \d/);
    assert.deepEqual(waits, { for: 'gpus' });
    const third = await start(2, 1000, 100, [GPUS[0] ?? '']);
    let behind = await until(jobs, third.id, 'queued');
    while (!behind.message) behind = await until(jobs, third.id, 'queued');
    assert.deepEqual(behind.waits, { for: 'job', id: second.id });
    await jobs.stop(third.id, NEVER);
    // Another GPU does not affect them.
    const other = await start(10, 1000, 100, [GPUS[1] ?? '']);
    assert.equal((await until(jobs, other.id, 'succeeded', 'failed')).state, 'succeeded');
    const stopped = await jobs.stop(second.id, NEVER);
    assert.equal(stopped.state, 'stopped');
    const end = await jobs.stop(first.id, NEVER);
    assert.equal(end.state, 'stopped');
    assert.match(end.message ?? '', /was freed/);
  });

  it('do not wait for resources that will never exist', async () => {
    const { id } = await start(1, 10, 10, [], 3);
    const { state, message } = await until(jobs, id, 'failed', 'succeeded', 'queued');
    const record = state === 'queued' ? await until(jobs, id, 'failed') : { message };
    assert.match(record.message ?? '', /needs 3 GPUs, but this machine has 2/);
  });
});
