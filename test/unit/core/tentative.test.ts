import assert from 'node:assert/strict';
import { answer, whyUnknown } from '../../../src/core/render/verdict';
import { lensTexts } from '../../../src/core/render/lens';
import { judge, judged } from './support';

const STATED = `model:
  base: NousResearch/Meta-Llama-3-8B
  lora: {r: 16, alpha: 32}
train:
  batch_size: 4
  epochs: 3
  lr: 2.0e-4
  optimizer: adamw
  bf16: true
  gradient_checkpointing: true
data:
  max_length: 1024
`;

describe('the answer of a reading by vocabulary', () => {
  it('has no verdict for exit codes', async () => {
    const run = await judged(STATED);
    assert.equal(run.verdict, 'unknown');
    assert.ok(run.estimate);
    assert.ok(run.estimate.devices.every(({ verdict }) => verdict === 'unknown'));
    assert.deepEqual(run.tentative, { perhaps: 'exceeds', assumed: [] });
    assert.match(
      answer(run),
      /^≈ [\d.]+ GB of 24 GB · RTX 4090 · keys guessed by name: perhaps does not fit$/,
    );
    assert.match(lensTexts([run])[0]?.title ?? '', /^≈ .* keys guessed by name/);
  });

  it('is only an amount if its basis is itself assumed', async () => {
    const run = await judged(STATED.replace(/ {2}gradient.*\n/, ''));
    assert.deepEqual(run.tentative, { perhaps: null, assumed: ['gradientCheckpointing'] });
    assert.match(answer(run), /keys guessed by name, gradient checkpointing assumed$/);
  });

  it('takes no optimizer for granted, and says what is missing', async () => {
    const run = await judged(STATED.replace('  optimizer: adamw\n', ''));
    assert.ok(run.estimate);
    assert.ok(run.estimate.assumptions.includes('AdamW: which optimizer it has is not known'));
    assert.ok(run.estimate.devices.every(({ verdict }) => verdict === 'unknown'));
    const nameless = await judged(STATED.replace('NousResearch/Meta-Llama-3-8B', 'acme/nobody'));
    assert.equal(nameless.estimate, null);
  });

  it('has no findings: rules are about frameworks', async () => {
    const { findings, runs } = await judge({
      'a.yaml': `${STATED}  max_length: 2048\nextra: {fp16: perhaps}\n`,
    });
    assert.deepEqual([...findings, ...runs.flatMap(run => run.findings)], []);
  });

  it('offers no plans', async () => {
    assert.match(
      whyUnknown(await judged(STATED)),
      /guessed its keys by name, so it offers no plans.*Teach Headroom/,
    );
  });
});
