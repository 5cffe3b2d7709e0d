import assert from 'node:assert/strict';

import { uperNet } from '../../../src/core/memory/architectures/uperNet';
import { play } from '../../../src/core/memory/timeline';
import { segmenterModel } from '../../../src/core/models/segmenters';
import { memoryRun, peakOf, trainedIn } from './support';

const IMAGE = { channels: 3, height: 512, width: 512 };

const facts = (name: string) => {
  const model = segmenterModel(name);
  assert.ok(model, name);
  return model;
};

const played = (name: string) => {
  const model = facts(name);
  return play(uperNet, memoryRun({ model, head: 'segmenter', tokens: 1, image: IMAGE, weightDtype: 'fp32' }));
};

describe('memory: segmenters', () => {
  it('are found by the names of their configs, of mmseg before and after 1.0', () => {
    const former = facts('configs/vit/upernet_deit-s16_ln_mln_512x512_160k_ade20k.py');
    assert.equal(former.hiddenSize, 384);
    assert.deepEqual([former.extra['neck'], former.extra['final_norm']], [true, true]);
    const latter = facts('vit_vit-b16_mln_upernet_8xb2-80k_ade20k-512x512');
    assert.equal(latter.extra['image_width'], 512);
    assert.equal(latter.extra['final_norm'], false);
    assert.equal(segmenterModel('pspnet_deit-s16_512x512_80k_ade20k'), null);
    assert.equal(segmenterModel('upernet_r50_512x512_80k_ade20k'), null);
  });

  it('train a backbone, a pyramid under pooled maps, and an auxiliary head', () => {
    const [d, c] = [768, 512];
    const backbone = 3 * 16 * 16 * d + d + d + 1025 * d + 12 * (12 * d * d + 13 * d);
    const module = (inputs: number, outputs: number, side: number): number =>
      inputs * outputs * side * side + 2 * outputs;
    const pooling = 4 * module(d, c, 1) + module(d + 4 * c, c, 3);
    const pyramid = 3 * (module(d, c, 1) + module(c, c, 3)) + module(4 * c, c, 3) + c * 150 + 150;
    const auxiliary = module(d, 256, 3) + 256 * 150 + 150;
    const plain = trainedIn(played('upernet_deit-b16_512x512_160k_ade20k'));
    assert.equal(plain, backbone + pooling + pyramid + auxiliary);
    const neck = 4 * (d * d + d + 9 * d * d + d);
    assert.equal(trainedIn(played('upernet_deit-b16_mln_512x512_160k_ade20k')), plain + neck);
  });

  it('hold the classes of every pixel twice over, once for each head', () => {
    const pixels = (name: string): number => peakOf(played(name), 'forward');
    const difference =
      pixels('upernet_deit-s16_512x512_160k_ade20k') - pixels('upernet_deit-s16_512x512_80k_cityscapes');
    const classes = 2 * 512 * 512 * (150 - 19) * 4;
    assert.ok(difference > 2 * classes, `${difference} and ${classes}`);
  });
});
