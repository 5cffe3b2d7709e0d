import assert from 'node:assert/strict';
import { standingOf } from '../../../src/core/reading/standing';

describe('what a file is among the configs of a workspace', () => {
  it('is a run, a guess, or a part of what others describe', async () => {
    const axolotl = 'base_model: org/model\nadapter: qlora\nmicro_batch_size: 2\nsequence_len: 512\n';
    assert.equal(await standingOf(axolotl), 'run');
    const accelerate =
      'compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nmixed_precision: bf16\nnum_processes: 8\nnum_machines: 1\nmachine_rank: 0\nmain_training_function: main\n';
    assert.equal(await standingOf(accelerate), 'part');
    const deepspeed =
      'zero_optimization:\n  stage: 2\ntrain_micro_batch_size_per_gpu: 4\nbf16:\n  enabled: true\n';
    assert.equal(await standingOf(deepspeed), 'part');
    assert.equal(await standingOf('#!/bin/bash\ntorchrun train.py --config a.yaml\n'), 'part');
    assert.equal(await standingOf('lr: 0.1\nbatch_size: 2\n'), 'guess');
    const program = 'from trl import SFTTrainer\nSFTTrainer(model="x").train()\n';
    assert.deepEqual(
      [await standingOf(program, 'a.py'), await standingOf('x = 1', 'a.py')],
      ['run', 'guess'],
    );
  });
});
