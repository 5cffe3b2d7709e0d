// A config's own code without data, from the palette and the hover: progress, given up, its answer next to the
// computed one; and a measurement that a user enters. The Python is a stand-in with a real dry run's output.
import type { VSCode } from '../host/driver';
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/lib/root.mjs';
import { temporaryFolder } from '../../scripts/lib/temporary.mjs';
import { BUSY_GPU } from './replay';
import { journeyInVSCode } from './window';

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

const { folder: place } = temporaryFolder('headroom-ui-profile');
const waits = join(place, 'waits');
const MEASUREMENTS = '.headroom/measurements.jsonl';

/** Color of a chart's frame, which identifies its palette. */
const THEMES = {
  'Light Modern': '#3b3b3b',
  'Default High Contrast': '#ffffff',
  'Default High Contrast Light': '#292929',
  'Dark Modern': '#cccccc',
};

function inTheme(vs: VSCode, theme: string) {
  mkdirSync(vs.path('.vscode'), { recursive: true });
  writeFileSync(vs.path('.vscode/settings.json'), JSON.stringify({ 'workbench.colorTheme': theme }));
}

/** This machine has a different GPU from the chosen one: measurements do not apply to it. */
const otherGpu = BUSY_GPU;

/** The parts of a line of the file that are checked. */
interface Measured {
  readonly source: string;
  readonly gpu: string;
}

const options = {
  skip: () => (process.platform === 'win32' ? 'the stand-in for Python is a shell script' : null),
  workspace: (folder: string) => writeFileSync(join(folder, 'lora.yaml'), CONFIG),
  env: { ...otherGpu, FAKE_PROFILE_WAITS: waits, XDG_DATA_HOME: join(place, 'data') },
  machineSettings: {
    'headroom.python': join(root, 'test/fixtures/profile/fake_python.sh'),
    'headroom.target.gpu': 'RTX 4090',
  },
};

/** Runs a palette command without a mouse. */
async function byKeyboard(vs: VSCode, title: string) {
  await vs.page.keyboard.press('F1');
  await vs.page.locator('.quick-input-widget input:focus').waitFor();
  await vs.page.keyboard.type(title);
  const first = vs.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: title });
  await first.waitFor();
  await vs.page.keyboard.press('Enter');
  await first.waitFor({ state: 'hidden' });
}

