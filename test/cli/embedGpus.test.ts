import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fakeGpus } from '../jobs/fakeGpus';
import { tinyTexts, writeTinyModel } from '../unit/embed/tinyModel';
import { file, folder, headroom, inTemporaryFolder } from './headroom';

const CLI = resolve('dist/cli.js');
const GPUS = ['GPU-aaaa0000', 'GPU-bbbb1111', 'GPU-cccc2222'];

interface Job {
  readonly name: string;
  readonly state: string;
  readonly gpus: { readonly uuids: readonly string[] };
}

describe('headroom embed --gpus', function () {
  this.timeout(120_000);
  inTemporaryFolder();

  before(function () {
    // The fake nvidia-smi is a script with a shebang, which Windows does not support.
    if (process.platform === 'win32') this.skip();
  });

  /** The CLI on a machine with three GPUs. */
  function onGpus(...args: readonly string[]) {
    const { executable } = fakeGpus(join(folder(), 'bin'), 81920, GPUS);
    const run = spawnSync(process.execPath, [CLI, ...args], {
      cwd: folder(),
      encoding: 'utf8',
      timeout: 100_000,
      env: {
        NODE_DISABLE_COMPILE_CACHE: '1',
        PATH: `${dirname(executable)}:${dirname(process.execPath)}:/usr/bin:/bin`,
        XDG_STATE_HOME: join(folder(), 'state'),
        HOME: folder(),
        NO_COLOR: '1',
      },
    });
    return { code: run.status, out: run.stdout, err: run.stderr };
  }

  const given = (): readonly string[] => {
    const rows = tinyTexts(90).map((text, i) => `${JSON.stringify({ id: `t${i}`, text })}\n`);
    file('texts.jsonl', rows.join(''));
    writeTinyModel(join(folder(), 'model'));
    return ['embed', 'texts.jsonl', '--model', 'model'];
  };

  const vectors = (name: string): string =>
    readFileSync(join(folder(), name, 'shard-00000.npy')).toString('base64');

  const jobs = (): readonly Job[] =>
    (JSON.parse(onGpus('jobs', '--all', '--json').out) as { readonly jobs: readonly Job[] }).jobs;

  it('runs one process per GPU, each seeing only its own, and writes the bytes of a single process', () => {
    const embed = given();
    const all = onGpus(...embed, '--out', 'all', '--gpus', 'all', '--progress', 'json');
    assert.deepEqual([all.code, all.out.trim()], [0, `${join(folder(), 'all')}: (90, 32)`], all.err);
    assert.match(all.err, /^3 parts on this machine · GPU-aaaa0000, .*GPU-bbbb1111, .*GPU-cccc2222$/m);
    assert.match(all.err, /^3 GPUs, but Headroom's own engine computes on the CPU.* add --worker python\.$/m);
    assert.match(all.err, /"event":"embed-parts","parts":3,"done":3/);
    const started = jobs();
    assert.deepEqual(
      started.map(({ state }) => state),
      ['succeeded', 'succeeded', 'succeeded'],
    );
    assert.deepEqual(started.flatMap(({ gpus }) => gpus.uuids).toSorted(), GPUS);
    assert.equal(onGpus(...embed, '--out', 'one').code, 0);
    assert.equal(vectors('all'), vectors('one'));
    assert.ok(!existsSync(join(folder(), 'all.parts')));
    assert.match(onGpus('verify', 'all', '--shape', '90,32').out, /ids unique/);
  });

  it('uses the chosen GPUs, in the requested number of parts', () => {
    const embed = given();
    const two = onGpus(...embed, '--out', 'two', '--gpus', '0,2', '--parts', '4');
    assert.deepEqual([two.code, two.out.trim()], [0, `${join(folder(), 'two')}: (90, 32)`], two.err);
    const used = jobs().flatMap(({ gpus }) => gpus.uuids);
    assert.equal(used.length, 4);
    assert.deepEqual([...new Set(used)].toSorted(), [GPUS[0], GPUS[2]]);
  });

  it('reports errors in a choice of GPUs', () => {
    const embed = [...given(), '--out', 'out'];
    const why = (...args: readonly string[]): string => {
      const { code, err } = onGpus(...embed, ...args);
      assert.notEqual(code, 0);
      return err;
    };
    assert.match(why('--gpus', '0,7'), /no GPU 7 here\. There is 0, 1, 2; or use --gpus all/);
    assert.match(why('--gpus', 'some'), /Expected all, or numbers of GPUs such as 0,1/);
    assert.match(why('--gpus', 'all', '--shard', '1/2'), /leave out --shard/);
    assert.match(why('--gpus', 'all', '--hosts', 'a'), /leave out --hosts/);
    assert.match(why('--gpus', 'all', '--device', 'cpu'), /Choose one of --gpus and --device cpu/);
    const none = headroom(...embed, '--gpus', 'all');
    assert.equal(none.code, 3);
    assert.match(none.err, /^--gpus: no GPU found here\. Leave it out: one process uses all cores\.$/m);
    const parts = headroom(...embed, '--parts', '4');
    assert.equal(parts.code, 3);
    assert.match(
      parts.err,
      /^--parts splits over GPUs or machines: add --gpus all, --hosts, --slurm or --ray\. /m,
    );
  });
});
