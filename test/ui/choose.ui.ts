// Choosing a plan's changes one by one in VS Code's own refactor preview: a run with three files.
import type { VSCode } from '../host/driver';
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/lib/root.mjs';
import { inVSCode, PLAN } from './window';

const CONFIG = 'sft.yaml';
const DEEPSPEED = 'ds.json';
const SCRIPT = 'run.sh';
const FILES = [CONFIG, DEEPSPEED, SCRIPT];

const sample = readFileSync(join(root, 'media/sample/trl/qwen2.5-7b-sft.yaml'), 'utf8');
const texts: Readonly<Record<string, string>> = {
  [CONFIG]: `${sample}deepspeed: ds.json\n`,
  [DEEPSPEED]:
    '{\n  "bf16": { "enabled": true },\n  "zero_optimization": { "stage": 2 },\n  "train_micro_batch_size_per_gpu": 4,\n  "gradient_accumulation_steps": 4\n}\n',
  [SCRIPT]: '#!/bin/bash\ntorchrun sft.py --config sft.yaml --gradient_accumulation_steps 4\n',
};

function three(folder: string): void {
  mkdirSync(join(folder, '.vscode'));
  writeFileSync(join(folder, '.vscode/settings.json'), '{ "headroom.target.gpu": "24 GB" }');
  for (const [file, text] of Object.entries(texts)) writeFileSync(join(folder, file), text);
}

const unchanged = (vs: VSCode, files = FILES) => files.every(file => vs.read(file) === texts[file]);
const backups = (vs: VSCode) => FILES.map(file => existsSync(vs.path(`${file}.backup`)));
const undoLast = (vs: VSCode) => vs.command('Headroom: Undo Last Optimization');

const rows = ({ page }: VSCode) => page.locator('.bulk-edit-panel .monaco-list-row');
const apply = ({ page }: VSCode) => page.locator('.bulk-edit-panel .monaco-button', { hasText: 'Apply' });
const discard = ({ page }: VSCode) => page.locator('.bulk-edit-panel .monaco-button', { hasText: 'Discard' });
const previewIsGone = (vs: VSCode) =>
  vs.until('end of the preview', async () => (await rows(vs).count()) === 0);

/** Goes from the config to the preview of the first plan with the mouse. */
async function openPreview(vs: VSCode) {
  await vs.open(CONFIG);
  await vs.codeLenses(/does not fit/);
  await vs.clickLens(/Optimize/);
  await vs.picks(PLAN);
  const row = vs.page.locator('.quick-input-widget .monaco-list-row').first();
  await row.hover();
  await row.locator('.action-label[aria-label*="change by change"]').click();
  await rows(vs).first().waitFor();
  await vs.until('every change', async () => (await rows(vs).count()) >= 5);
}

/** VS Code asks about an open preview before it opens another. */
async function leavePreview(vs: VSCode) {
  await discard(vs).click();
  await vs.page.locator('.quick-input-widget').waitFor();
  await vs.picks(PLAN);
  await vs.escape();
  await previewIsGone(vs);
}

/** Applies all changes except the script's. */
async function applyTwoFiles(vs: VSCode) {
  await openPreview(vs);
  const script = rows(vs)
    .filter({ has: vs.page.locator('text=run.sh') })
    .first();
  await script.locator('.edit-checkbox').click();
  await vs.shot('choose-without-one');
  await apply(vs).click();
  // A file is empty for a moment while it is written.
  await vs.until(
    'changes',
    () =>
      vs.read(CONFIG).includes('per_device_train_batch_size: 1 #') &&
      vs.read(DEEPSPEED).includes('"gradient_accumulation_steps": 16'),
  );
}