journeyInVSCode('profile', options, step => {
  step('it shows its progress and can be canceled', async vs => {
    await vs.open('lora.yaml');
    await vs.codeLenses(/≈ \d+\.\d GB of 24 GB/);
    writeFileSync(waits, '');
    await vs.clickLens('Profile …');
    await vs.notifications(/Dry run of lora\.yaml.*Counting two steps/s);
    const row = vs.page.locator('.notification-list-item', { hasText: 'Dry run of' }).last();
    await row.getByText('Cancel').click();
    await vs.until(
      'no progress',
      async () => !(await vs.notificationsNow()).some(text => text.includes('Dry run of')),
    );
    rmSync(waits);
    assert.equal(existsSync(vs.path(MEASUREMENTS)), false);
  });

  step(
    'the hover links to it',
    async vs => {
      await vs.hover('per_device_train_batch_size', /Profile/);
      await vs.page
        .locator('.monaco-hover a', { hasText: /^Profile$/ })
        .last()
        .click();
      await vs.notifications(
        /lora\.yaml: 18\.0 GB allocated at the peak \(backward pass\); \d+\.\d GB was computed/,
      );
    },
    { keepMouse: true },
  );

  step('the lens shows the result, and the hover shows it with the estimate', async vs => {
    await vs.codeLenses(/GB of 24 GB · .* · dry run/);
    const text = await vs.hover('per_device_train_batch_size', /dry run/i);
    assert.match(text, /GB of 24 GB/);
    assert.ok(existsSync(vs.path(MEASUREMENTS)));
  });

  step('the panel shows the source of the prediction', async vs => {
    await vs.unhover();
    await vs.command('Headroom: Show GPU Panel');
    const page = await vs.webview('.card');
    const words = page.locator('.predicted');
    await vs.until('a prediction', async () =>
      /lora\.yaml ≈ .*, by a dry run, for RTX 4090/.test(await words.innerText()),
    );
  });

  step('a measurement replaces the prediction', async vs => {
    await vs.command('View: Toggle Panel Visibility');
    await vs.clearNotifications();
    await vs.command('Headroom: Add Measurement');
    // By keyboard only: typing goes to the focused input.
    await vs.page.locator('.quick-input-widget input:focus').waitFor();
    await vs.page.keyboard.type('21.5 GB');
    await vs.page.keyboard.press('Enter');
    await vs.codeLenses(/21\.5 GB of 24 GB · .* · measured/);
    const lines = readFileSync(vs.path(MEASUREMENTS), 'utf8').trim().split('\n');
    const added = lines.map(line => JSON.parse(line) as Measured).find(({ source }) => source === 'user');
    assert.equal(added?.gpu, 'NVIDIA GeForce RTX 4090');
  });

  step('the config’s page shows prediction and measurement', async vs => {
    await vs.command('Headroom: Explain This Config');
    const page = await vs.webview('h1');
    await vs.until('both', async () =>
      (await page.locator('body').innerText()).includes('Predicted and measured'),
    );
    await page.getByText('Predicted and measured').first().scrollIntoViewIfNeeded();
    const text = await page.locator('body').innerText();
    assert.match(text, /dry run/i);
    assert.match(text, /21\.5 GB/);
  });

  for (const [theme, frame] of Object.entries(THEMES)) {
    step(`the chart uses the colors of ${theme}`, async vs => {
      inTheme(vs, theme);
      const page = await vs.webview('h1');
      await vs.until('the chart', async () => {
        const source = await page.locator('img').first().getAttribute('src');
        return decodeURIComponent(source ?? '').includes(`stroke="${frame}"`);
      });
      await page.locator('img').first().scrollIntoViewIfNeeded();
    });
  }

  step('measurements are exported', async vs => {
    await vs.command('View: Close All Editors');
    await vs.open('lora.yaml');
    await vs.codeLenses(/measured/);
    await vs.command('Headroom: Export Measurements');
    // The dialog suggests a file once it has looked at the folder.
    const named = vs.page.locator('.quick-input-widget input').first();
    await vs.until('a proposal', async () => (await named.inputValue()).endsWith('measurements.csv'));
    await vs.page.keyboard.press('Enter');
    await vs.notifications(/Exported 2 measurements to .*measurements\.csv/);
    const to = vs.path('measurements.csv');
    const [head = '', ...rows] = readFileSync(to, 'utf8').trim().split('\r\n');
    assert.match(head, /^at,config,source,/);
    assert.deepEqual(
      rows.map(row => row.split(',').slice(1, 3)),
      [
        ['lora.yaml', 'dry run'],
        ['lora.yaml', 'user'],
      ],
    );
  });

  step('measurements are deleted after a confirmation', async vs => {
    await vs.clearNotifications();
    await vs.command('Headroom: Forget Measurements');
    await vs.page.locator('.monaco-dialog-box').waitFor();
    await vs.dialog('Forget');
    await vs.notifications(/Deleted 2 measurements from .*measurements\.jsonl/);
    await vs.until(
      'computed',
      async () => !/measured|dry run/.test((await vs.codeLenses(/GB of 24 GB/)).join()),
    );
    assert.equal(readFileSync(vs.path(MEASUREMENTS), 'utf8'), '');
  });

  step('a setting keeps measurements for all workspaces', async vs => {
    await vs.clearNotifications();
    const settings = { 'headroom.measurements.keptFor': 'user', 'headroom.target.gpu': 'A100 80GB' };
    writeFileSync(vs.path('.vscode/settings.json'), JSON.stringify(settings));
    // The editor rereads its settings with a delay: the other target shows when it has.
    await vs.codeLenses(/of 80 GB/);
    const own = join(place, 'data/headroom/measurements.jsonl');
    await vs.command('Headroom: Profile This Config');
    await vs.notifications(/18\.0 GB allocated at the peak/);
    assert.match(readFileSync(own, 'utf8'), /"source":"dry run"/);
    assert.equal(readFileSync(vs.path(MEASUREMENTS), 'utf8'), '');
    await vs.codeLenses(/dry run/);
  });

  step('the keyboard reaches everything', async vs => {
    await vs.clearNotifications();
    await byKeyboard(vs, 'Headroom: Profile This Config');
    await vs.notifications(/18\.0 GB allocated at the peak/);
    await byKeyboard(vs, 'Headroom: Measure Data Lengths');
    await vs.notifications(/Couldn't count tokens: data\/dataset_info\.json, which describes/);
    await byKeyboard(vs, 'Headroom: Add Measurement');
    await vs.page.locator('.quick-input-widget input:focus[placeholder="19.8 GB"]').waitFor();
    await vs.page.keyboard.type('much');
    await vs.page.keyboard.press('Enter');
    await vs.page.locator('.quick-input-message', { hasText: 'Enter an amount of memory' }).waitFor();
    await vs.escape();
  });
});
