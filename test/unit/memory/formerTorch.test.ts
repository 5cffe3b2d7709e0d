import assert from 'node:assert/strict';

import { detector } from '../../../src/core/memory/architectures/detector';
import { behaviorOf } from '../../../src/core/memory/frameworks/behavior/behaviorOf';
import { normNamed } from '../../../src/core/memory/blocks/images/detection/norms';
import { ModelBuilder } from '../../../src/core/memory/builder';
import { softmax } from '../../../src/core/memory/ops/attention';
import { logSoftmax } from '../../../src/core/memory/ops/loss';
import { relu } from '../../../src/core/memory/ops/pointwise';
import { detectorModel } from '../../../src/core/models/detectors';
import { play } from '../../../src/core/memory/timeline';
import { costOf, memoryRun, trainedIn } from './support';

const BF16 = 4096 * 2;

const behaviorWith = (torch: string) =>
  behaviorOf({
    framework: { id: null, name: 'detectron2', version: null, libraries: { torch }, stated: false },
    modelType: 'detector',
    loss: null,
    preference: false,
    task: null,
    sequenceParallel: null,
    expandableSegments: null,
    kernels: [],
    attention: 'sdpa',
  });

describe('memory: former releases of torch', () => {
  it("relu keeps its input before 1.10, which is nobody else's behind a convolution", () => {
    assert.equal(costOf(relu).kept, 0);
    const former = costOf((tape, x) => {
      tape.reluKeepsInput = behaviorWith('1.9').reluKeepsInput;
      return relu(tape, x);
    });
    assert.equal(former.kept, BF16);
    assert.equal(behaviorWith('1.10').reluKeepsInput, false);
  });

  it('softmax and log_softmax keep their input beside their result before 1.11', () => {
    for (const op of [softmax, logSoftmax]) {
      assert.equal(costOf(op).kept, 0);
      const former = costOf((tape, x) => {
        tape.softmaxKeepsInput = behaviorWith('1.10').softmaxKeepsInput;
        return op(tape, x);
      });
      assert.equal(former.kept, BF16);
    }
    assert.equal(behaviorWith('1.11').softmaxKeepsInput, false);
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

  it('stand over a Swin in mmdet, and lie and stand in one batch where images are cropped', () => {
    const plain = detectorModel('mask-rcnn_swin-t-p4-w7_fpn_1x_coco')?.extra;
    assert.deepEqual(plain?.['blocks'], [2, 2, 6, 2]);
    assert.deepEqual([plain['image_width'], plain['image_height']], [1333, 800]);
    assert.equal(
      detectorModel('mask-rcnn_swin-s-p4-w7_fpn_amp-ms-crop-3x_coco')?.extra['image_height'],
      1333,
    );
  });

  it('train all of a Swin, a pyramid over it and their heads', () => {
    const model = detectorModel('mask-rcnn_swin-t-p4-w7_fpn_1x_coco');
    assert.ok(model);
    const image = { channels: 3, height: 800, width: 1333 };
    const played = play(detector, memoryRun({ model, head: 'detector', tokens: 1, image }));
    // torchvision's swin_t without its classifier and last norm, and a norm for each stage.
    const backbone = 28_288_354 - 769_000 - 1536 + 2 * (96 + 192 + 384 + 768);
    const pyramid = 256 * (96 + 192 + 384 + 768) + 4 * 256 * 256 * 9 + 8 * 256;
    const proposals = 256 * 256 * 9 + 256 + 15 * 256 + 15;
    const box = 256 * 49 * 1024 + 1024 + 1024 * 1024 + 1024 + 1024 * (81 + 320) + 81 + 320;
    const mask = 4 * (256 * 256 * 9 + 256) + 256 * 256 * 4 + 256 + 256 * 80 + 80;
    assert.equal(trainedIn(played), backbone + pyramid + proposals + box + mask);
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
