import assert from 'node:assert/strict';
import fc from 'fast-check';
import { countInName, supposedDecoder } from '../../../src/core/models/supposed';
import { estimateRun } from '../../../src/core/memory/estimateRun';
import { statedRun } from '../../eval/accuracy/stated';

describe('models of which only the size is known', () => {
  it('say it in their name, if they do', () => {
    assert.equal(countInName('acme/Thing-7B-Instruct'), 7e9);
    assert.equal(countInName('acme/thing-0.5b'), 5e8);
    assert.equal(countInName('thing_135M'), 135e6);
    for (const name of [
      'acme/thing',
      'acme/8x7B',
      'acme/30B-A3B',
      'acme/moe-7b',
      'thing-4bit',
      'a 7B model',
      '7b-to-13b',
    ]) {
      assert.equal(countInName(name), null, name);
    }
  });

  it('get as many parameters as they say, to a unit of the MLP', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e9, max: 4e11, noNaN: true }), count => {
        const model = supposedDecoder('x', count);
        assert.ok(model);
        assert.ok(Math.abs((model.parameters?.total ?? 0) / count - 1) < 0.35, String(count));
      }),
    );
    for (const count of [1.2e9, 3.2e9, 7e9, 8e9, 14e9, 32e9, 70e9]) {
      const { parameters, hiddenSize, layers } = supposedDecoder('x', count)!;
      assert.ok(Math.abs(parameters!.total - count) <= 3 * hiddenSize * layers);
    }
  });

  it('are none where no shape comes near', () => {
    assert.equal(supposedDecoder('x', 1e6), null);
    assert.equal(supposedDecoder('x', 1e13), null);
  });

  it('are estimated with a wide interval that says why, where the task is to write', () => {
    const estimated = (task: string, model = 'acme/thing-7B') =>
      estimateRun(
        statedRun(
          'x',
          { id: 'transformers', name: 'transformers', version: '5.23.0' },
          {
            model,
            task,
            microBatchSize: 1,
            seqLen: 512,
            optimizer: 'adamw_torch',
            loadDtype: 'bf16',
          },
          {},
        ),
        null,
        null,
      );
    const result = estimated('sft');
    assert.ok(result.ok);
    const { low, expected, high } = result.estimate.devices[0]!.device;
    assert.ok(low < 0.55 * expected && high > 1.4 * expected);
    assert.ok(result.estimate.assumptions.some(one => one.includes('dense decoder of 7.00 B parameters')));
    assert.equal(result.estimate.guesses, undefined);
    for (const name of [
      'acme/Ovis2.5-7B',
      'acme/thing-Omni-7B',
      'acme/thing-VL-Reranker-7B',
      'acme/OCR-7B',
    ]) {
      const seeing = estimated('sft', name);
      assert.ok(seeing.ok && seeing.estimate.guesses === 1, name);
    }
    assert.ok(!estimated('image_classification').ok);
  });
});
