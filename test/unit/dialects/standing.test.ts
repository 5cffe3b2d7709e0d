import assert from 'node:assert/strict';
import { standingOf } from '../../../src/core/dialects/standing';

describe('what a file is among the configs of a workspace', () => {
  it('is a run, a guess, or a part of what others describe', () => {
    const axolotl = 'base_model: org/model\nadapter: qlora\nmicro_batch_size: 2\nsequence_len: 512\n';
    assert.equal(standingOf(axolotl), 'run');
    const accelerate =
      'compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nmixed_precision: bf16\nnum_processes: 8\nnum_machines: 1\nmachine_rank: 0\nmain_training_function: main\n';
    assert.equal(standingOf(accelerate), 'part');
    const deepspeed =
      'zero_optimization:\n  stage: 2\ntrain_micro_batch_size_per_gpu: 4\nbf16:\n  enabled: true\n';
    assert.equal(standingOf(deepspeed), 'part');
    assert.equal(standingOf('#!/bin/bash\ntorchrun train.py --config a.yaml\n'), 'part');
    assert.equal(standingOf('lr: 0.1\nbatch_size: 2\n'), 'guess');
  });
});
