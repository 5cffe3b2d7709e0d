import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { writeTinyModel } from '../../unit/embed/tinyModel';
import type { Ended } from '../processes';
import { onRay, onSlurm, TextsToSpread } from '../spread';
import { whyNoSshd } from '../ssh/sshd';

const SLURM_PORT = 18_270;
const RAY_PORT = 28_860;
const ROWS = 1003;
const CLI = resolve('dist/cli.js');

describe('services: an embedding on a scheduler', function () {
  this.timeout(400_000);
  let work: TextsToSpread;

  beforeEach(() => {
    work = new TextsToSpread(ROWS, writeTinyModel);
  });

  afterEach(() => work.remove());

  /** A worker that records its input, and whose third part fails once. */
  function worker(): readonly string[] {
    const { folder } = work;
    const script = join(folder, 'worker.sh');
    const fails = `case "$*" in *'--shard 3/'*) mkdir ${folder}/failed 2>/dev/null && exit 9 ;; esac`;
    const told = `echo "\${SLURMD_NODENAME:-\${RAY_TEST_NODE:-head}}|$CUDA_VISIBLE_DEVICES|$*" >>${folder}/started`;
    writeFileSync(script, `${told}\n${fails}\nexec ${process.execPath} ${CLI} "$@"\n`);
    return ['sh', script];
  }

  const embed = (environment: NodeJS.ProcessEnv, ...more: readonly string[]): Promise<Ended> =>
    work.embed(
      'vectors',
      environment,
      ...['--workers', '1', '--progress', 'json', '--parts', '4', '--host-command', ...worker(), ...more],
    );

  /** Checks that it is merged and that its third part was repeated on another machine; returns what was started. */
  function checkWhole(ended: Ended): readonly string[] {
    work.checkMerged('vectors', ended);
    assert.match(ended.err, /Part 3 on (Slurm|Ray) · 3 \(\w+\): .*; it is retried elsewhere\./);
    const started = readFileSync(join(work.folder, 'started'), 'utf8').trim().split('\n');
    const parts = started.map(line => / --shard (\d)\/4 /.exec(line)?.[1]);
    assert.deepEqual(parts.toSorted(), ['1', '2', '3', '3', '4'], ended.err);
    const machines = started.filter((_, at) => parts[at] === '3').map(line => line.split('|')[0]);
    assert.equal(new Set(machines).size, 2, `part 3 ran on ${machines.join(' and ')}`);
    return started;
  }

  onSlurm(SLURM_PORT, null, ({ slurm, login }) => {
    const asks = ['--partition', 'gpu', '--part-gpus', '1', '--part-memory', '240', '--part-cpus', '1'];

    it('runs one local array with a GPU per task, retries a failed task, merges and verifies', async () => {
      const started = checkWhole(await embed({ SLURM_CONF: slurm().conf }, '--slurm', ...asks));
      assert.ok(
        started.every(line => /^gpu\d\|\d\|/.test(line)),
        started.join('\n'),
      );
      const names = [...work.jobs().matchAll(/"name": "(embed .*?)"/g)].map(([, name = '']) => name);
      assert.deepEqual(names.sort(), ['embed texts.jsonl 3/4', 'embed texts.jsonl in 4 parts']);
    });

    it('is copied, run and fetched through a login node', async function () {
      if (whyNoSshd() !== null) this.skip();
      const config = await login(join(work.folder, 'home'));
      const started = checkWhole(await embed({}, '--slurm', 'login', '--ssh-config', config, ...asks));
      assert.ok(
        started.every(line => !line.includes(work.texts)),
        started.join('\n'),
      );
    });
  });

  onRay(RAY_PORT, { gpus: 4, reason: null, nodes: ['second'] }, ray => {
    it('runs one job per part, retries a failed part, merges and verifies', async () => {
      const environment = { RAY_AUTH_TOKEN: ray().token };
      checkWhole(await embed(environment, '--ray', ray().address, '--part-gpus', '1'));
    });
  });
});
