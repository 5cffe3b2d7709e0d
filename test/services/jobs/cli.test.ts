import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { JobRecord } from '../../../src/jobs/job';
import { isFinal } from '../../../src/jobs/settle';
import { seeded } from '../../jobs/seeded';
import { pause, processesWith, signal, withDescendants } from '../processes';
import { SshBench, whyNoSshd } from '../ssh/sshd';
import { CONFIG, killed, TRAINER } from './kills';
import { skipFor } from '../../skipFor';

const CLI = resolve('dist/cli.js');
const MOMENTS = 20;

describe('services: command line jobs over SSH', function () {
  this.timeout(400_000);
  let bench: SshBench;
  let home: string;
  let work: string;
  const reason = whyNoSshd();

  before(async function () {
    skipFor(reason, this);
    bench = new SshBench();
    home = join(bench.folder, 'home');
    const programs = join(home, '.local/bin');
    mkdirSync(programs, { recursive: true });
    writeFileSync(join(programs, 'axolotl'), TRAINER);
    chmodSync(join(programs, 'axolotl'), 0o755);
    await bench.serve('far', null, { environment: { HOME: home } });
  });

  beforeEach(() => {
    work = mkdtempSync(join(tmpdir(), 'headroom-work-'));
    writeFileSync(join(work, 'lora.yml'), CONFIG);
  });

  afterEach(() => rmSync(work, { recursive: true, force: true }));

  after(async () => {
    if (reason !== null) return;
    await bench.end();
    assert.deepEqual(processesWith(bench.folder), []);
  });

  const env = () => ({
    ...process.env,
    HEADROOM_STATE: `${work}-state`,
    HEADROOM_START_LIMIT_S: '15',
    NO_COLOR: '1',
  });
  const atHost = () => ['--ssh-config', bench.configFile];
  const START = ['run', 'lora.yml', '--host', 'far', '--detach', '--force'];

  function headroom(...args: readonly string[]) {
    const ran = spawnSync(process.execPath, [CLI, ...args, ...atHost()], {
      cwd: work,
      env: env(),
      encoding: 'utf8',
      timeout: 100_000,
    });
    return { code: ran.status, out: ran.stdout.trim(), err: ran.stderr.trim() };
  }

  const listed = () => (JSON.parse(headroom('jobs', '--all', '--json').out) as { jobs: JobRecord[] }).jobs;

  async function allOver(): Promise<readonly JobRecord[]> {
    const end = Date.now() + 150_000;
    for (;;) {
      const jobs = listed();
      if (jobs.every(isFinal)) return jobs;
      if (Date.now() > end) throw new Error(JSON.stringify(jobs.filter(job => !isFinal(job))));
      await pause(500);
    }
  }

  const runsOf = (id: string): number => {
    const file = join(home, `ran-${id}`);
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
  };

  it('are fetched and cleaned, and not cleaned before they were fetched', async () => {
    const id = headroom(...START).out;
    await allOver();
    const early = headroom('jobs', 'clean', id);
    assert.equal(early.code, 1);
    assert.match(
      early.err,
      /removing it deletes its results on far\. Download them with headroom jobs fetch/,
    );
    const fetched = headroom('jobs', 'fetch', 'last', '--into', 'back');
    assert.deepEqual([fetched.code, fetched.out], [0, join('back', 'out/model.bin')], fetched.err);
    assert.match(fetched.err, /^Downloaded 1 file of .* to back\.$/);
    assert.equal(readFileSync(join(work, 'back/out/model.bin'), 'utf8'), 'weights\n');
    const cleaned = headroom('jobs', 'clean', '--ended');
    assert.deepEqual([cleaned.code, cleaned.out], [0, id]);
    assert.deepEqual(listed(), []);
    assert.equal(existsSync(join(home, '.headroom/jobs', id)), false);
    const again = headroom('jobs', 'clean', id);
    assert.equal(again.code, 3);
    assert.match(again.err, /no such job/);
  });

  it('are neither lost nor run twice, wherever the command is killed', async () => {
    const random = seeded('kills of the command line over SSH');
    const began = performance.now();
    headroom(...START);
    const whole = performance.now() - began;
    await allOver();
    const argv = [CLI, ...START, ...atHost()];
    const times = { times: MOMENTS, fromMs: 0, toMs: 1.3 * whole };
    const count = await killed(argv, { cwd: work, env: env() }, { ...times, random, whole: false });
    const jobs = await allOver();
    const states = jobs.map(({ state }) => state);
    console.log(`      ${count} of ${MOMENTS} killed; ${jobs.length} records: ${states.join(' ')}`);
    assert.ok(count > 0);
    assert.ok(jobs.length <= MOMENTS + 1);
    for (const { id, state, message } of jobs) {
      assert.ok(state === 'succeeded' || state === 'failed', `${id} ${state}`);
      assert.equal(runsOf(id), state === 'succeeded' ? 1 : 0, `${id}: ${state}, ran ${runsOf(id)} times`);
      if (state === 'failed') assert.match(message ?? '', /canceled before it started|was interrupted/);
    }
    // The jobs that ran on the host are the jobs recorded here.
    const ran = readdirSync(home).filter(name => name.startsWith('ran-'));
    const ids = jobs.map(({ id }) => `ran-${id}`);
    assert.deepEqual(ran.filter(name => !ids.includes(name)).length, 1, 'that of the suite’s first test');
  });

  it('are neither lost nor run twice, wherever its ssh is killed', async () => {
    const random = seeded('kills of ssh');
    let cut = 0;
    for (let moment = 0; moment < MOMENTS; moment++) {
      const child = spawn(process.execPath, [CLI, ...START, ...atHost()], { cwd: work, env: env() });
      let err = '';
      child.stderr.on('data', (text: Buffer) => (err += text.toString()));
      const ended = new Promise<number | null>(done => child.once('close', done));
      while (child.exitCode === null && sshOf(child.pid).length === 0) await pause(5);
      await pause(random() * 1500);
      const found = sshOf(child.pid);
      signal(found, 'SIGKILL');
      cut += found.length;
      const code = await ended;
      if (code !== 0) assert.match(err, /far/, 'the sentence names the host');
    }
    const jobs = await allOver();
    console.log(`      ${cut} killed; ${jobs.map(({ state }) => state).join(' ')}`);
    assert.ok(cut > 0);
    assert.equal(jobs.length, MOMENTS);
    for (const { id, state, message } of jobs) {
      assert.ok(state === 'succeeded' || state === 'failed', `${id} ${state}`);
      assert.equal(runsOf(id), state === 'succeeded' ? 1 : 0, `${id}: ${state}, ran ${runsOf(id)} times`);
      if (state === 'failed') assert.notEqual(message ?? '', '');
    }
  });

  /** The ssh programs that a process started. */
  const sshOf = (pid: number | undefined): readonly number[] =>
    (pid === undefined ? [] : withDescendants(pid)).filter(one => {
      try {
        return readFileSync(`/proc/${one}/comm`, 'utf8').trim() === 'ssh';
      } catch {
        return false;
      }
    });
});
