// Compare GPUs for This Config: the list, the page, a target chosen from it, and the editor's text about the GPU
// here.
import assert from 'node:assert/strict';
import type { VSCode } from '../host/driver';
import { BUSY_GPU } from './replay';
import { inVSCode, PLAN, SLOW_MS } from './window';

const FILE = 'trl/qwen2.5-7b-sft.yaml';
const ROW = '.quick-input-widget .monaco-list-row';

async function compared(vs: VSCode): Promise<readonly string[]> {
  await vs.open(FILE);
  await vs.codeLenses(/(?:here|GPU) now$/);
  await vs.command('Headroom: Compare GPUs for This Config');
  return vs.picks(/\$0\.44\/h/);
}

const button = (vs: VSCode, title: string): Promise<void> =>
  vs.page.locator(`.quick-input-widget .action-label[aria-label="${title}"]`).click();

async function filtered(vs: VSCode, text: string): Promise<readonly string[]> {
  await vs.page.locator('.quick-input-widget input.input').fill(text);
  return vs.picks(new RegExp(`^${text},`));
}

inVSCode('compare', { workspace: 'media/sample', env: BUSY_GPU, timeout: SLOW_MS }, test => {
  test(
    'shows above the config and in the hover whether it fits the GPU here',
    async vs => {
      await vs.open(FILE);
      const lenses = await vs.codeLenses(/(?:here|GPU) now$/);
      assert.ok(lenses.some(text => /^does not fit this machine's GPU now$/.test(text)));
      const text = await vs.hover('gradient_accumulation_steps', /GPU now/);
      assert.match(text, /Does not fit this machine's GPU now\./);
      assert.match(text, /Compare GPUs/);
    },
    { keepMouse: true },
  );

  test('lists this machine and the catalog, best first, and sets a target', async vs => {
    const rows = await compared(vs);
    assert.match(rows[0]!, /RTX 4080 SUPER.*of 16 GB free/);
    assert.ok(rows.some(row => /^A40,.* fits · [\d.]+ GB to spare · batch 4 × 4 · \$0\.44\/h/.test(row)));
    await filtered(vs, 'A40');
    await vs.pick('A40,');
    await vs.pick('For this workspace');
    await vs.codeLenses(/fits · A40/);
    assert.match(vs.read('.vscode/settings.json'), /"headroom\.target\.gpu": "A40"/);
  });

  test('says what would make it fit, and plans for a GPU of the list', async vs => {
    await compared(vs);
    const rows = await filtered(vs, 'RTX 4090');
    assert.match(rows[0]!, /with a fix.*→/);
    const row = vs.page.locator(`${ROW}[aria-label^="RTX 4090,"]`).first();
    await row.hover();
    await row.locator('.codicon-dashboard').click();
    await vs.pick('For this workspace');
    await vs.picks(PLAN);
    await vs.escape();
    await vs.codeLenses(/of 24 GB.* RTX 4090$/);
  });

  test('lists common and priced GPUs first, sorts by price, and can show only those that fit', async vs => {
    const rows = await compared(vs);
    assert.ok(rows.some(row => row.endsWith('Common')));
    assert.ok(!rows.some(row => /^(Tesla|M40|P40)/.test(row)), rows.join('\n'));
    await vs.shot('compare-common');
    await button(vs, 'Sort by price');
    const cheapest = await vs.picks(/Cheapest$/);
    const prices = cheapest.flatMap(row => /\$([\d.]+)\/h/.exec(row)?.[1] ?? []).map(Number);
    assert.ok(prices.length > 3);
    assert.deepEqual(
      prices,
      prices.toSorted((a, b) => a - b),
    );
    await button(vs, 'Show only what fits');
    await vs.until('only what fits', async () =>
      (await vs.picks(/Cheapest$/)).every(row => row.includes(' · fits · ')),
    );
    await vs.shot('compare-fitting');
    await button(vs, 'Show all');
    await vs.picks(/does not fit|with a fix/);
  });

  test('shows all rows as a page', async vs => {
    await compared(vs);
    await vs.page.locator('.quick-input-widget .codicon-open-preview').click();
    const page = await vs.webview('td');
    assert.match(
      await page.locator('body').innerText(),
      /Where qwen2\.5-7b-sft\.yaml fits[^]*A40[^]*Prices: on demand/,
    );
  });
});
