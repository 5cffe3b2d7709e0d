// The answer in the status bar: visible wherever the text is scrolled to, and the actions of a click on it.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { VSCode } from '../host/driver';
import { inVSCode, PLAN } from './window';

const ITEM = 'gpu-headroom.gpu-headroom.headroom.answer';
const TRL = 'trl/qwen2.5-7b-sft.yaml';

async function menu(vs: VSCode): Promise<readonly string[]> {
  await vs.open(TRL);
  await vs.status(ITEM, /24 GB/);
  await vs.clickStatus(ITEM);
  return vs.picks(/Explain/);
}

inVSCode('answer', { workspace: 'media/sample' }, test => {
  test('stays in view when the text is scrolled, and is readable for a screen reader', async vs => {
    await vs.open(TRL);
    await vs.page.keyboard.press('Control+End');
    const { text, icons, label } = await vs.status(ITEM, /24 GB/);
    assert.match(text, /^\s*\d+\.\d\/24 GB · RTX 4090$/);
    assert.deepEqual(icons, ['error']);
    assert.match(label, /^Headroom: about \d+\.\d GB of 24 GB, does not fit, RTX 4090/);
    assert.match(await vs.statusTooltip(ITEM), /qwen2\.5-7b-sft\.yaml[^]*does not fit[^]*Click to optimize/);
  });

  test('follows the text, and closes with its file', async vs => {
    await vs.open(TRL);
    await vs.status(ITEM, /24 GB/);
    await vs.click('4096');
    await vs.page.keyboard.press('End');
    await vs.page.keyboard.press('Control+Shift+ArrowLeft');
    const before = (await vs.status(ITEM)).text;
    await vs.type('512');
    await vs.until('another answer', async () => (await vs.status(ITEM)).text !== before);
    await vs.open('README.md');
    await vs.until('no answer', async () => !(await vs.hasStatus(ITEM)));
  });

  test('links to the available actions', async vs => {
    const rows = await menu(vs);
    const labels = rows.map(row => row.split(',')[0]);
    assert.deepEqual(labels.slice(0, 5), [
      'Optimize …',
      'Choose GPU …',
      'Explain',
      'Run …',
      'Compare GPUs …',
    ]);
    await vs.shot('answer-menu');
    await vs.pick('Optimize …');
    await vs.picks(PLAN);
    await vs.escape();
  });

  test('turns a rule that reported something off and on again', async vs => {
    await menu(vs);
    await vs.pick('Turn off does-not-fit');
    await vs.notifications(/Rule does-not-fit is off in this workspace/);
    await vs.until('setting', () => vs.read('.vscode/settings.json').includes('"does-not-fit": "off"'));
    await vs.parkMouse();
    await vs.notificationButton('Undo');
    await vs.until('no setting', () => !vs.read('.vscode/settings.json').includes('does-not-fit'));
  });

  test('is hidden while its setting is off', async vs => {
    await vs.open(TRL);
    await vs.status(ITEM, /24 GB/);
    const settings = '{ "headroom.target.gpu": "RTX 4090", "headroom.editor.statusBar": false }';
    writeFileSync(vs.path('.vscode/settings.json'), settings);
    await vs.until('no answer', async () => !(await vs.hasStatus(ITEM)));
  });
});

const CPU =
  'model_name_or_path: Qwen/Qwen2.5-0.5B\nuse_cpu: true\nmax_length: 512\nper_device_train_batch_size: 1\nlearning_rate: 1.0e-5\noutput_dir: out\n';

function withoutGpu(folder: string): void {
  writeFileSync(join(folder, 'cpu.yaml'), CPU);
  writeFileSync(join(folder, 'gpu.yaml'), CPU.replace('use_cpu: true\n', ''));
}

inVSCode('answer without a GPU', { workspace: withoutGpu }, test => {
  test('asks for a GPU only if one is needed', async vs => {
    await vs.open('cpu.yaml');
    const cpu = await vs.status(ITEM, /CPU/);
    assert.deepEqual(cpu.icons, ['pass']);
    await vs.open('gpu.yaml');
    const gpu = await vs.status(ITEM, /no GPU chosen/);
    assert.deepEqual(gpu.icons, ['question']);
    await vs.clickStatus(ITEM);
    assert.match((await vs.picks(/Explain/))[0]!, /^Choose GPU …/);
    await vs.escape();
  });
});
