import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { AllJobs } from '../../src/jobs/allJobs';
import { engineMakers } from '../../src/jobs/engines/registry';
import { openJobs } from '../../src/jobs/openJobs';
import { jobPaths } from '../../src/jobs/stateFolder';
import { readProcessFile } from '../../src/jobs/processFile';
import { NEVER, outputOf, Place, request, until } from './support';
import { signalTo } from '../signals';

const FOREVER = 'setInterval(() => {}, 1000);';

function isThere(pid: number): boolean {
  try {
    // A zombie process counts as gone.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** The process of a running job. It runs a moment before its number is written down, and 0 would be this process's group. */
async function pidOf(state: string, id: string): Promise<number> {
  for (;;) {
    const pid = (await readProcessFile(jobPaths(state, id).process))?.pid ?? null;
    if (pid !== null) return pid;
    await pause(20);
  }
}

describe('jobs on this machine', () => {
  const place = new Place();
  const { jobs, room } = place;
  const start = (script: string, more = {}) => jobs.start(request(script, more), {}, NEVER);
  after(() => place.remove());

  it('say why a program could not be started', async () => {
    const { id } = await start('', { argv: ['headroom-has-no-such-program'] });
    const { state, message } = await until(jobs, id, 'failed', 'succeeded');
    assert.equal(state, 'failed');
    assert.match(message ?? '', /^headroom-has-no-such-program: not found on your PATH/);
    const nowhere = await start('', { folder: join(room.state, 'nowhere') });
    assert.match(
      (await until(jobs, nowhere.id, 'failed')).message ?? '',
      /the working folder does not exist/,
    );
  });

  it('get their own environment, and secrets that are written nowhere', async () => {
    const script =
      'console.log(JSON.stringify([process.env.SHOWN, process.env.HF_TOKEN, process.env.HEADROOM_JOB, process.env.PYTHONUNBUFFERED]))';
    const asked = request(script, { environment: { SHOWN: 'yes' }, secrets: ['HF_TOKEN'] });
    const { id } = await jobs.start(asked, { HF_TOKEN: 'hf_verysecret' }, NEVER);
    await until(jobs, id, 'succeeded');
    assert.deepEqual(JSON.parse(await outputOf(jobs, id)), ['yes', 'hf_verysecret', id, '1']);
    const { folder, output } = jobPaths(room.state, id);
    const written = readdirSync(folder)
      .map(name => join(folder, name))
      .filter(file => file !== output)
      .map(file => readFileSync(file, 'utf8'));
    assert.ok(written.length >= 3 && written.every(text => !text.includes('hf_verysecret')));
  });

  it('are seen by another window, and stopped from there', async () => {
    const { id } = await start(`${FOREVER} process.on('SIGINT', () => process.exit(0)); console.log('up')`);
    const other = new AllJobs({ state: room.state, engines: engineMakers.map(make => make(room)) });
    await until(other, id, 'running');
    while (!(await outputOf(other, id)).includes('up')) await pause(20);
    const { state, exit } = await other.stop(id, NEVER);
    assert.deepEqual([state, exit?.code], ['stopped', 0]);
    assert.equal((await jobs.get(id))?.state, 'stopped');
    other.dispose();
  });

  it('end whatever they ignore, with all processes that they started in other sessions', async function () {
    if (process.platform !== 'linux') return this.skip();
    const quick = { interruptMs: 300, terminateMs: 300, killMs: 5000 };
    const { state } = room;
    const stopping = new AllJobs({
      state,
      engines: engineMakers.map(make => make(room)),
      pauses: quick,
    });
    const deaf = `for (const s of ['SIGINT', 'SIGTERM']) process.on(s, () => {}); ${FOREVER}`;
    const script = `${deaf} const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(deaf)}], { detached: true, stdio: 'ignore' }); child.unref(); console.log(child.pid);`;
    const { id } = await start(script);
    await until(jobs, id, 'running');
    let worker = '';
    while (!/^\d+\n/.test(worker)) worker = await outputOf(jobs, id);
    assert.ok(isThere(Number(worker)));
    const { state: end, exit } = await stopping.stop(id, NEVER);
    assert.deepEqual([end, exit?.signal], ['stopped', 'SIGKILL']);
    assert.equal(isThere(Number(worker)), false);
  });

  it('end with processes that left their session, parent and environment', async function () {
    if (process.platform !== 'linux') return this.skip();
    const escaped = 'sh -c \'echo $$ > escaped; trap "" INT TERM; while :; do sleep 0.2; done\'';
    const folder = join(room.state, '..');
    const { id } = await start('', {
      folder,
      argv: ['sh', '-c', `(setsid env -u HEADROOM_JOB ${escaped} >/dev/null 2>&1 &); exec sleep 100`],
    });
    await until(jobs, id, 'running');
    const file = join(folder, 'escaped');
    while (!existsSync(file) || readFileSync(file, 'utf8') === '') await pause(50);
    const pid = Number(readFileSync(file, 'utf8'));
    assert.ok(isThere(pid));
    const { cgroup } = (await readProcessFile(jobPaths(room.state, id).process)) ?? {};
    // Without a cgroup, a process that lost all four marks of its job cannot be told from a stranger.
    if (!cgroup) {
      signalTo(pid, 'SIGKILL');
      return this.skip();
    }
    const { state } = room;
    const pauses = { interruptMs: 3000, terminateMs: 500, killMs: 5000 };
    const stopping = new AllJobs({ state, engines: engineMakers.map(make => make(room)), pauses });
    assert.equal((await stopping.stop(id, NEVER)).state, 'stopped');
    assert.equal(isThere(pid), false);
    while (existsSync(cgroup)) await pause(50);
  });

  it('are stopped at their current place after their state was moved', async function () {
    if (process.platform === 'win32') return this.skip();
    const other = new Place();
    const { id } = await other.jobs.start(request(FOREVER), {}, NEVER);
    await until(other.jobs, id, 'running');
    const pid = await pidOf(other.room.state, id);
    const moved = join(other.folder, 'moved');
    renameSync(other.room.state, moved);
    const there = openJobs({ ...other.room, state: moved });
    assert.equal((await there.stop(id, NEVER)).state, 'stopped');
    assert.equal(isThere(pid), false);
    there.dispose();
    await other.remove();
  });

  it('continue when their keeper is killed, and are told apart from lost jobs', async function () {
    if (process.platform !== 'linux') return this.skip();
    const { id, handle } = await start(FOREVER);
    await until(jobs, id, 'running');
    const pid = await pidOf(room.state, id);
    signalTo(Number(handle?.['keeper']), 'SIGKILL');
    await pause(100);
    assert.equal((await jobs.get(id))?.state, 'running');
    signalTo(pid, 'SIGKILL');
    const { state, message } = await until(jobs, id, 'lost', 'failed');
    assert.equal(state, 'lost');
    assert.match(message ?? '', /Lost track of the job: the machine restarted, or its monitor was killed/);
  });

  it('run until the last process of their group has ended', async function () {
    if (process.platform === 'win32') return this.skip();
    const { id } = await start('', { argv: ['sh', '-c', 'sleep 4 & exit 0'] });
    let now = await until(jobs, id, 'running');
    // A process that the shell has just put into the background is called `sh` until it has become `sleep`.
    while (now.state === 'running' && !(now.message ?? '').includes('; sleep')) {
      await pause(100);
      now = (await jobs.get(id)) ?? now;
    }
    assert.equal(now.state, 'running');
    assert.match(now.message ?? '', /first process has ended \(code 0\); sleep \(\d+\) still run/);
    assert.equal((await until(jobs, id, 'succeeded', 'failed')).state, 'succeeded');
  });
});
