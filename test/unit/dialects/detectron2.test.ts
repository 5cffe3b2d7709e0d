import assert from 'node:assert/strict';
import { runOf } from './support';

const HEAD = 'SOLVER: {IMS_PER_BATCH: 16, BASE_LR: 0.02}\nDATASETS: {TRAIN: [coco_2014_train]}\n';

describe('a config of maskrcnn-benchmark', () => {
  const modelOf = async (keys: string): Promise<unknown> =>
    (await runOf(`MODEL: {META_ARCHITECTURE: GeneralizedRCNN, ${keys}}\n${HEAD}`)).quantities.model.value;

  it('has the backbone that it names in one word', async () => {
    assert.equal(await modelOf('MASK_ON: true, BACKBONE: {CONV_BODY: R-101-FPN}'), 'mask_rcnn_R_101_FPN');
    const wide = 'BACKBONE: {CONV_BODY: R-101-FPN}, RESNETS: {NUM_GROUPS: 32, WIDTH_PER_GROUP: 8}';
    assert.equal(await modelOf(wide), 'faster_rcnn_X_101_32x8d_FPN');
    const dense = 'RETINANET_ON: true, BACKBONE: {CONV_BODY: R-50-FPN-RETINANET}';
    assert.equal(await modelOf(dense), 'retinanet_R_50_FPN');
    assert.equal(await modelOf('BACKBONE: {CONV_BODY: FBNet}'), 'FBNet');
    assert.equal(await modelOf('MASK_ON: true'), 'mask_rcnn_R_50_C4');
  });
});
