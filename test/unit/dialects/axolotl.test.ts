import assert from 'node:assert/strict';
import { editsFor } from '../../../src/core/dialects/write';
import { changed } from '../../../src/core/dialects/change';
import { applied, read, runOf } from './support';

const config = `base_model: NousResearch/Meta-Llama-3.1-8B # the base
datasets:
  - path: tatsu-lab/alpaca
    type: alpaca
adapter: lora
lora_r: 16
lora_alpha: 32
lora_target_linear: true
sequence_len: 4096
gradient_accumulation_steps: 4
micro_batch_size: 2   # fits
optimizer: adamw_torch
bf16: auto
gradient_checkpointing:
`;

describe('an Axolotl config', () => {
  it('is read with origins', async () => {
    const run = await runOf(config);
    const { microBatchSize, seqLen, optimizer, gradientCheckpointing, effectiveBatch, task } = run.quantities;
    assert.equal(run.dialect, 'axolotl');
    assert.equal(microBatchSize.value, 2);
    assert.equal(microBatchSize.origin.kind === 'file' && microBatchSize.origin.at.line, 11);
    assert.equal(seqLen.value, 4096);
    assert.equal(optimizer.value, 'adamw_torch');
    assert.equal(gradientCheckpointing.value, false);
    assert.equal(gradientCheckpointing.origin.kind, 'default');
    assert.equal(task.value, 'sft');
    assert.equal(effectiveBatch.value, null);
    assert.equal(
      effectiveBatch.origin.kind === 'unresolved' && effectiveBatch.origin.why,
      '2 × 4 = 8 per GPU; the number of GPUs is not in the files.',
    );
  });

  it('takes a smaller micro batch with one edit a key and reads back the same', async () => {
    const run = await runOf(config);
    const changes = [
      { quantity: 'microBatchSize', to: 1 },
      { quantity: 'gradAccum', to: 8 },
      { quantity: 'gradientCheckpointing', to: true },
    ] as const;
    const written = editsFor(run, changes);
    assert.ok(written.ok);
    const after = applied({ 'config.yaml': config }, written.edits);
    assert.equal(
      after['config.yaml'],
      config
        .replace('micro_batch_size: 2   # fits', 'micro_batch_size: 1   # fits')
        .replace('steps: 4', 'steps: 8')
        .replace('gradient_checkpointing:\n', 'gradient_checkpointing: true\n'),
    );
    const { runs } = await read(after);
    assert.deepEqual(values(runs[0]?.quantities), values(changed(run, changes).quantities));
  });
});

const values = (quantities: object | undefined): unknown =>
  Object.fromEntries(
    Object.entries(quantities ?? {}).map(([name, { value }]: [string, { value: unknown }]) => [name, value]),
  );
