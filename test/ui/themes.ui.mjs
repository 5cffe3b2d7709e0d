// The same pictures in every kind of theme, to be looked at: answer, hints, hover, fixes, plans, problems, meter.
import assert from 'node:assert/strict';
import { replaying } from './replay.mjs';
import { PLAN } from './plans.mjs';
import { inVSCode } from './window.mjs';

const CONFIG = 'trl/qwen2.5-7b-sft.yaml';
const BATCH = 'per_device_train_batch_size';

const env = replaying('themes', [
  { when: '--query-gpu', file: 'nv-csv-4080s-595-load.csv' },
  { when: '--query-compute-apps', file: 'nv-apps-4080s-595-load.csv' },
]);

/** Colour of the bar's frame, which tells its palettes apart. */
const themes = {
  'Dark Modern': '#cccccc',
  'Light Modern': '#3b3b3b',
  'Default High Contrast': '#ffffff',
  'Default High Contrast Light': '#292929',
};

const settings = { 'headroom.optimize.onChoose': 'diff' };

for (const [theme, frame] of Object.entries(themes)) {
  inVSCode(`theme ${theme}`, { workspace: 'media/sample', theme, env, settings }, test => {
    test('answer, hints, problems and meter', async vs => {
      await vs.open(CONFIG);
      await vs.codeLenses(/GB of 24 GB/);
      await vs.inlayHints(/=/);
      await vs.until('squiggle', async () => (await vs.squiggles('warning')) > 0);
      await vs.status('gpu-headroom.gpu-headroom.headroom.meter', /°C/);
    });

    test(
      'hover with a bar in the colours of the theme',
      async vs => {
        await vs.hover('gradient_accumulation_steps', /GB of 24 GB/);
        const source = await vs.page.locator('.monaco-hover img').first().getAttribute('src');
        assert.ok(decodeURIComponent(source).includes(`stroke="${frame}"`));
      },
      { keepMouse: true },
    );

    test(
      'fixes',
      async vs => {
        await vs.unhover();
        await vs.fixes(BATCH, /→/);
      },
      { keepMouse: true },
    );

    test('plans', async vs => {
      await vs.page.keyboard.press('Escape');
      await vs.command('Headroom: Optimize GPU Config');
      await vs.picks(PLAN);
    });

    test('preview', async vs => {
      await vs.page.keyboard.press('Enter');
      await vs.picks(/Apply/);
      await vs.diff();
    });

    test('before and after', async vs => {
      await vs.pick('Before and after');
      const page = await vs.webview('img');
      const picture = page.locator('img').first();
      assert.match(
        await picture.getAttribute('alt'),
        /Memory at the peak: [\d.]+ GB before, [\d.]+ GB after/,
      );
      assert.ok(decodeURIComponent(await picture.getAttribute('src')).includes(`fill="${frame}"`));
      assert.ok(await picture.evaluate(image => image.naturalWidth > 0));
      await page.locator('td', { hasText: 'H100' }).first().waitFor();
    });

    test('explanation', async vs => {
      await vs.page.keyboard.press('Escape');
      await vs.command('Headroom: Explain This Config');
      const page = await vs.webview('h1');
      await page.locator('table').first().waitFor();
    });
  });
}
