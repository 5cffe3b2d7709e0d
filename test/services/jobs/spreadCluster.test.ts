import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { tinyTexts, writeTinyModel } from '../../unit/embed/tinyModel';
import { nodeBeside, processesWith } from '../processes';
import type { Ended } from '../processes';
import { Ray, whyNoRay } from '../ray/ray';
import { Slurm, whyNoSlurm } from '../slurm/slurm';
import { SshBench, whyNoSshd } from '../ssh/sshd';

const SLURM_PORT = 18_270;
const RAY_PORT = 28_860;
const ROWS = 1003;
const PARTS = 4;
const CLI = resolve('dist/cli.js');

describe('services: an embedding by a scheduler', function () {
  this.timeout(400_000);
  let work: string;

  beforeEach(() => {
    work = mkdtempSync(join(tmpdir(), 'headroom-spread-'));
    mkdirSync(join(work, 'texts'));
    const texts = tinyTexts(ROWS).map((text, at) => JSON.stringify({ id: `t${at}`, text }));
    writeFileSync(join(work, 'texts/texts.jsonl'), `${texts.join('\n')}\n`);
    writeTinyModel(join(work, 'texts/model'));
  });

  afterEach(() => rmSync(work, { recursive: true, force: true }));

  /** A worker that writes down what it was given, and whose third part fails once. */
  function worker(): readonly string[] {
    const script = join(work, 'worker.sh');
    const fails = `case "$*" in *'--shard 3/'*) mkdir ${work}/failed 2>/dev/null && exit 9 ;; esac`;
    const told = `echo "\${SLURMD_NODENAME:-\${RAY_TEST_NODE:-head}}|$CUDA_VISIBLE_DEVICES|$*" >>${work}/started`;
    writeFileSync(script, `${told}\n${fails}\nexec ${process.execPath} ${CLI} "$@"\n`);
    return ['sh', script];
  }

  function embed(environment: NodeJS.ProcessEnv, ...more: readonly string[]): Promise<Ended> {
    const args = [
      ...[CLI, 'embed', join(work, 'texts/texts.jsonl'), '--out', join(work, 'vectors'), '--json'],
      ...['--model', join(work, 'texts/model'), '--workers', '1', '--device', 'cpu', '--progress', 'json'],
      ...['--parts', String(PARTS), '--host-command', ...worker(), ...more],
    ];
    return nodeBeside(args, { HEADROOM_STATE: join(work, 'state'), ...environment });
  }

  function checkWhole({ code, out, err }: Ended): readonly string[] {
    assert.equal(code, 0, err);
    assert.deepEqual((JSON.parse(out) as { shape: unknown }).shape, [ROWS, 32]);
    assert.match(err, /Part 3 on (Slurm|Ray) · 3 \(\w+\): .*; it is retried elsewhere\./);
    const ids = readFileSync(join(work, 'vectors/shard-00000.ids.jsonl'), 'utf8').trim().split('\n');
    assert.deepEqual(
      ids.map(id => JSON.parse(id) as unknown),
      Array.from({ length: ROWS }, (_, at) => `t${at}`),
    );
    assert.equal(existsSync(join(work, 'vectors.parts')), false);
    const started = readFileSync(join(work, 'started'), 'utf8').trim().split('\n');
    const parts = started.map(line => / --shard (\d)\/4 /.exec(line)?.[1]);
    assert.deepEqual(parts.toSorted(), ['1', '2', '3', '3', '4'], err);
    const machines = started.filter((_, at) => parts[at] === '3').map(line => line.split('|')[0]);
    assert.equal(new Set(machines).size, 2, `part 3 ran on ${machines.join(' and ')}`);
    return started;
  }

  /** What was started, by name. */
  function jobs(): readonly string[] {
    const env = { ...process.env, HEADROOM_STATE: join(work, 'state') };
    const run = spawnSync(process.execPath, [CLI, 'jobs', '--all', '--json'], { encoding: 'utf8', env });
    return [...run.stdout.matchAll(/"name": "(embed .*?)"/g)].map(([, name = '']) => name).sort();
  }

  describe('Slurm', () => {
    let slurm: Slurm;
    let bench: SshBench | null = null;
    const reason = whyNoSlurm();

    before(async function () {
      if (reason !== null) {
        console.log(`    skipped: ${reason}`);
        this.skip();
      }
      slurm = new Slurm(SLURM_PORT);
      await slurm.start();
    });

    after(async () => {
      if (reason !== null) return;
      await bench?.end();
      await slurm.end();
      assert.deepEqual(processesWith(slurm.folder), []);
    });

    const asks = ['--partition', 'gpu', '--part-gpus', '1', '--part-memory', '240', '--part-cpus', '1'];

    it('is one array here, a GPU for each task; the task that fails is done again; merged and verified', async () => {
      const ended = await embed({ SLURM_CONF: slurm.conf }, '--slurm', ...asks);
      const started = checkWhole(ended);
      assert.ok(
        started.every(line => /^gpu\d\|\d\|/.test(line)),
        started.join('\n'),
      );
      assert.deepEqual(jobs(), ['embed texts.jsonl 3/4', 'embed texts.jsonl in 4 parts']);
    });

    it('is copied, run and fetched through a login node', async function () {
      if (whyNoSshd() !== null) this.skip();
      const home = join(work, 'home');
      mkdirSync(home);
      bench = new SshBench();
      await bench.serve('login', null, { environment: { SLURM_CONF: slurm.conf, HOME: home } });
      const ended = await embed({}, '--slurm', 'login', '--ssh-config', bench.configFile, ...asks);
      const started = checkWhole(ended);
      assert.ok(
        started.every(line => !line.includes(join(work, 'texts'))),
        started.join('\n'),
      );
    });
  });

  describe('Ray', () => {
    let ray: Ray;
    let reason: string | null = null;

    before(async function () {
      reason = whyNoRay();
      if (reason !== null) {
        console.log(`    skipped: ${reason}`);
        this.skip();
      }
      ray = new Ray(RAY_PORT, 4);
      await ray.start();
      await ray.addNode('second', 4);
    });

    after(async () => {
      if (reason !== null) return;
      await ray.end();
      assert.deepEqual(processesWith(ray.folder), []);
    });

    it('is a job a part; the one that fails is done again; merged and verified', async () => {
      const environment = { RAY_AUTH_TOKEN: ray.token };
      checkWhole(await embed(environment, '--ray', ray.address, '--part-gpus', '1'));
    });
  });
});