inVSCode('choose', { workspace: three, viewport: { width: 1280, height: 1000 } }, test => {
  test('shows every change in the refactor preview, checked, before anything is written', async vs => {
    await openPreview(vs);
    const labels = await rows(vs).evaluateAll(all =>
      all.map((row: { getAttribute(name: string): string | null }) => row.getAttribute('aria-label')),
    );
    for (const file of FILES) assert.ok(labels.includes(`${file}, making text edits`), labels.join('\n'));
    assert.ok(unchanged(vs));
    assert.deepEqual(backups(vs), [false, false, false]);
    await leavePreview(vs);
  });

  test('labels each change with its key and with the result without it', async vs => {
    await openPreview(vs);
    await vs.page.locator('[aria-label*="Group Changes By Type"]').first().click();
    const said = () => rows(vs).allInnerTexts();
    await vs.until('labels', async () =>
      (await said()).some((row: string) =>
        /^gradient_accumulation_steps 4 → 16 in run\.sh\s*without it: effective batch 4 instead of 16$/.test(
          row,
        ),
      ),
    );
    assert.ok((await said()).some((row: string) => row.startsWith('Comment with the previous values')));
    await vs.page.locator('[aria-label*="Group Changes By File"]').first().click();
    await leavePreview(vs);
  });

  test('writes nothing when it is discarded, and shows the plans again', async vs => {
    await openPreview(vs);
    await leavePreview(vs);
    assert.ok(unchanged(vs));
    assert.deepEqual(backups(vs), [false, false, false]);
  });

  test('applies the checked changes, and shows what the run needs now', async vs => {
    await applyTwoFiles(vs);
    assert.ok(unchanged(vs, [SCRIPT]));
    const [message] = (await vs.notifications(/Applied \d of \d/)).filter(text => text.includes('Applied'));
    assert.match(
      message!,
      /Applied 4 of 5 changes, without gradient_accumulation_steps 4 → 16 in run\.sh\. /,
    );
    assert.match(
      message!,
      /The run now needs ≈ [\d.]+ GB of 24 GB: (fits|tight)\. The effective batch becomes 4 instead of 16\./,
    );
    for (const file of [CONFIG, DEEPSPEED]) assert.equal(vs.read(`${file}.backup`), texts[file]);
    assert.deepEqual(backups(vs), [true, true, false]);
  });

  test("is one step in the editor's undo and redo", async vs => {
    await applyTwoFiles(vs);
    await vs.codeLenses(/· (fits|tight)/);
    const applied = vs.read(CONFIG);
    await vs.click('model_name_or_path');
    await vs.undo();
    await vs.codeLenses(/does not fit/);
    await vs.page.keyboard.press('Control+Shift+Z');
    await vs.codeLenses(/· (fits|tight)/);
    await vs.until('applied text', () => vs.read(CONFIG) === applied);
  });

  test('is undone after a reload', async vs => {
    await applyTwoFiles(vs);
    await vs.codeLenses(/· (fits|tight)/);
    await vs.reload();
    await vs.codeLenses(/· (fits|tight)/);
    await undoLast(vs);
    await vs.until('restored files', () => unchanged(vs));
    await vs.until('no backups', () => !backups(vs).some(Boolean));
  });

  test('refuses if somebody edits a file meanwhile, and keeps that edit', async vs => {
    await openPreview(vs);
    await vs.click('model_name_or_path');
    await vs.page.keyboard.press('Control+Home');
    await vs.type('# mine ');
    await vs.line(/# mine/);
    await apply(vs).click();
    await vs.dialog(/OK/);
    await vs.notifications(/sft\.yaml changed during the search, so nothing was applied/);
    await vs.line(/# mine/);
    assert.ok(unchanged(vs));
    assert.deepEqual(backups(vs), [false, false, false]);
    await vs.clearNotifications();
    await vs.click('model_name_or_path');
    await vs.until('his own text taken back', async () => {
      await vs.undo();
      return (await vs.page.locator('.tab.active.dirty').count()) === 0;
    });
  });

  test('opens and applies with the keyboard alone', async vs => {
    await vs.open(CONFIG);
    await vs.codeLenses(/does not fit/);
    await vs.click('model_name_or_path');
    await vs.command('Headroom: Optimize GPU Config');
    await vs.picks(PLAN);
    // Tab moves to the list and then to the first button of the row; the arrow keys move between buttons.
    for (const [key, label] of [
      ['Tab', /does not fit/],
      ['Tab', /^Apply$/],
      ['ArrowRight', /change by change/],
    ] as const) {
      await vs.page.keyboard.press(key);
      await vs.until(`focus on ${String(label)}`, async () =>
        label.test((await vs.page.locator('*:focus').getAttribute('aria-label', { timeout: 500 })) ?? ''),
      );
    }
    await vs.page.keyboard.press('Enter');
    await rows(vs).first().waitFor();
    await vs.page.locator('.bulk-edit-panel *:focus').first().waitFor();
    await vs.page.keyboard.press('Control+Enter');
    await vs.until('changes', () => FILES.every(file => vs.read(file) !== texts[file]));
    await vs.notifications(/Applied use_liger_kernel/);
    await undoLast(vs);
    await vs.until('restored files', () => unchanged(vs));
    await vs.clearNotifications();
  });

  test('writes the former values as a comment if that is checked', async vs => {
    await openPreview(vs);
    await rows(vs).filter({ hasText: 'Before Headroom' }).locator('.edit-checkbox').click();
    await apply(vs).click();
    const comment =
      /^# Before Headroom's plan for 24 GB: .*per_device_train_batch_size 4, .*\n# Model arguments\n/;
    await vs.until('comment', () => comment.test(vs.read(CONFIG)));
    await vs.codeLenses(/· (fits|tight)/);
    await undoLast(vs);
    await vs.until('restored files', () => unchanged(vs));
  });
});
