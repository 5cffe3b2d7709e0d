import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readManifest } from '../../src/embed/output/manifest';
import { nodeBeside, processesWith } from '../services/processes';
import type { Ended } from '../services/processes';
import { Ray, whyNoRay } from '../services/ray/ray';
import { Slurm, whyNoSlurm } from '../services/slurm/slurm';
import { SshBench, whyNoSshd } from '../services/ssh/sshd';
import { vectorsIn } from '../unit/embed/folders';
import { tinyTexts } from '../unit/embed/tinyModel';
import { writeTinySafetensors } from '../unit/embed/tinySafetensors';
import { toolsWithoutNode } from './withoutNode';

const CLI = resolve('dist/cli.js');
const SLURM_PORT = 18_470;
const RAY_PORT = 28_960;
const ROWS = 103;

describe('an embedding on a cluster without Node', function () {
  this.timeout(600_000);
  const python = process.env['HEADROOM_TEST_EMBED_PYTHON'];
  const noPython = python === undefined ? 'no Python with sentence-transformers can be had' : null;
  let work: string;

  before(() => {
    work = mkdtempSync(join(tmpdir(), 'headroom-cluster-'));
    mkdirSync(join(work, 'texts'));
    const lines = tinyTexts(ROWS).map((text, at) => JSON.stringify({ id: `t${at}`, text }));
    writeFileSync(join(work, 'texts/texts.jsonl'), `${lines.join('\n')}\n`);
    writeTinySafetensors(join(work, 'texts/model'));
    // What a repository leaves out is brought along all the same: it was asked for.
    spawnSync('git', ['init', '-q', work]);
    writeFileSync(join(work, '.gitignore'), '*.safetensors\n*.parts\n');
  });

  after(() => rmSync(work, { recursive: true, force: true }));

  function embed(out: string, environment: NodeJS.ProcessEnv, ...more: readonly string[]): Promise<Ended> {
    const args = [
      ...[CLI, 'embed', join(work, 'texts/texts.jsonl'), '--out', join(work, out), '--json'],
      ...['--model', join(work, 'texts/model'), '--device', 'cpu', '--progress', 'none'],
      ...['--parts', '2', '--python', python ?? '', ...more],
    ];
    return nodeBeside(args, { HEADROOM_STATE: join(work, 'state'), ...environment });
  }

  async function checkWhole(folder: string, { code, out, err }: Ended): Promise<void> {
    assert.equal(code, 0, err);
    assert.deepEqual((JSON.parse(out) as { shape: unknown }).shape, [ROWS, 32]);
    assert.match(err, /parts run with sentence-transformers/);
    const whole = join(work, folder);
    assert.equal((await readManifest(whole))?.model.runtime, 'sentence-transformers');
    assert.ok((await vectorsIn(whole)).every(vector => Math.abs(Math.hypot(...vector) - 1) < 1e-5));
    const ids = readFileSync(join(whole, 'shard-00000.ids.jsonl'), 'utf8').trim().split('\n');
    assert.deepEqual(
      ids.map(id => JSON.parse(id) as unknown),
      Array.from({ length: ROWS }, (_, at) => `t${at}`),
    );
    assert.equal(existsSync(`${whole}.parts`), false);
    const jobs = spawnSync(process.execPath, [CLI, 'jobs', '--all', '--json'], {
      encoding: 'utf8',
      env: { ...process.env, HEADROOM_STATE: join(work, 'state') },
    });
    assert.match(jobs.stdout, /start\.py/);
    assert.doesNotMatch(jobs.stdout, /cli\.js/);
  }

  describe('Slurm', () => {
    let slurm: Slurm;
    let bench: SshBench | null = null;
    const reason = noPython ?? whyNoSlurm();

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

    it('is an array of its Python behind a login node, which has no headroom', async function () {
      if (whyNoSshd() !== null) this.skip();
      bench = new SshBench();
      const home = join(work, 'home');
      mkdirSync(home);
      const path = toolsWithoutNode(join(bench.folder, 'tools'));
      await bench.serve('login', null, { path, environment: { SLURM_CONF: slurm.conf, HOME: home } });
      const place = ['--slurm', 'login', '--ssh-config', bench.configFile, '--partition', 'gpu'];
      const ended = await embed('login', {}, ...place);
      await checkWhole('login', ended);
      assert.match(ended.err, /There is no headroom on login: all parts are calculated/);
      const left = readdirSync(join(home, '.headroom/jobs'), { recursive: true, encoding: 'utf8' });
      assert.deepEqual(
        left.filter(name => name.endsWith('texts.jsonl')),
        [],
      );
      assert.match(ended.err, /Brings \d+ files \([\d.]+ \w+\) to login …/);
    });

    it('is one where all folders are seen, as it was asked for', async () => {
      const ended = await embed(
        'here',
        { SLURM_CONF: slurm.conf },
        '--slurm',
        '--partition',
        'gpu',
        '--only-python',
      );
      await checkWhole('here', ended);
      assert.doesNotMatch(ended.err, /Brings/);
    });
  });

  describe('Ray', () => {
    let ray: Ray;
    let reason = noPython;

    before(async function () {
      reason ??= whyNoRay();
      if (reason !== null) {
        console.log(`    skipped: ${reason}`);
        this.skip();
      }
      ray = new Ray(RAY_PORT, 2);
      await ray.start();
    });

    after(async () => {
      if (reason !== null) return;
      await ray.end();
      assert.deepEqual(processesWith(ray.folder), []);
    });

    it('is a job a part, in Python alone', async () => {
      const ended = await embed('ray', { RAY_AUTH_TOKEN: ray.token }, '--ray', ray.address, '--only-python');
      await checkWhole('ray', ended);
    });
  });
});
