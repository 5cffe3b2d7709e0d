// Files of every kind: large, strange, with several documents, untitled, with Windows line endings.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/lib/root.mjs';
import { PLAN } from './window';
import { inVSCode } from './window';

const sample = readFileSync(join(root, 'media/sample/axolotl/llama-3.1-8b-qlora.yml'), 'utf8');

/** 20,000 lines of a deployment that is no config. */
const stranger = Array.from(
  { length: 5000 },
  (_, i) => `service_${i}:\n  image: "registry/app:${i}"\n  replicas: ${i % 7}\n  labels: [a, b]\n`,
).join('');

/** The same run with a batch that is too large for any card. */
const tooLarge = sample.replace('micro_batch_size: 2', 'micro_batch_size: 64');

/** A config with a very long list: the worker reads it. */
const large = `${tooLarge}test_datasets:\n${Array.from({ length: 8000 }, (_, i) => `  - path: data/part-${i}.jsonl\n    type: alpaca\n`).join('')}`;

const BOM = '\ufeff';

function fill(folder: string) {
  mkdirSync(join(folder, '.vscode'));
  writeFileSync(join(folder, '.vscode/settings.json'), '{ "headroom.target.gpu": "RTX 4090" }');
  writeFileSync(join(folder, 'stranger.yaml'), stranger);
  writeFileSync(join(folder, 'large.yml'), large);
  writeFileSync(join(folder, 'two.yml'), `${sample}---\n${tooLarge}`);
  const dos = tooLarge.replaceAll('\n', '\r\n');
  writeFileSync(join(folder, 'dos.yml'), BOM + dos);
}

inVSCode(
  'files',
  {
    workspace: fill,
    settings: { '[yaml]': { 'editor.autoIndent': 'none' }, 'headroom.optimize.onChoose': 'diff' },
  },
  test => {
    test('20,000 lines that are not a config stay silent', async vs => {
      await vs.open('stranger.yaml');
      await vs.page.waitForTimeout(1500);
      assert.deepEqual(await vs.page.locator('.codelens-decoration').allInnerTexts(), []);
      assert.equal(await vs.page.locator('.action-item [aria-label^="Optimize GPU Config"]').count(), 0);
      assert.equal(await vs.squiggles('warning'), 0);
    });

    test('a huge config gets its answer and its plans', async vs => {
      await vs.open('large.yml');
      await vs.codeLenses(/does not fit/);
      await vs.command('Headroom: Optimize GPU Config');
      await vs.picks(/micro_batch_size 64 →/);
      await vs.escape();
    });

    test('each of several documents gets an answer', async vs => {
      await vs.open('two.yml');
      await vs.codeLenses(/document 1: ≈ [\d.]+ GB of 24 GB · fits/);
      await vs.page.keyboard.press('Control+G');
      await vs.answer(':60');
      await vs.codeLenses(/document 2: ≈ [\d.]+ GB of 24 GB · does not fit/);
    });

    test('Windows line endings and a byte order mark survive a fix', async vs => {
      await vs.open('dos.yml');
      await vs.codeLenses(/does not fit/);
      const before = vs.read('dos.yml');
      await vs.fixes('micro_batch_size', /micro_batch_size 64 →/);
      await vs.applyFix(/micro_batch_size 64 →/);
      await vs.until('edit', async () => !(await vs.squiggles('warning')));
      await vs.save();
      await vs.until('saved', () => vs.read('dos.yml') !== before);
      const lines = (text: string) => text.split('\r\n');
      const [was, is] = [lines(before), lines(vs.read('dos.yml'))];
      assert.equal(is[0], was[0]);
      assert.ok(is[0]!.startsWith(BOM));
      const changed = is.filter((line: string, i: number) => line !== was[i]);
      assert.equal(is.length, was.length);
      assert.ok(
        changed.every((line: string) => /^(micro_batch_size|gradient_accumulation_steps): \d+/.test(line)),
        changed.join('\n'),
      );
    });

    test('an untitled file is analyzed, fixed and optimized without touching the disk', async vs => {
      await vs.command('File: New Untitled Text File');
      await vs.command('Change Language Mode');
      await vs.page.keyboard.type('YAML');
      await vs.pick('YAML');
      await vs.page.locator('.editor-instance .monaco-editor').click();
      await vs.page.keyboard.insertText(sample.replace('micro_batch_size: 2', 'micro_batch_size: 64'));
      await vs.page.keyboard.press('Control+Home');
      await vs.codeLenses(/does not fit/);
      await vs.command('Headroom: Optimize GPU Config');
      await vs.picks(PLAN);
      await vs.page.keyboard.press('Enter');
      await vs.picks(/Apply/);
      await vs.page.keyboard.press('Enter');
      await vs.codeLenses(/· (fits|tight) ·/);
      await vs.command('Headroom: Undo Last Optimization');
      await vs.codeLenses(/does not fit/);
    });
  },
);

const config = 'contrastive/conf/config.yaml';
const stage = 'contrastive/conf/text_curriculum/01_stage.yaml';

inVSCode('stages', { workspace: 'media/sample' }, test => {
  test('a project with stages gets an answer for each stage', async vs => {
    await vs.open(config);
    const lenses = await vs.codeLenses(/^01_stage ≈ [\d.]+ of 24 GB · does not fit$/);
    assert.ok(
      lenses.some(lens => /^02_stage … 05_stage ≈ [\d.]+ of 24 GB · tight$/.test(lens)),
      lenses.join(),
    );
  });

  test('a stage opened alone shows its own answer', async vs => {
    await vs.open(stage);
    const lenses = await vs.codeLenses(/^01_stage: ≈ [\d.]+ GB of 24 GB/);
    assert.equal(lenses.filter(lens => lens.includes('≈')).length, 1);
  });

  test('a change in a stage reaches the config without a save', async vs => {
    await vs.open(stage);
    await vs.codeLenses(/^01_stage: ≈/);
    await vs.click('24');
    await vs.page.keyboard.press('End');
    await vs.page.keyboard.press('Control+Shift+ArrowLeft');
    await vs.type('96');
    await vs.open(config);
    await vs.codeLenses(/01_stage ≈ [\d.]+ of 24 GB · does not fit/);
  });
});
