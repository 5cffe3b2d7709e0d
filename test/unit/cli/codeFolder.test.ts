import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeFolderOf } from '../../../src/cli/profile/subject';

describe('the folder of the user’s own code', () => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'headroom-code-')));
  const configs = join(top, 'configs', 'deep');
  before(() => {
    for (const path of [configs, join(top, 'src', 'inner'), join(top, 'outer')]) {
      mkdirSync(path, { recursive: true });
    }
    writeFileSync(join(configs, 'beside.py'), '');
  });
  after(() => rmSync(top, { recursive: true, force: true }));

  it('is the nearest one that has its package, or the src in it', () => {
    assert.equal(codeFolderOf('beside:run', configs), configs);
    assert.equal(codeFolderOf('outer.train:run', configs), top);
    assert.equal(codeFolderOf('inner.train:run', configs), join(top, 'src'));
  });

  it('is where the command was called, else the config’s', () => {
    assert.equal(codeFolderOf('test.tries:tries', configs), process.cwd());
    assert.equal(codeFolderOf('nowhere:run', configs), configs);
    assert.equal(codeFolderOf(undefined, configs), configs);
  });
});
