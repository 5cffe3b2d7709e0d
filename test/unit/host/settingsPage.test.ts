import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

describe('the settings page', () => {
  it('is what the manifest says', () => {
    const run = spawnSync(process.execPath, ['scripts/settings-docs.mjs', '--check'], { encoding: 'utf8' });
    assert.equal(run.stderr, '');
    assert.equal(run.status, 0);
  });
});
