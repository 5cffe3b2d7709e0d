// A model that grows step by step, as in the utilization guide, and a device map that Optimize writes.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/lib/root.mjs';
import type { VSCode } from '../host/driver';
import { inVSCode } from './window';

const GUIDES = join(root, 'test/fixtures/guides');
const SMALL = 'emberformer_small.yaml';
const THEMES = [
  'Default Light Modern',
  'Default High Contrast',
  'Default High Contrast Light',
  'Default Dark Modern',
];

function withGuides(folder: string): void {
  cpSync(join(GUIDES, 'utilization'), folder, { recursive: true });
  cpSync(join(GUIDES, 'device-map/single.yaml'), join(folder, 'single.yaml'));
}

function settle(vs: VSCode, settings: Readonly<Record<string, unknown>>): void {
  mkdirSync(vs.path('.vscode'), { recursive: true });
  writeFileSync(vs.path('.vscode/settings.json'), JSON.stringify(settings));
}

inVSCode('growing', { workspace: withGuides }, test => {
  test('has a page with the table and the chart of all steps, in every theme', async vs => {
    settle(vs, { 'headroom.target.gpu': '24 GB' });
    await vs.open(SMALL);
    await vs.codeLenses(/2\.0 GB of 24 GB/);
    await vs.command('Headroom: Optimize GPU Config');
    await vs.picks(/larger step by step/);
    await vs.pick('larger step by step');
    const rows = await vs.picks(/16\.\d of 24 GB/);
    assert.equal(rows.filter(row => row.includes('of 24 GB')).length, 2, rows.join('\n'));
    await vs.shot('growing-steps', { keepMouse: true });
    const row = vs.page.locator('.quick-input-list .monaco-list-row', { hasText: '16.' }).first();
    await row.hover();
    await row.locator('[aria-label^="Before and after"]').click();
    const page = await vs.webview('table');
    await vs.until('the steps', async () => (await page.locator('body').innerText()).includes('2. capacity'));
    const text = await page.locator('body').innerText();
    assert.match(text, /1\. batch[\s\S]*batch_size 8 → 32[\s\S]*2\. capacity[\s\S]*d_model 64 → 128/);
    const chart = page.locator('img').first();
    let drawn = await chart.getAttribute('src');
    for (const theme of THEMES) {
      settle(vs, { 'headroom.target.gpu': '24 GB', 'workbench.colorTheme': theme });
      // A picture cannot follow the theme by itself: it is redrawn.
      drawn = await vs.until(`the chart in ${theme}`, async () => {
        const src = await chart.getAttribute('src');
        return src !== null && src !== drawn && src;
      });
      await vs.shot(`growing-page-${theme.toLowerCase().replaceAll(' ', '-')}`, { keepMouse: true });
    }
  });

  test('writes a device map, and undoes it', async vs => {
    settle(vs, { 'headroom.target.gpu': 'V100 16GB', 'headroom.optimize.onChoose': 'apply' });
    const before = vs.read('single.yaml');
    await vs.open('single.yaml');
    await vs.codeLenses(/does not fit/);
    await vs.command('Headroom: Optimize GPU Config');
    const [plan] = await vs.picks(/device_map|device map/);
    await vs.pick(plan!.slice(0, 24));
    await vs.until('the limits of each device', () =>
      /^max_memory:\n +0: \d+GiB\n +cpu: /m.test(vs.read('single.yaml')),
    );
    await vs.shot('growing-device-map');
    await vs.command('Headroom: Undo Last Optimization');
    await vs.until('the file as it was', () => vs.read('single.yaml') === before);
  });
});
