import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { commandHere } from '../../../src/world/programs';

describe('a command on this machine', function () {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-programs-'));
  const environment = { PATH: join(folder, 'bin') };
  const here = (...argv: readonly string[]) => commandHere({ argv, resume: argv, folder, environment });

  before(function () {
    if (process.platform === 'win32') return this.skip();
    for (const path of [
      'bin/python',
      'bin/axolotl',
      'src/train.py',
      'one/eval.py',
      'two/eval.py',
      'main.py',
    ]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), '');
      chmodSync(join(folder, path), path.startsWith('bin/') ? 0o755 : 0o644);
    }
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('stays as it is where all of it is there', async () => {
    for (const argv of [
      ['axolotl', 'train', 'a.yml'],
      ['python', 'main.py', '--x'],
      ['python', '-m', 'pkg'],
    ]) {
      assert.deepEqual(await here(...argv), { argv, resume: argv, why: null });
    }
  });

  it('takes the only script of that name below the folder', async () => {
    const { argv, resume, why } = await here('python', 'train.py', '--config-name', 'train');
    assert.deepEqual(argv, ['python', 'src/train.py', '--config-name', 'train']);
    assert.deepEqual([resume, why], [argv, null]);
  });

  it('says which program or script is not there', async () => {
    assert.match((await here('trl', 'sft')).why ?? '', /^trl isn't installed here: it is not on the PATH/);
    assert.match((await here('./run.sh')).why ?? '', /^\.\/run\.sh isn't installed here/);
    assert.match((await here('python', 'gone.py')).why ?? '', /^gone\.py isn't in .*Start the run from/);
    assert.match((await here('python', 'eval.py')).why ?? '', /Found: one\/eval\.py, two\/eval\.py\.$/);
  });
});
