import assert from 'node:assert/strict';

import { behaviourOf } from '../../../src/core/memory/behaviours/behaviourOf';
import { normNamed } from '../../../src/core/memory/blocks/images/detection/norms';
import { ModelBuilder } from '../../../src/core/memory/builder';
import { softmax } from '../../../src/core/memory/ops/attention';
import { logSoftmax } from '../../../src/core/memory/ops/loss';
import { relu } from '../../../src/core/memory/ops/pointwise';
import { detectorModel } from '../../../src/core/models/detectors';
import { costOf, memoryRun } from './support';

const BF16 = 4096 * 2;

const behaviourWith = (torch: string) =>
  behaviourOf({
    framework: { name: 'detectron2', version: null, libraries: { torch }, stated: false },
    modelType: 'detector',
    loss: null,
    preference: false,
    kernels: [],
    attention: 'sdpa',
  });

describe('memory: former releases of torch', () => {
  it("relu keeps its input before 1.10, which is nobody else's behind a convolution", () => {
    assert.equal(costOf(relu).kept, 0);
    const former = costOf((tape, x) => {
      tape.reluKeepsInput = behaviourWith('1.9').reluKeepsInput;
      return relu(tape, x);
    });
    assert.equal(former.kept, BF16);
    assert.equal(behaviourWith('1.10').reluKeepsInput, false);
  });

  it('softmax and log_softmax keep their input beside their result before 1.11', () => {
    for (const op of [softmax, logSoftmax]) {
      assert.equal(costOf(op).kept, 0);
      const former = costOf((tape, x) => {
        tape.softmaxKeepsInput = behaviourWith('1.10').softmaxKeepsInput;
        return op(tape, x);
      });
      assert.equal(former.kept, BF16);
    }
    assert.equal(behaviourWith('1.11').softmaxKeepsInput, false);
  });
});

describe('memory: variants of detectors', () => {
  it('are what their configs change', () => {
    const facts = (name: string) => detectorModel(name)?.extra ?? {};
    assert.equal(facts('mask_rcnn_R_50_FPN_3x_syncbn')['head_norm'], 'synchronised');
    assert.equal(facts('scratch_mask_rcnn_R_50_FPN_3x_gn')['frozen'], 0);
    assert.equal(facts('mask_rcnn_R_50_FPN_3x_gn')['frozen'], 2);
    assert.equal(facts('LVISv0.5/mask_rcnn_R_50_FPN_1x_lvis')['classes'], 1230);
    assert.deepEqual(facts('panoptic_fpn_R_101_dconv_cascade_gn_3x')['heads'], [
      'cascade',
      'mask',
      'semantic',
    ]);
  });

  it('are refused where they are more than that', () => {
    assert.equal(detectorModel('cascade_mask_rcnn_X_152_32x8d_FPN_IN5k_gn_dconv'), null);
  });

  it('synchronised norms keep their input once, and no more of its size', () => {
    const at = { batch: 1, channels: 16, height: 16, width: 16 };
    const norm = costOf((tape, x) =>
      normNamed('synchronised')(new ModelBuilder(tape, memoryRun()), at)(tape, x),
    );
    assert.ok(norm.kept >= BF16 && norm.kept < 2 * BF16, String(norm.kept));
  });
});
