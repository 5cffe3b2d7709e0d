// The package that users install, without the smoke-test driver.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
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
    const { status, output } = await run(process.execPath, ['scripts/package.mjs', '--universal', '--web'], {
      cwd: root,
      timeoutMs: 200_000,
    });
    assert.equal(status, 0, output);
  });

  it('includes the licenses of all bundled packages @gate', () => {
    const files = unzipSync(readFileSync(vsix));
    const notices = strFromU8(files['extension/THIRD_PARTY_NOTICES.txt'] ?? new Uint8Array());
    for (const its of [
      ...['yaml', 'diff', 'commander', 'uplot', 'systeminformation', 'pbf', 'hyparquet', 'fflate'],
      ...['@huggingface/jinja', '@vscode/webview-ui-toolkit', '@microsoft/fast-element', 'tslib'],
    ]) {
      assert.match(notices, new RegExp(`^${its} \\d[\\d.]* \\([\\w-]+\\)\\n\\n\\S`, 'm'), its);
    }
  });

  it('leaves to browsers what only they load @gate', () => {
    const inPackage = (file: string) => {
      const files = unzipSync(readFileSync(file));
      const manifest = JSON.parse(strFromU8(files['extension/package.json'] ?? new Uint8Array())) as {
        readonly main?: string;
        readonly browser?: string;
      };
      const names = Object.keys(files);
      return { ...manifest, web: names.some(one => one.includes('dist/web/')), names };
    };
    const universal = inPackage(vsix);
    assert.deepEqual(
      [universal.main, universal.browser, universal.web],
      ['./dist/extension.js', undefined, false],
    );
    const web = inPackage(join(root, 'dist', `${name}-web-${version}.vsix`));
    assert.deepEqual([web.main, web.browser, web.web], [undefined, './dist/web/extension.js', true]);
    assert.ok(!web.names.includes('extension/dist/extension.js'));
  });

  inVSCode('installed @gate', { workspace: 'media/sample', extension: null, vsix: [vsix] }, test => {
    test('shows an answer on a config, and says how long the first start takes', async vs => {
      const begunMs = performance.now();
      await vs.open('axolotl/llama-3.1-8b-qlora.yml');
      await vs.codeLenses(/fit|tight/);
      const seconds = (performance.now() - begunMs) / 1000;
      console.log(`      first verdict after ${seconds.toFixed(1)} s`);
    });

    test('has a page without broken images', async vs => {
      await vs.command('Extensions: Show Installed Extensions');
      await vs.page.locator('.extension-list-item', { hasText: 'Headroom' }).first().click();
      const shown = await vs.until('text of the page', async () => {
        for (const frame of vs.page.frames()) {
          const text = await frame.locator('body').innerText({ timeout: 1000 });
          if (text.includes('Know whether it fits')) return { text, frame };
        }
        return null;
      });
      assert.match(shown.text, /Which package/);
      assert.doesNotMatch(shown.text, /^\|/m);
      assert.equal(await shown.frame.locator('table').count(), 1);
      assert.equal(await shown.frame.locator('img').count(), 0);
      assert.equal(await shown.frame.locator('pre').count(), 2);
    });
  });
});
