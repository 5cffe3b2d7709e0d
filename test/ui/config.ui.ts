// A config that does not fit: the view on opening it, and the single remedies.
import assert from 'node:assert/strict';
import type { VSCode } from '../host/driver';
import { inVSCode } from './window';

const CONFIG = 'trl/qwen2.5-7b-sft.yaml';
const BATCH = 'per_device_train_batch_size';
/** The remedy that keeps the effective batch size. */
const SMALLER = /per_device_train_batch_size 4 → \d, accumulation 4 → \d+: −/;

async function opened(vs: VSCode): Promise<readonly string[]> {
  await vs.open(CONFIG);
  return vs.codeLenses(/GB of 24 GB/);
}

inVSCode('config @gate', { workspace: 'media/sample' }, test => {
  test('shows above the first key whether it fits, and the effective batch at both of its keys', async vs => {
    const lenses = await opened(vs);
    assert.match(lenses[0]!, /^≈ \d+\.\d GB of 24 GB · does not fit · RTX 4090$/);
    assert.ok(lenses.includes('Optimize …'));
    const hints = await vs.inlayHints(/4 × 4 × 1 GPU = 16/);
    assert.deepEqual(hints, ['batch 4 × 4 × 1 GPU = 16', 'batch 4 × 4 × 1 GPU = 16']);
  });

  test('marks the key that owns the problem', async vs => {
    await opened(vs);
    await vs.until('squiggle', async () => (await vs.squiggles('warning')) > 0);
    const problems = await vs.problems(/does-not-fit/);
    assert.ok(problems.some(problem => /RTX 4090 has 24 GB.*Headroom does-not-fit/.test(problem)));
    assert.ok(problems.some(problem => /\[Ln \d+, Col 1\] : \w+: .* GB/.test(problem)));
  });

  test(
    'explains the estimate on hover',
    async vs => {
      await opened(vs);
      const text = await vs.hover('gradient_accumulation_steps', /GB of 24 GB/);
      for (const part of [
        /gradient_accumulation_steps = 4/,
        /(?:weights|optimizer states|gradients|logits and loss|activations) \d+\.\d GB · /,
        /Optimize · All terms/,
      ]) {
        assert.match(text, part);
      }
    },
    { keepMouse: true },
  );

  test("runs our commands from the hover's links", async vs => {
    await opened(vs);
    await vs.hover('gradient_accumulation_steps', /All terms/);
    await vs.page.locator('.monaco-hover a', { hasText: /^All terms$/ }).click();
    const page = await vs.webview('h1');
    await page.locator('h1', { hasText: 'qwen2.5-7b-sft.yaml' }).waitFor();
  });

  test('offers remedies with their effect and cost, and applies one as a single undo step', async vs => {
    await opened(vs);
    const fixes = await vs.fixes(BATCH, SMALLER);
    assert.equal(fixes[0], 'Make it fit …');
    const smaller = fixes.find(fix => SMALLER.test(fix)) ?? '';
    assert.match(smaller, /unchanged/);
    assert.match(smaller, /^(?:(?:fits|tight), \d+\.\d GB|\d+\.\d of 24 GB) · /);
    await vs.applyFix(SMALLER);
    await vs.line(/per_device_train_batch_size: [12] ?batch [12] × (8|16) × 1 GPU = 16 # worked on the A100/);
    await vs.line(/gradient_accumulation_steps: (8|16)/);
    await vs.undo();
    await vs.line(new RegExp(`${BATCH}: 4`));
    await vs.line(/gradient_accumulation_steps: 4/);
  });

  test('turns a rule off with a comment after the key', async vs => {
    await opened(vs);
    const fixes = await vs.fixes(BATCH, /Ignore does-not-fit here/);
    // Fixes come before actions that silence a finding, whatever they trade.
    const silencing = fixes.findIndex(fix => /^(?:Ignore|Open rule) /.test(fix));
    const mending = fixes.findLastIndex(fix => /→|Compare all plans|Make it fit/.test(fix));
    assert.ok(mending < silencing, fixes.join('\n'));
    await vs.shot('fixes-order', { keepMouse: true });
    assert.deepEqual(
      fixes.filter(fix => fix.includes(' does-not-fit')),
      [
        'Ignore does-not-fit here',
        'Ignore does-not-fit in this file',
        'Ignore does-not-fit in this workspace',
        'Open rule does-not-fit',
      ],
    );
    await vs.applyFix('Ignore does-not-fit here');
    await vs.line(new RegExp(`${BATCH}: 4.*# headroom: ignore\\[does-not-fit\\]`));
    await vs.until('no squiggle', async () => (await vs.squiggles('warning')) === 0);
    await vs.undo();
    await vs.until('squiggle', async () => (await vs.squiggles('warning')) > 0);
  });

  test('follows the text while it is typed', async vs => {
    const gigabytes = (lenses: readonly string[]) => Number(/≈ (\d+\.\d) GB of/.exec(lenses[0]!)?.[1]);
    const before = gigabytes(await opened(vs));
    await vs.click('4096');
    await vs.page.keyboard.press('End');
    await vs.page.keyboard.press('Control+Shift+ArrowLeft');
    await vs.type('512');
    await vs.line(/max_length: 512/);
    await vs.top();
    await vs.until('smaller answer', async () => gigabytes(await vs.codeLenses(/GB of 24 GB/)) < before);
  });
});
