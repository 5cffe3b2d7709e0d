import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { JobError } from '../../src/jobs/engine';
import { readProcessFile } from '../../src/jobs/processFile';
import { held, NEVER, Place, request, until } from './support';

/**
 * For Node's `--require`: writes to paths that begin like that fail as on a full disk from the second `process.json` on, which names the process
 * that then runs already, until the file `freed` is there.
 */
const fullOnceStarted = (full: readonly string[], freed: string): string => `
const fs = require('node:fs/promises');
const { existsSync } = require('node:fs');
let starts = 0;
const guarded = work => async (path, ...rest) => {
  if (${JSON.stringify(full)}.some(start => String(path).startsWith(start)) && rest[0] !== 'r') {
    if (/process\\.json\\.[^/]*$/.test(path)) starts += 1;
    const isFull = starts > 1 && !existsSync(${JSON.stringify(freed)});
    if (isFull) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  }
  return work(path, ...rest);
};
const { open, writeFile } = fs;
Object.assign(fs, { open: guarded(open), writeFile: guarded(writeFile) });
`;

/** A separate file system, small enough to fill; null if this user may not create one. */
function smallDisk(folder: string): boolean {
  mkdirSync(folder, { recursive: true });
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  return mount('-t', 'tmpfs', '-o', 'size=256k', 'headroom-test', folder);
}

const mount = (...words: readonly string[]): boolean => spawnSync('mount', words).status === 0;

describe('jobs and the disk of their records', function () {
  this.timeout(120_000);
  const place = new Place();
  const { room, jobs } = place;
  const filling = join(room.state, 'filling');
  let isThere = false;

  before(function () {
    isThere = smallDisk(room.state);
    if (!isThere) this.skip();
  });

  after(async () => {
    if (isThere) {
      mount('-o', 'remount,rw', room.state);
      rmSync(filling, { force: true });
    }
    const all = await jobs.list();
    await Promise.all(all.filter(({ endedMs }) => endedMs === null).map(({ id }) => jobs.stop(id, NEVER)));
    // A keeper that has just ended a job still uses it.
    while (isThere && spawnSync('umount', [room.state]).status !== 0) await pause(50);
    await place.remove();
  });

  /** Fills the remaining space to the last byte. */
  const fill = (): void => {
    for (let size = 262_144; size >= 1; size >>= 1) {
      try {
        writeFileSync(filling, Buffer.alloc(size), { flag: 'a' });
      } catch {
        // The part that fits is written.
      }
    }
  };

  const isDisk = (error: unknown): boolean =>
    error instanceof JobError && error.kind === 'disk' && error.message.includes(room.state);

  it('report a full disk, and leave nothing half written', async () => {
    fill();
    await assert.rejects(jobs.start(request(''), {}, NEVER), isDisk);
    assert.deepEqual(await jobs.list(), []);
    assert.deepEqual(existsSync(join(room.state, 'jobs')) ? readdirSync(join(room.state, 'jobs')) : [], []);
    rmSync(filling);
  });

  it('keep their end until there is space, and are not lost', async () => {
    const { script, release } = held();
    const { id } = await jobs.start(request(script), {}, NEVER);
    const pid = await processOf(id);
    fill();
    release();
    while (existsSync(`/proc/${pid}`)) await pause(50);
    const meanwhile = await jobs.get(id);
    assert.ok(meanwhile && meanwhile.state !== 'lost' && meanwhile.state !== 'failed', meanwhile?.state);
    rmSync(filling);
    assert.equal((await until(jobs, id, 'succeeded', 'lost', 'failed')).exit?.code, 0);
  });

  /** A job that writes to the disk that holds its record, and its first process. */
  const started = async () => {
    const { id } = await jobs.start(request('setInterval(() => {}, 1000)'), {}, NEVER);
    return { id, pid: await processOf(id) };
  };

  it('are stopped on a full disk, and say so once there is space', async () => {
    const { id, pid } = await started();
    fill();
    const stopped = await jobs.stop(id, NEVER);
    assert.deepEqual([stopped.state, existsSync(`/proc/${pid}`)], ['stopped', false]);
    assert.equal((await jobs.get(id))?.state, 'stopped');
    rmSync(filling);
    await until(jobs, id, 'stopped');
    const written = join(room.state, 'jobs', id, 'exit.json');
    while (!existsSync(written)) await pause(50);
    assert.equal((await jobs.get(id))?.state, 'stopped');
  });

  it('are stopped if the folder is not writable', async () => {
    const { id, pid } = await started();
    // The file system itself is busy, because the keeper writes a log there.
    assert.ok(mount('--bind', room.state, room.state) && mount('-o', 'remount,bind,ro', room.state));
    try {
      const { state } = await jobs.stop(id, NEVER);
      assert.deepEqual([state, existsSync(`/proc/${pid}`)], ['stopped', false]);
    } finally {
      assert.equal(spawnSync('umount', ['-l', room.state]).status, 0);
    }
    assert.equal((await until(jobs, id, 'stopped')).state, 'stopped');
  });

  it('report a folder that is not writable, and stay readable', async () => {
    const { id } = await jobs.start(request(''), {}, NEVER);
    await until(jobs, id, 'succeeded');
    const { keeper } = { keeper: join(room.state, 'jobs', id, 'keeper.lock') };
    while (existsSync(keeper)) await pause(50);
    while (!mount('-o', 'remount,ro', room.state)) await pause(50);
    await assert.rejects(jobs.start(request(''), {}, NEVER), isDisk);
    assert.equal((await jobs.get(id))?.state, 'succeeded');
    await assert.rejects(jobs.clean(id, true, NEVER), isDisk);
    mount('-o', 'remount,rw', room.state);
    await jobs.clean(id, false, NEVER);
    assert.equal(await jobs.get(id), null);
  });

  /** The first process of a job, once it is written down: what runs may not be yet. */
  async function processOf(id: string): Promise<number> {
    await until(jobs, id, 'running');
    for (;;) {
      const file = await readProcessFile(join(room.state, 'jobs', id, 'process.json'));
      if (file !== null && file.pid !== null) return file.pid;
      await pause(20);
    }
  }
});

