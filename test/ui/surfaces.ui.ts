// Pictures of what the theme suite does not open, in every kind of theme: time in the hover and in Compare, the
// question before a program runs dry, a server that refuses its model, TOML, and fixes in a narrow window.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/lib/root.mjs';
import { inVSCode, SLOW_MS } from './window';

const THEMES = ['Dark Modern', 'Light Modern', 'Default High Contrast', 'Default High Contrast Light'];

const FITS = `model_name_or_path: Qwen/Qwen2.5-1.5B
dtype: bfloat16
attn_implementation: flash_attention_2
use_peft: true
lora_r: 16
lora_target_modules: all-linear
dataset_name: trl-lib/Capybara
max_length: 2048
packing: true
per_device_train_batch_size: 2
gradient_accumulation_steps: 8
gradient_checkpointing: true
learning_rate: 1.0e-4
bf16: true
output_dir: out
`;

const SERVED = `model: meta-llama/Meta-Llama-3-8B-Instruct
max-model-len: 16384
gpu-memory-utilization: 0.9
max-num-seqs: 64
tensor-parallel-size: 1
`;

const sampleIn = (theme: string) => (folder: string) => {
  mkdirSync(join(folder, '.vscode'), { recursive: true });
  const settings = { 'workbench.colorTheme': theme, 'headroom.target.gpu': 'RTX 4090' };
  writeFileSync(join(folder, '.vscode/settings.json'), JSON.stringify(settings));
  writeFileSync(join(folder, 'fits.yaml'), FITS);
  writeFileSync(join(folder, 'own.yaml'), FITS.replace('Qwen/Qwen2.5-1.5B', 'acme/our-model'));
  writeFileSync(join(folder, 'serve.yaml'), SERVED);
  const toml = 'test/fixtures/configs/PrimeIntellect-ai__prime-rl/sft-lora.toml';
  copyFileSync(join(root, toml), join(folder, 'sft-lora.toml'));
  copyFileSync(join(root, 'media/sample/trl/qwen2.5-7b-sft.yaml'), join(folder, 'large.yaml'));
};

for (const theme of THEMES) {
  inVSCode(`surfaces ${theme}`, { workspace: sampleIn(theme), timeout: SLOW_MS }, test => {
    test('are readable', async vs => {
      const picture = (what: string, keepMouse = false) =>
        vs.shot(`surface-${theme.toLowerCase().replaceAll(' ', '-')}-${what}`, { keepMouse });
      await vs.open('fits.yaml');
      await vs.codeLenses(/fits/);
      assert.match(await vs.hover('max_length', /1,000 steps/), /fits/);
      await picture('hover-time', true);
      await vs.unhover();
      await vs.command('Headroom: Compare GPUs for This Config');
      await vs.picks(/\$\d/);
      await picture('compare');
      for (const order of ['Sort by price', 'Sort by cost of the run', 'Sort by time']) {
        await vs.page.locator(`.quick-input-widget .action-label[aria-label="${order}"]`).click();
      }
      assert.match((await vs.picks(/Fastest$/))[0]!, / · fits · [\d.]+ (?:h|min) · /);
      await picture('compare-time');
      await vs.page.locator('.quick-input-widget .codicon-open-preview').click();
      await (await vs.webview('td')).locator('td', { hasText: 'A40' }).first().waitFor();
      await picture('compare-page');

      await vs.page.setViewportSize({ width: 760, height: 700 });
      await vs.open('large.yaml');
      await vs.codeLenses(/does not fit/);
      await vs.fixes('per_device_train_batch_size', /^(?:fits|tight), \d/);
      await picture('fixes-narrow', true);
      await vs.escape();
      await vs.page.setViewportSize({ width: 1280, height: 800 });

      await vs.open('serve.yaml');
      await vs.codeLenses(/\S/);
      assert.ok((await vs.problems(/refuses to start/)).length > 0);
      await picture('server');

      await vs.open('sft-lora.toml');
      await vs.codeLenses(/GB|estimate/);
      await picture('toml');

      await vs.open('own.yaml');
      await vs.codeLenses(/\S/);
      await vs.command('Headroom: Profile This Config');
      await vs.page.locator('.monaco-dialog-box').waitFor();
      await picture('profile-dialog');
      assert.match(await vs.dialog('Cancel'), /without data/);

      await vs.fixes('model_name_or_path', /similar model/);
      await picture('unknown-fixes', true);
      await vs.escape();
      await vs.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'large.yaml' }).click({
        button: 'right',
      });
      await vs.page.locator('.context-view .action-menu-item', { hasText: 'Headroom' }).hover();
      await vs.page.locator('.context-view .monaco-submenu .action-menu-item').first().waitFor();
      await picture('explorer-menu', true);
      await vs.page.keyboard.press('Escape');
      await vs.page.keyboard.press('Escape');
    });

    test('are readable for those who have no config yet', async vs => {
      const picture = (what: string) =>
        vs.shot(`surface-${theme.toLowerCase().replaceAll(' ', '-')}-${what}`);
      await vs.command('Headroom: Show GPU Panel');
      await vs.webview('body');
      await vs.page.waitForTimeout(1000);
      await picture('panel');
      await vs.page.keyboard.press('Control+B');
      await vs.command('Welcome: Open Walkthrough');
      await vs.pick('Get started with Headroom');
      await vs.page.locator('.getting-started-step').first().waitFor();
      await picture('walkthrough');
      await vs.page.keyboard.press('Control+B');
    });
  });
}
