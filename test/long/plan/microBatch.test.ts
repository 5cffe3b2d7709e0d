import assert from 'node:assert/strict';
import type { RemedyContext } from '../../../src/core/plan/remedy';
import { microBatch } from '../../../src/core/plan/remedies/microBatch';
import { runsOf } from '../../unit/rules/findings';
import { english } from '../../../src/core/text/say';

/** LitGPT states the batch over all GPUs; accumulation follows from it. */
const LITGPT = `checkpoint_dir: checkpoints/tiiuae/falcon-7b
precision: bf16-true
devices: 2
data:
  class_path: litgpt.data.Alpaca2k
train:
  lr_warmup_steps: 10
  global_batch_size: 16
  micro_batch_size: 4
eval:
  initial_validation: false
`;

async function contextOf(samples: number | null): Promise<RemedyContext> {
  const samplesPerGpu = samples === null ? null : { least: samples, most: samples };
  const [run] = await runsOf(LITGPT);
  assert.equal(run?.dialect, 'litgpt');
  return { run, model: null, target: null, estimate: null, samplesPerGpu, say: english };
}

describe('the micro-batch size with derived accumulation', () => {
  it('changes alone: the global batch stays', async () => {
    assert.deepEqual(
      microBatch.less(await contextOf(null)).map(({ changes }) => changes),
      [[{ quantity: 'microBatchSize', to: 2 }], [{ quantity: 'microBatchSize', to: 1 }]],
    );
  });

  it('changes with the global batch if another effective batch is requested', async () => {
    const options = microBatch.less(await contextOf(16));
    for (const { changes } of options) assert.deepEqual(changes[1], { quantity: 'globalBatchSize', to: 32 });
    assert.ok(options.length > 0);
  });
});
