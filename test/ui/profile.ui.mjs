// A config's own code without data, from the palette and the hover: progress, given up, its answer beside what was computed; and
// what somebody has seen it take. The Python is a stand-in that says what a real dry run said.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../scripts/lib/root.mjs';
import { inVSCode } from './window.mjs';

const CONFIG = `model_name_or_path: meta-llama/Llama-3.1-8B-Instruct
stage: sft
do_train: true
finetuning_type: lora
lora_rank: 8
lora_target: all
dataset: identity
template: llama3
cutoff_len: 2048
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
gradient_checkpointing: true
bf16: true
output_dir: out
`;

const place = mkdtempSync(join(tmpdir(), 'headroom-ui-profile-'));
process.once('exit', () => rmSync(place, { recursive: true, force: true }));
const waits = join(place, 'waits');
const MEASUREMENTS = '.headroom/measurements.jsonl';

const options = {
  skip: () => (process.platform === 'win32' ? 'the stand-in for Python is a shell script' : null),
  workspace: folder => writeFileSync(join(folder, 'lora.yaml'), CONFIG),
  env: { FAKE_PROFILE_WAITS: waits },
  machineSettings: {
    'headroom.python': join(root, 'test/fixtures/profile/fake_python.sh'),
    'headroom.target.gpu': 'RTX 4090',
  },
};

inVSCode('profile', options, test => {
  test('says what it is doing, and is given up', async vs => {
    await vs.open('lora.yaml');
    await vs.codeLenses(/≈ \d+\.\d GB of 24 GB/);
    writeFileSync(waits, '');
    await vs.command('Headroom: Profile This Config');
    await vs.notifications(/Dry run of lora\.yaml.*Counting two steps/s);
    const row = vs.page.locator('.notification-list-item', { hasText: 'Dry run of' }).last();
    await row.getByText('Cancel').click();
    await vs.until(
      'no progress',
      async () => !(await vs.notificationsNow()).some(text => /Dry run of/.test(text)),
    );
    rmSync(waits);
    assert.equal(existsSync(vs.path(MEASUREMENTS)), false);
  });

  test(
    'is a link of the hover',
    async vs => {
      await vs.hover('per_device_train_batch_size', /Profile/);
      await vs.page
        .locator('.monaco-hover a', { hasText: /^Profile$/ })
        .last()
        .click();
      await vs.notifications(/lora\.yaml: 18\.0 GB allocated at the peak .*; \d+\.\d GB was computed/);
    },
    { keepMouse: true },
  );

  test('its answer stands above the config, and beside the computed one in the hover', async vs => {
    await vs.codeLenses(/GB of 24 GB · .* · dry run/);
    const text = await vs.hover('per_device_train_batch_size', /dry run/i);
    assert.match(text, /GB of 24 GB/);
    assert.ok(existsSync(vs.path(MEASUREMENTS)));
  });

  test('what somebody has seen counts more', async vs => {
    await vs.unhover();
    await vs.clearNotifications();
    await vs.command('Headroom: Add Measurement');
    await vs.page.locator('.quick-input-widget input').fill('21.5 GB');
    await vs.page.keyboard.press('Enter');
    await vs.codeLenses(/21\.5 GB of 24 GB · .* · measured/);
  });

  test('predicted and measured stand on the page of the config', async vs => {
    await vs.command('Headroom: Explain This Config');
    const page = await vs.webview('h1');
    await vs.until('both', async () => /Predicted and measured/.test(await page.locator('body').innerText()));
    await page.getByText('Predicted and measured').first().scrollIntoViewIfNeeded();
    const text = await page.locator('body').innerText();
    assert.match(text, /dry run/i);
    assert.match(text, /21\.5 GB/);
  });
});
