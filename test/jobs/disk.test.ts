import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { JobError } from '../../src/jobs/engine';
import { NEVER, Place, request, until } from './support';

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
    if (isThere) spawnSync('umount', [room.state]);
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
    const { id } = await jobs.start(request('setTimeout(() => {}, 1500)'), {}, NEVER);
    const { pid } = JSON.parse(await processOf(id)) as { pid: number };
    fill();
    while (existsSync(`/proc/${pid}`)) await new Promise(done => setTimeout(done, 50));
    const meanwhile = await jobs.get(id);
    assert.ok(meanwhile && meanwhile.state !== 'lost' && meanwhile.state !== 'failed', meanwhile?.state);
    rmSync(filling);
    assert.equal((await until(jobs, id, 'succeeded', 'lost', 'failed')).exit?.code, 0);
  });

  /** A job that writes to the disk that holds its record, and its first process. */
  const started = async () => {
    const { id } = await jobs.start(request('setInterval(() => {}, 1000)'), {}, NEVER);
    await until(jobs, id, 'running');
    const { pid } = JSON.parse(await processOf(id)) as { pid: number };
    return { id, pid };
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
    while (!existsSync(written)) await new Promise(done => setTimeout(done, 50));
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
    while (existsSync(keeper)) await new Promise(done => setTimeout(done, 50));
    while (!mount('-o', 'remount,ro', room.state)) await new Promise(done => setTimeout(done, 50));
    await assert.rejects(jobs.start(request(''), {}, NEVER), isDisk);
    assert.equal((await jobs.get(id))?.state, 'succeeded');
    await assert.rejects(jobs.clean(id, true, NEVER), isDisk);
    mount('-o', 'remount,rw', room.state);
    await jobs.clean(id, false, NEVER);
    assert.equal(await jobs.get(id), null);
  });

  async function processOf(id: string): Promise<string> {
    await until(jobs, id, 'running');
    const { readFile } = await import('node:fs/promises');
    return readFile(join(room.state, 'jobs', id, 'process.json'), 'utf8');
  }
});
