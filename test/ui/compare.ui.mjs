// Compare GPUs for This Config: the list, the page, a target chosen from it, and what the editor says of the GPU here.
import assert from 'node:assert/strict';
import { replaying } from './replay.mjs';
import { PLAN } from './plans.mjs';
import { inVSCode } from './window.mjs';

const FILE = 'trl/qwen2.5-7b-sft.yaml';
const COMMAND = 'Headroom: Compare GPUs for This Config';

const env = replaying('compare', [
  { when: '--query-gpu', file: 'nv-csv-4080s-595-load.csv' },
  { when: '--query-compute-apps', file: 'nv-apps-4080s-595-load.csv' },
]);

const filter = async (vs, text) => {
  await vs.page.locator('.quick-input-widget input.input').fill(text);
};

inVSCode('compare @gate', { workspace: 'media/sample', env }, test => {
  test('says above the config whether the GPU here takes it', async vs => {
    await vs.open(FILE);
    const lenses = await vs.codeLenses(/here now$/);
    assert.ok(lenses.some(text => /^does not fit the GPU here now$/.test(text)));
  });

  test(
    'and in the hover, with a link to the comparison',
    async vs => {
      const text = await vs.hover('gradient_accumulation_steps', /here now/);
      assert.match(text, /Does not fit the GPU here now\./);
      assert.match(text, /Compare GPUs/);
    },
    { keepMouse: true },
  );

  test('lists this machine and the catalog, best first', async vs => {
    await vs.unhover();
    await vs.command(COMMAND);
    const rows = await vs.picks(/\$0\.44\/h/);
    assert.match(rows[0], /RTX 4080 SUPER.*of 16 GB free/);
    assert.ok(rows.some(row => /^A40,.* fits · [\d.]+ GB to spare · batch 4 × 4 · \$0\.44\/h/.test(row)));
  });

  test('can be filtered, and says what would make it fit', async vs => {
    await filter(vs, 'RTX 4090');
    const rows = await vs.picks(/^RTX 4090,/);
    assert.match(rows[0], /with a fix.*→/);
  });

  test('chooses a target', async vs => {
    await filter(vs, 'A40');
    await vs.picks(/^A40,/);
    await vs.pick('A40,');
    await vs.codeLenses(/fits · A40/);
    assert.match(vs.read('.vscode/settings.json'), /"headroom\.target\.gpu": "A40"/);
  });

  test('shows everything as a page', async vs => {
    await vs.command(COMMAND);
    await vs.picks(/\$0\.44\/h/);
    await vs.page.locator('.quick-input-widget .codicon-open-preview').click();
    const page = await vs.webview('td');
    assert.match(
      await page.locator('body').innerText(),
      /Where qwen2\.5-7b-sft\.yaml fits[^]*A40[^]*Prices: on demand/,
    );
  });

  test('plans for a GPU of the list', async vs => {
    await vs.open(FILE);
    await vs.command(COMMAND);
    await vs.picks(/\$0\.44\/h/);
    await filter(vs, 'RTX 4090');
    await vs.picks(/^RTX 4090,/);
    const row = vs.page.locator('.quick-input-widget .monaco-list-row[aria-label^="RTX 4090,"]').first();
    await row.hover();
    await row.locator('.codicon-dashboard').click();
    await vs.picks(PLAN);
    await vs.escape();
    await vs.codeLenses(/of 24 GB.* RTX 4090$/);
  });
});

for (const theme of ['Light Modern', 'Default High Contrast']) {
  inVSCode(`compare in ${theme}`, { workspace: 'media/sample', env, theme }, test => {
    test('the list', async vs => {
      await vs.open(FILE);
      await vs.codeLenses(/here now$/);
      await vs.command(COMMAND);
      await vs.picks(/\$0\.44\/h/);
    });
  });
}
