import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { AllJobs } from '../../src/jobs/allJobs';
import { JobError } from '../../src/jobs/engine';
import { engineMakers } from '../../src/jobs/engines/registry';
import { writeWholeAtLast } from '../../src/jobs/files';
import { resumedRequest } from '../../src/jobs/request';
import { isFinal } from '../../src/jobs/settle';
import { JobStore } from '../../src/jobs/store';
import { tryLock, withLock } from '../../src/jobs/lock';
import { JOB_MARK } from '../../src/jobs/processes/processes';
import { linuxProcesses } from '../../src/jobs/processes/linux';
import { seeded } from './seeded';
import { held, NEVER, outputOf, Place, request, until } from './support';
import { signalTo } from '../signals';

const isLinux = process.platform === 'linux';
const MOMENTS = 20;

describe('jobs under faults', function () {
  this.timeout(120_000);
  const place = new Place();
  const { jobs, room } = place;
  after(() => place.remove());

  it('start exactly once and are never lost, wherever their keeper is killed', async function () {
    if (!isLinux) return this.skip();
    const ran = join(place.folder, 'ran');
    mkdirSync(ran);
    // Each start of the job leaves a file: two files would mean that it ran twice.
    const script = `require('node:fs').writeFileSync(${JSON.stringify(ran)} + '/' + process.env.HEADROOM_JOB + '-' + process.pid, ''); setTimeout(() => {}, 400)`;
    const ends: string[] = [];
    const random = seeded('kills of keepers');
    for (let i = 0; i < MOMENTS; i++) {
      const starting = jobs.start(request(script), {}, NEVER).catch(() => null);
      await pause(random() * 400);
      const killed = await killKeepers(place);
      await starting;
      const record = (await jobs.list()).at(-1);
      assert.ok(record, 'the record is there');
      const end = await until(jobs, record.id, 'succeeded', 'failed', 'lost');
      ends.push(`${end.state}${killed > 0 ? '' : ' (not killed)'}`);
      const starts = readdirSync(ran).filter(name => name.startsWith(record.id));
      assert.ok(starts.length <= 1, `started ${starts.length} times`);
      if (end.state === 'succeeded') assert.equal(starts.length, 1);
    }
    assert.equal(ends.length, MOMENTS);
    assert.ok(ends.filter(end => !end.includes('not killed')).length > MOMENTS / 4, ends.join());
    // No process of them is left.
    for (const { pid } of await linuxProcesses.all()) {
      for (const { id } of await jobs.list()) {
        assert.equal(await linuxProcesses.startedWith(pid, JOB_MARK, id), false, `${id} still runs`);
      }
    }
  });

  it('do not wait for a deleted folder', async () => {
    const gone = writeWholeAtLast(join(place.folder, 'gone', 'exit.json'), '{}');
    await assert.rejects(gone, { kind: 'disk' });
  });

  it('are known until their group ends if their keeper was killed at the worst moment', async function () {
    if (!isLinux) return this.skip();
    const { id } = await jobs.start(request('setInterval(() => {}, 1000)'), {}, NEVER);
    await until(jobs, id, 'running');
    await killKeepers(place);
    // Simulates a keeper that died between starting the process and recording its pid.
    writeFileSync(
      join(room.state, 'jobs', id, 'process.json'),
      '{"pid":null,"start":null,"group":null,"startedMs":1}',
    );
    assert.equal((await jobs.get(id))?.state, 'running');
    const stopped = await jobs.stop(id, NEVER);
    assert.ok(isFinal(stopped));
  });

  it('are not started twice by two keepers', async () => {
    const { id } = await jobs.start(request('console.log("once"); setTimeout(() => {}, 500)'), {}, NEVER);
    const again = fork(room.keeper, [join(room.state, 'jobs', id)], { stdio: 'ignore' });
    await new Promise(done => again.once('exit', done));
    await until(jobs, id, 'succeeded');
    const late = fork(room.keeper, [join(room.state, 'jobs', id)], { stdio: 'ignore' });
    await new Promise(done => late.once('exit', done));
    assert.equal(await outputOf(jobs, id), 'once\n');
  });

  it('report a state folder that is not writable, and leave nothing half written', async function () {
    if (process.platform === 'win32' || process.getuid?.() === 0) return this.skip();
    const other = new Place();
    mkdirSync(join(other.folder, 'state'));
    chmodSync(join(other.folder, 'state'), 0o500);
    await assert.rejects(
      other.jobs.start(request(''), {}, NEVER),
      error =>
        error instanceof JobError && error.kind === 'disk' && error.message.includes('is not writable'),
    );
    chmodSync(join(other.folder, 'state'), 0o700);
    assert.deepEqual(await other.jobs.list(), []);
    await other.remove();
  });

  it('say where records cannot be stored', async () => {
    const other = new Place();
    writeFileSync(join(other.folder, 'state'), 'a file');
    await assert.rejects(
      other.jobs.start(request(''), {}, NEVER),
      error => error instanceof JobError && error.kind === 'disk' && error.message.includes(other.folder),
    );
    assert.deepEqual(await other.jobs.list(), []);
    await other.remove();
  });

  it('hold back their end until the disk accepts it', async () => {
    const { script, release } = held();
    const { id } = await jobs.start(request(script), {}, NEVER);
    // A file cannot replace a folder that is not empty.
    const exit = join(room.state, 'jobs', id, 'exit.json');
    mkdirSync(join(exit, 'full'), { recursive: true });
    await until(jobs, id, 'running');
    release();
    // Meanwhile it is kept elsewhere, so that the job is not reported as running.
    assert.equal((await until(jobs, id, 'succeeded', 'lost', 'failed')).state, 'succeeded');
    rmSync(exit, { recursive: true });
    while (!existsSync(exit)) await pause(50);
    assert.match(
      readFileSync(join(exit, '../keeper.log'), 'utf8'),
      /Couldn't write how it ended; trying again/,
    );
  });

  it('skip records that are broken or from another release', async () => {
    const before = (await jobs.list()).length;
    for (const [i, text] of ['', '{', '[]', '{"schema":"headroom-job/9"}'].entries()) {
      const folder = join(room.state, 'jobs', `20200101-00000${i}-aaaaaa`);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'job.json'), text);
    }
    const { id } = await jobs.start(request(''), {}, NEVER);
    const whole = JSON.parse(JSON.stringify(await until(jobs, id, 'succeeded'))) as Record<string, unknown>;
    const odd: readonly object[] = [
      { schema: 'headroom-job/1', state: 'failed', argv: [], place: { engine: 'local' } },
      ...Object.keys(whole)
        .filter(name => !['seenMs', 'starter', 'resume', 'measured', 'measuredIn'].includes(name))
        .map(name => ({ ...whole, [name]: { odd: 1 } })),
      { ...whole, place: { engine: 'elsewhere' } },
      { ...whole, peaks: [null] },
      { ...whole, peaks: [{ bytes: 1 }], estimate: null },
      { ...whole, estimate: { metric: 'device', bytes: {}, verdict: 'fits' } },
      { ...whole, gpus: { count: '1', uuids: null } },
    ];
    for (const [i, record] of odd.entries()) {
      const other = `20200101-0001${String(i).padStart(2, '0')}-aaaaaa`;
      mkdirSync(join(room.state, 'jobs', other), { recursive: true });
      const own = (record as { id?: unknown }).id === id || i === 0 ? { ...record, id: other } : record;
      writeFileSync(join(room.state, 'jobs', other, 'job.json'), JSON.stringify(own));
    }
    await jobs.clean(id, true, NEVER);
    const tolerated = ['environment', 'handle', 'exit', 'limits'];
    assert.equal((await jobs.odd()).length >= odd.length + 4 - tolerated.length, true);
    for (const one of (await jobs.odd()).filter(name => name.startsWith('20200101-0001'))) {
      rmSync(join(room.state, 'jobs', one), { recursive: true });
    }
    for (const { id: left } of (await jobs.list()).filter(({ id: name }) =>
      name.startsWith('20200101-0001'),
    )) {
      rmSync(join(room.state, 'jobs', left), { recursive: true });
    }
    mkdirSync(join(room.state, 'jobs', '../jobs/not-a-job'), { recursive: true });
    assert.equal((await jobs.list()).length, before);
    await assert.rejects(jobs.output('../../etc', 0, NEVER), /not a job id/);
  });

  it('resume once at a time, whoever asks', async () => {
    const { id } = await jobs.start(request('process.exit(1)', { resume: ['sleep', '100'] }), {}, NEVER);
    const failed = await until(jobs, id, 'failed');
    const again = resumedRequest(failed, null);
    assert.ok(again.ok);
    const tries = await Promise.allSettled([1, 2, 3].map(() => jobs.start(again.request, {}, NEVER)));
    const [first] = tries.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []));
    assert.equal(tries.filter(one => one.status === 'fulfilled').length, 1);
    for (const one of tries) {
      if (one.status === 'rejected') assert.match(String(one.reason), new RegExp(first?.id ?? 'none'));
    }
    await jobs.stop(first?.id ?? '', NEVER);
    const { id: next } = await jobs.start(again.request, {}, NEVER);
    await jobs.stop(next, NEVER);
  });

  it('keep every change when many processes change them at once', async () => {
    const { id } = await jobs.start(request(''), {}, NEVER);
    await until(jobs, id, 'succeeded');
    const stores = Array.from({ length: 4 }, () => new JobStore(room.state));
    const more = (store: JobStore) =>
      store.update(id, now => ({
        ...now,
        peaks: [{ metric: 'device', bytes: (now.peaks[0]?.bytes ?? 0) + 1, source: 'test' }],
      }));
    await Promise.all(stores.flatMap(store => Array.from({ length: 10 }, () => more(store))));
    assert.equal((await new JobStore(room.state).read(id))?.peaks[0]?.bytes, 40);
    const left = readdirSync(join(room.state, 'jobs', id)).filter(name => /lock|\.\d+-\d+$/.test(name));
    assert.deepEqual(left, []);
  });

  it('are read again while their file may have been written twice in one clock tick', async () => {
    const { id } = await jobs.start(request(''), {}, NEVER);
    await until(jobs, id, 'succeeded');
    const store = new JobStore(room.state);
    const { record: path } = store.paths(id);
    const lately = new Date(Date.now() + 60_000);
    utimesSync(path, lately, lately);
    const before = await store.read(id);
    assert.ok(before);
    const [name, other] = [before.name, `${before.name.slice(0, -1)}~`];
    writeFileSync(path, readFileSync(path, 'utf8').replace(JSON.stringify(name), JSON.stringify(other)));
    utimesSync(path, lately, lately);
    assert.equal((await store.read(id))?.name, other);
  });

  it('are not blocked by a lock whose owner has ended', async () => {
    const path = join(place.folder, 'a.lock');
    writeFileSync(path, '{"pid":999999,"start":"none"}');
    assert.equal(await withLock(path, () => Promise.resolve('done')), 'done');
    const release = await tryLock(path);
    assert.ok(release);
    assert.equal(await tryLock(path), null);
    await release();
    assert.throws(() => readFileSync(path));
  });

  it('look the same from two windows', async () => {
    const other = new AllJobs({ state: room.state, engines: engineMakers.map(make => make(room)) });
    const { id } = await jobs.start(request('setTimeout(() => {}, 300)'), {}, NEVER);
    const [a, b] = await Promise.all([until(jobs, id, 'succeeded'), until(other, id, 'succeeded')]);
    assert.deepEqual(a, b);
    other.dispose();
  });
});

/** Kills the keepers of this place's jobs only. */
async function killKeepers(place: Place): Promise<number> {
  const all = await linuxProcesses.all();
  const keepers = all.filter(({ pid }) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return words[1] === place.room.keeper && (words[2] ?? '').startsWith(place.room.state);
    } catch {
      return false;
    }
  });
  for (const { pid } of keepers) signalTo(pid, 'SIGKILL');
  return keepers.length;
}
