// The same pictures in every kind of theme, for review: answer, hints, hover, fixes, plans, problems, meter. The
// panel's own
// page has pictures in every theme without a window (panelPage.ui.ts).
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/lib/root.mjs';
import { BUSY_GPU } from './replay';
import { inVSCode, PLAN, SLOW_MS } from './window';

/** The window's class in a theme, and the color of the bar's frame there, which identifies its palette. */
const themes = {
  'Dark Modern': ['vs-dark', '#cccccc'],
  'Light Modern': ['vs', '#3b3b3b'],
  'Default High Contrast': ['hc-black', '#ffffff'],
  'Default High Contrast Light': ['hc-light', '#292929'],
} as const;

/** The sample with a theme from its settings: one window shows all themes, one after the other. */
const sampleIn = (theme: string) => (folder: string) => {
  cpSync(join(root, 'media/sample'), folder, { recursive: true });
  const file = join(folder, '.vscode/settings.json');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('{', `{\n  "workbench.colorTheme": "${theme}",`));
};

const look = { env: BUSY_GPU, settings: { 'headroom.optimize.onChoose': 'diff' }, timeout: SLOW_MS };

for (const [theme, [kind, frame]] of Object.entries(themes)) {
  inVSCode(`theme ${theme}`, { workspace: sampleIn(theme), ...look }, test => {
    test('shows everything about a config in its colors', async vs => {
      const picture = (what: string, keepMouse = false) =>
        vs.shot(`theme-${theme.toLowerCase().replaceAll(' ', '-')}-${what}`, { keepMouse });
      await vs.page.locator(`.monaco-workbench.${kind}`).waitFor();
      await vs.open('trl/qwen2.5-7b-sft.yaml');
      await vs.codeLenses(/GB of 24 GB/);
      await vs.inlayHints(/=/);
      await vs.until('squiggle', async () => (await vs.squiggles('warning')) > 0);
      await vs.status('gpu-headroom.gpu-headroom.headroom.meter', /°C/);
      await picture('answer');

      await vs.hover('gradient_accumulation_steps', /GB of 24 GB/);
      const bar = await vs.page.locator('.monaco-hover img').first().getAttribute('src');
      assert.ok(decodeURIComponent(bar!).includes(`stroke="${frame}"`));
      await picture('hover', true);

      await vs.unhover();
      await vs.fixes('per_device_train_batch_size', /→/);
      await picture('fixes', true);
      await vs.page.keyboard.press('Escape');

      await vs.command('Headroom: Optimize GPU Config');
      await vs.picks(PLAN);
      await picture('plans');
      await vs.page.keyboard.press('Enter');
      await vs.picks(/Apply/);
      await vs.diff();
      await picture('preview');

      await vs.pick('Before and after');
      const page = await vs.webview('img');
      const chart = page.locator('img').first();
      assert.match(
        (await chart.getAttribute('alt'))!,
        /Memory at the peak: [\d.]+ GB before, [\d.]+ GB after/,
      );
      assert.ok(decodeURIComponent((await chart.getAttribute('src'))!).includes(`fill="${frame}"`));
      assert.ok(await chart.evaluate((image: { naturalWidth: number }) => image.naturalWidth > 0));
      await page.locator('td', { hasText: 'H100' }).first().waitFor();
      await picture('before-and-after');

      await vs.page.keyboard.press('Escape');
      await vs.open('trl/qwen2.5-7b-sft.yaml');
      const answer = 'gpu-headroom.gpu-headroom.headroom.answer';
      await vs.status(answer, /of|24 GB/);
      await vs.clickStatus(answer);
      await vs.picks(/Compare GPUs/);
      await picture('actions');
      await vs.pick('Choose GPU');
      await vs.picks(/^RTX 4090/);
      await picture('choose');
      await vs.escape();
      await vs.command('Headroom: Compare GPUs for This Config');
      await vs.picks(/Common/);
      await picture('compare');
      await vs.escape();
      await vs.command('Headroom: Explain This Config');
      await (await vs.webview('h1')).locator('table').first().waitFor();
      await picture('explain');

      await vs.command('Headroom: Check Workspace');
      await vs.notifications(/runs?: /);
      await vs.parkMouse();
      await vs.notificationButton('Show Results');
      await vs.page.locator('.pane:has([aria-label*="Checked Configs"]) .monaco-list-row').first().waitFor();
      await picture('tree');
    });
  });
}
