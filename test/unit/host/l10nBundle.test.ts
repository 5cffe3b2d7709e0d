import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

describe('the bundle of texts to translate', () => {
  it('has every text that the extension shows', () => {
    const run = spawnSync(process.execPath, ['scripts/l10n.mjs', '--check'], { encoding: 'utf8' });
    assert.equal(run.stderr, '');
    assert.equal(run.status, 0);
  });
});
