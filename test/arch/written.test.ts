import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

const PAGES = [
  ['the pages and the table of rules', 'rules-docs'],
  ['the page of settings', 'settings-docs'],
  ['the bundle of texts to translate', 'l10n'],
] as const;

describe('generated files', function () {
  this.timeout(120_000);

  for (const [what, script] of PAGES) {
    it(`are up to date: ${what}`, () => {
      const run = spawnSync(process.execPath, [`scripts/${script}.mjs`, '--check'], { encoding: 'utf8' });
      assert.equal(run.stderr, '', `${run.stderr}node scripts/${script}.mjs writes it`);
      assert.equal(run.status, 0);
    });
  }
});
