// What users install: the package, without the smoke-test driver.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../scripts/lib/processes.mjs';
import { root } from '../../scripts/lib/root.mjs';
import { inVSCode } from './window';

const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly name: string;
  readonly version: string;
};
const vsix = join(root, 'dist', `${name}-${version}.vsix`);

describe('the package', () => {
  before(async () => {
    const { status, output } = await run(process.execPath, ['scripts/package.mjs'], {
      cwd: root,
      timeoutMs: 50_000,
    });
    assert.equal(status, 0, output);
  });

  inVSCode('installed @gate', { workspace: 'media/sample', extension: null, vsix: [vsix] }, test => {
    test('answers on a config', async vs => {
      await vs.open('axolotl/llama-3.1-8b-qlora.yml');
      await vs.codeLenses(/fit|tight/);
    });
  });
});
