import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
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
import { pause, processesWith } from '../processes';
import { Slurm, whyNoSlurm } from '../slurm/slurm';
import { SshBench, whyNoSshd } from '../ssh/sshd';
import { CONFIG, killed, TRAINER } from './kills';
import { skipFor } from '../../skipFor';

const CLI = resolve('dist/cli.js');
const BASE_PORT = 18_430;
/** More than a submission takes on a busy machine; the default is two minutes. */
const START_LIMIT_S = 15;

describe('services: jobs of Slurm whose start is killed', function () {
  this.timeout(600_000);
  let slurm: Slurm;
  let bench: SshBench;
  let home: string;
  let work: string;
  const reason = whyNoSlurm() ?? whyNoSshd();

  before(async function () {
    skipFor(reason, this);
    slurm = new Slurm(BASE_PORT);
    await slurm.start();
    bench = new SshBench();
    home = join(slurm.folder, 'home');
    mkdirSync(home);
    await bench.serve('login', null, { environment: { SLURM_CONF: slurm.conf, HOME: home } });
  });

  beforeEach(() => {
    work = mkdtempSync(join(tmpdir(), 'headroom-work-'));
    mkdirSync(join(work, '.venv/bin'), { recursive: true });
    writeFileSync(join(work, '.venv/bin/axolotl'), TRAINER, { mode: 0o755 });
    writeFileSync(join(work, 'lora.yml'), CONFIG);
  });

  afterEach(() => rmSync(work, { recursive: true, force: true }));

  after(async () => {
    if (reason !== null) return;
    await bench.end();
    await slurm.end();
    assert.deepEqual(processesWith(slurm.folder), []);
  });

  const options = () => ({
    cwd: work,
    env: {
      ...process.env,
      SLURM_CONF: slurm.conf,
      HOME: home,
      HEADROOM_STATE: join(slurm.folder, `state-${work.slice(-6)}`),
      HEADROOM_START_LIMIT_S: String(START_LIMIT_S),
      NO_COLOR: '1',
    },
  });

  const atHost = () => ['--ssh-config', bench.configFile];

  function listed(): readonly JobRecord[] {
    const args = [CLI, 'jobs', '--all', '--json', ...atHost()];
    const { stdout } = spawnSync(process.execPath, args, {
      ...options(),
      encoding: 'utf8',
      timeout: 100_000,
    });
    return (JSON.parse(stdout) as { jobs: JobRecord[] }).jobs;
  }

  /** A start that was interrupted between its folder and its submission is declared over after the limit. */
  async function allOver(): Promise<readonly JobRecord[]> {
    const end = Date.now() + 240_000;
    for (;;) {
      const jobs = listed();
      if (jobs.every(isFinal)) return jobs;
      if (Date.now() > end) throw new Error(JSON.stringify(jobs.filter(job => !isFinal(job))));
      await pause(1000);
    }
  }

  const runsOf = (id: string): number => {
    const file = join(home, `ran-${id}`);
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
  };

  /** Jobs with their name that Slurm ever received. */
  const submitted = (ids: readonly string[]): readonly string[] => {
    const names = slurm.run('squeue', '-h', '-t', 'all', '-o', '%j').split('\n');
    return names.filter(name => ids.some(id => name === `headroom-${id}`));
  };

  async function check(times: number, where: readonly string[], whole: boolean): Promise<void> {
    const random = seeded(`kills of a start ${where.length === 0 ? 'here' : 'through a login node'}`);
    const argv = [
      CLI,
      'run',
      'lora.yml',
      '--slurm',
      ...where,
      '--partition',
      'gpu',
      '--detach',
      '--force',
      ...atHost(),
    ];
    const began = performance.now();
    const first = spawnSync(process.execPath, argv, { ...options(), encoding: 'utf8' });
    assert.equal(first.status, 0, first.stderr);
    const tookMs = performance.now() - began;
    const before = new Set(readdirSync(home).filter(name => name.startsWith('ran-')));
    const begun = () => readdirSync(join(options().env.HEADROOM_STATE, 'jobs')).length;
    const moments = { times, fromMs: 0, toMs: tookMs, random, whole, begun };
    const count = await killed(argv, options(), moments);
    const jobs = await allOver();
    const states = jobs.map(({ state }) => state);
    console.log(`      ${count} of ${times} killed; ${jobs.length} records: ${states.join(' ')}`);
    assert.ok(count > 0);
    const ids = jobs.map(({ id }) => id);
    for (const { id, state, message } of jobs) {
      assert.ok(state === 'succeeded' || state === 'failed', `${id} ${state}: ${message}`);
      assert.equal(runsOf(id), state === 'succeeded' ? 1 : 0, `${id}: ${state}, ran ${runsOf(id)} times`);
      if (state === 'failed') {
        assert.match(message ?? '', /canceled before it was submitted|Slurm has no job of this name/, id);
      }
    }
    const given = submitted(ids);
    assert.equal(new Set(given).size, given.length, 'Slurm was given one of them twice');
    const ran = readdirSync(home).filter(name => name.startsWith('ran-') && !before.has(name));
    assert.deepEqual(
      ran.filter(name => !ids.includes(name.slice('ran-'.length))),
      [],
      'no job runs without a record',
    );
  }

  it('are neither lost nor run twice here, including everything that the start had begun', () =>
    check(20, [], true));

  it('are neither lost nor run twice through a login node', () => check(20, ['login'], false));
});
