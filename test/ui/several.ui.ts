// Plans over several files of a run: the config and a curriculum stage; a config and its DeepSpeed file.
import type { VSCode } from '../host/driver';
import assert from 'node:assert/strict';
import { chmodSync, cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/lib/root.mjs';
import { inVSCode } from './window';

const CONFIG = 'conf/config.yaml';
const STAGE = 'conf/text_curriculum/01_stage.yaml';
/** Only the first stage has that many negatives; the config states the batch size, which changes nothing about the result. */
const BOTH = /n_negatives 24 → 6 in 01_stage\.yaml and 2 more/;

function curriculum(folder: string) {
  cpSync(join(root, 'media/sample/contrastive'), folder, { recursive: true });
  mkdirSync(join(folder, '.vscode'));
  writeFileSync(join(folder, '.vscode/settings.json'), '{ "headroom.target.gpu": "12 GB" }');
}

const settings = { 'headroom.optimize.onChoose': 'diff' };

const undo = (vs: VSCode) => vs.command('Headroom: Undo Last Optimization');

/** Goes to the question whether to apply the plan that changes both files. */
async function chooseBoth(vs: VSCode) {
  await vs.command('Headroom: Optimize GPU Config');
  const plans = await vs.picks(BOTH);
  // A row starts with its result.
  const both = plans.find((label: string) => BOTH.exec(label) !== null)!;
  const [result = ''] = /^\S+ · [\d.]+ of 12 GB/.exec(both) ?? [];
  await vs.pick(result);
  await vs.picks(/^Apply/);
}

inVSCode('several files', { workspace: curriculum, settings }, test => {
  const before: Record<string, string> = {};
  const unchanged = (vs: VSCode) => [CONFIG, STAGE].every(file => vs.read(file) === before[file]);
  /** The lens of the unchanged files: with its amount once it was seen, because files that tests restore change outside the window. */
  let fresh = /01_stage ≈ [\d.]+ of 12 GB · does not fit/;
  const opened = async (vs: VSCode) => {
    for (const file of [CONFIG, STAGE]) before[file] = vs.read(file);
    await vs.open(CONFIG);
    const [lens = ''] = (await vs.codeLenses(fresh)).flatMap((text: string) => fresh.exec(text) ?? []);
    fresh = new RegExp(lens.replaceAll('.', '\\.'));
  };
  const applied = async (vs: VSCode) => {
    await opened(vs);
    await chooseBoth(vs);
    await vs.page.keyboard.press('Enter');
    await vs.until(
      'changes',
      () => vs.read(CONFIG).includes('batch_size: 16') && vs.read(STAGE).includes('n_negatives: 6'),
    );
    await vs.notifications(
      /Applied data_loader\.batch_size 32 → 16, .* n_negatives 24 → 6 in 01_stage\.yaml/,
    );
  };
  const backups = (vs: VSCode) => [CONFIG, STAGE].map(file => existsSync(vs.path(`${file}.backup`)));

  test('are named in the list of plans', async vs => {
    await opened(vs);
    await vs.command('Headroom: Optimize GPU Config');
    await vs.picks(BOTH);
  });

  test('are all previewed as diffs before anything is written', async vs => {
    await opened(vs);
    await chooseBoth(vs);
    await vs.page.locator('.tab.active[aria-label*="Plan for 2 files"]').waitFor();
    const text = () => vs.page.locator('.multiDiffEditor, .monaco-multi-diff-editor').first().innerText();
    await vs.until(
      'both files',
      async () => (await text()).includes('config.yaml') && (await text()).includes('01_stage.yaml'),
    );
    await vs.until('both changes', async () => {
      const shown = (await text()).replace(/\u00a0/g, ' ');
      return shown.includes('batch_size: 16') && shown.includes('n_negatives: 6');
    });
    assert.ok(unchanged(vs));
  });

  test('change together, each with a backup', async vs => {
    await applied(vs);
    assert.match(vs.read(CONFIG), /accumulate_grad_batches: 16 #/);
    for (const file of [CONFIG, STAGE]) assert.equal(vs.read(`${file}.backup`), before[file]);
    await vs.codeLenses(/01_stage.* ≈ [\d.]+ of 12 GB$/);
  });

  test('are undone together', async vs => {
    await applied(vs);
    await undo(vs);
    await vs.until('both restored', () => unchanged(vs));
    await vs.until('no backups', () => !backups(vs).some(Boolean));
    await vs.codeLenses(/01_stage ≈ [\d.]+ of 12 GB · does not fit/);
  });

  test('stay unchanged if one of them is read-only', async vs => {
    await opened(vs);
    chmodSync(vs.path(STAGE), 0o444);
    await chooseBoth(vs);
    await vs.page.keyboard.press('Enter');
    await vs.notifications(/01_stage\.yaml is read-only, so nothing was changed/);
    assert.ok(unchanged(vs));
    assert.deepEqual(backups(vs), [false, false]);
    chmodSync(vs.path(STAGE), 0o644);
  });

  test('are not undone if one of them was edited since', async vs => {
    await applied(vs);
    const edited = `${vs.read(STAGE)}# mine\n`;
    const config = vs.read(CONFIG);
    writeFileSync(vs.path(STAGE), edited);
    await undo(vs);
    await vs.notifications(/01_stage\.yaml was edited after the optimization.*01_stage\.yaml\.backup/);
    assert.deepEqual([vs.read(CONFIG), vs.read(STAGE)], [config, edited]);
  });
});

const LORA = [
  'base_model: NousResearch/Meta-Llama-3-8B',
  'sequence_len: 2048',
  'adapter: qlora',
  'load_in_4bit: true',
  'lora_r: 16',
  'lora_alpha: 16',
  'lora_target_linear: true',
  'micro_batch_size: 16',
  'gradient_accumulation_steps: 1',
  'bf16: true',
  'gradient_checkpointing: true',
  'attn_implementation: flash_attention_2',
  'deepspeed: ds.json',
  '',
].join('\n');
const JSON_TEXT =
  '{\n  "train_micro_batch_size_per_gpu": 16,\n  "gradient_accumulation_steps": 1,\n  "zero_optimization": { "stage": 0 }\n}\n';

function deepspeed(folder: string) {
  mkdirSync(join(folder, '.vscode'));
  writeFileSync(join(folder, '.vscode/settings.json'), '{ "headroom.target.gpu": "RTX 4090" }');
  writeFileSync(join(folder, 'lora.yml'), LORA);
  writeFileSync(join(folder, 'ds.json'), JSON_TEXT);
}

inVSCode('a config and its DeepSpeed file', { workspace: deepspeed, settings }, test => {
  const FIX = /micro_batch_size 16 → \d, accumulation 1 → \d+, also in ds\.json: −\d+\.\d GB/;

  test('keep the same batch with one fix', async vs => {
    await vs.open('lora.yml');
    await vs.codeLenses(/does not fit/);
    await vs.fixes('micro_batch_size', FIX);
    await vs.applyFix(FIX);
    await vs.line(/micro_batch_size: \d ?batch/);
    await vs.open('ds.json');
    await vs.line(/"train_micro_batch_size_per_gpu": \d ?(batch .*)?,/);
  });

  test('keep the same batch with a plan, on disk and after undo', async vs => {
    await vs.open('lora.yml');
    await vs.top();
    await vs.codeLenses(/does not fit/);
    await vs.command('Headroom: Optimize GPU Config');
    await vs.picks(/micro_batch_size 16 → \d/);
    await vs.page.keyboard.press('Enter');
    await vs.picks(/^Apply/);
    await vs.page.keyboard.press('Enter');
    await vs.until('both changed', () => vs.read('lora.yml') !== LORA && vs.read('ds.json') !== JSON_TEXT);
    await vs.open('lora.yml');
    await vs.top();
    await vs.codeLenses(/· (fits|tight) ·/);
    await vs.notifications(/Applied/);
    await undo(vs);
    await vs.until('both restored', () => vs.read('lora.yml') === LORA && vs.read('ds.json') === JSON_TEXT);
  });
});