describe('jobs whose disk is full as they start', function () {
  this.timeout(120_000);
  const place = new Place();
  const { room, jobs } = place;
  const freed = join(place.folder, 'freed');
  const before = process.env['NODE_OPTIONS'];

  after(async () => {
    process.env['NODE_OPTIONS'] = before;
    if (before === undefined) delete process.env['NODE_OPTIONS'];
    writeFileSync(freed, '');
    await place.remove();
  });

  const stopsOnceFull = async (full: readonly string[]): Promise<void> => {
    rmSync(freed, { force: true });
    const hook = join(place.folder, `full-${full.length}.cjs`);
    writeFileSync(hook, fullOnceStarted(full, freed));
    const marker = join(place.folder, `ran-${full.length}`);
    const script = `require('node:fs').writeFileSync(${JSON.stringify(marker)}, String(process.pid)); setInterval(() => {}, 1000)`;
    process.env['NODE_OPTIONS'] = `--require=${hook}`;
    const { id } = await jobs.start(request(script), {}, NEVER);
    process.env['NODE_OPTIONS'] = before ?? '';
    while (!existsSync(marker) || readFileSync(marker, 'utf8') === '') await pause(20);
    const pid = Number(readFileSync(marker, 'utf8'));
    assert.equal((await readProcessFile(join(room.state, 'jobs', id, 'process.json')))?.pid, null);
    const stopped = await jobs.stop(id, NEVER);
    assert.equal(stopped.state, 'stopped', stopped.message ?? '');
    assert.throws(() => process.kill(pid, 0), 'its process is gone');
    writeFileSync(freed, '');
    while (!existsSync(join(room.state, 'jobs', id, 'exit.json'))) await pause(50);
    assert.equal((await jobs.get(id))?.state, 'stopped');
  };

  it('are followed and stopped before their process could be written down', async function () {
    if (process.platform === 'win32') return this.skip();
    await stopsOnceFull([room.state]);
  });

  it('are stopped if their end cannot be kept anywhere', async function () {
    if (process.platform === 'win32') return this.skip();
    await stopsOnceFull([room.state, join(tmpdir(), 'headroom-ends-')]);
  });
});
