import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readManifest } from '../../src/embed/output/manifest';
import type { Ended } from '../services/processes';
import { onRay, onSlurm, TextsToSpread } from '../services/spread';
import { whyNoSshd } from '../services/ssh/sshd';
import { vectorsIn } from '../unit/embed/folders';
import { writeTinySafetensors } from '../unit/embed/tinySafetensors';
import { toolsWithoutNode } from './python';

const SLURM_PORT = 18_470;
const RAY_PORT = 28_960;
const ROWS = 103;

describe('an embedding on a cluster without Node.js', function () {
  this.timeout(600_000);
  const python = process.env['HEADROOM_TEST_EMBED_PYTHON'];
  const reason = python === undefined ? 'no Python with sentence-transformers can be had' : null;
  let work: TextsToSpread;

  before(() => {
    work = new TextsToSpread(ROWS, writeTinySafetensors);
    // Files that a repository ignores are still copied: they were requested.
    spawnSync('git', ['init', '-q', work.folder]);
    writeFileSync(join(work.folder, '.gitignore'), '*.safetensors\n*.parts\n');
  });

  after(() => work.remove());

  const embed = (out: string, environment: NodeJS.ProcessEnv, ...more: readonly string[]): Promise<Ended> =>
    work.embed(
      out,
      environment,
      ...['--progress', 'none', '--parts', '2', '--python', python ?? '', ...more],
    );

  async function checkWhole(out: string, ended: Ended): Promise<void> {
    work.checkMerged(out, ended);
    assert.match(ended.err, /parts run with sentence-transformers/);
    const whole = join(work.folder, out);
    assert.equal((await readManifest(whole))?.model.runtime, 'sentence-transformers');
    assert.ok((await vectorsIn(whole)).every(vector => Math.abs(Math.hypot(...vector) - 1) < 1e-5));
    assert.match(work.jobs(), /start\.py/);
    assert.doesNotMatch(work.jobs(), /cli\.js/);
  }

  onSlurm(SLURM_PORT, reason, ({ slurm, login }) => {
    it('is an array in its Python behind a login node without headroom', async function () {
      if (whyNoSshd() !== null) this.skip();
      const home = join(work.folder, 'home');
      const config = await login(home, bench => toolsWithoutNode(join(bench.folder, 'tools')));
      const place = ['--slurm', 'login', '--ssh-config', config, '--partition', 'gpu'];
      const ended = await embed('login', {}, ...place);
      await checkWhole('login', ended);
      assert.match(ended.err, /headroom is not installed on login: all parts run with/);
      const left = readdirSync(join(home, '.headroom/jobs'), { recursive: true, encoding: 'utf8' });
      assert.deepEqual(
        left.filter(name => name.endsWith('texts.jsonl')),
        [],
      );
      assert.match(ended.err, /Copying \d+ files \([\d.]+ \w+\) to login …/);
    });

    it('is an array in place if all folders are shared', async () => {
      const environment = { SLURM_CONF: slurm().conf };
      const ended = await embed('here', environment, '--slurm', '--partition', 'gpu', '--only-python');
      await checkWhole('here', ended);
      assert.doesNotMatch(ended.err, /Copying/);
    });
  });

  onRay(RAY_PORT, { gpus: 2, reason }, ray => {
    it('is one job per part, only in Python', async () => {
      const environment = { RAY_AUTH_TOKEN: ray().token };
      await checkWhole('ray', await embed('ray', environment, '--ray', ray().address, '--only-python'));
    });
  });
});
