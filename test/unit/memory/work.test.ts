import assert from 'node:assert/strict';
import { llama } from '../../../src/core/memory/architectures/llama';
import { play } from '../../../src/core/memory/timeline';
import type { PassWork } from '../../../src/core/memory/played';
import type { Work } from '../../../src/core/memory/meter';
import { memoryRun, smallLlama } from './support';
import type { RunChanges } from './support';

function workOf(changes: RunChanges = {}): PassWork {
  const { work } = play(llama, memoryRun(changes));
  assert.ok(work);
  return work;
}

const flops = ({ products }: Work): number =>
  products.reduce((sum, one) => sum + 2 * one.rows * one.inputs * one.outputs * one.groups * one.times, 0);

const TOKENS = 2 * 128;
const { hiddenSize: h, intermediateSize: i, layers, vocabSize } = smallLlama;
/** Weights of the products of a layer: queries, keys and values, output, and the gated MLP. */
const LAYER = h * h + 2 * h * (h / 2) + h * h + 3 * h * i;
const FORWARD = 2 * TOKENS * (layers * LAYER + h * vocabSize);

describe('the work of a step', () => {
  it('has two FLOPs a weight and token in forward, four in backward', () => {
    const { forward, backward } = workOf();
    assert.equal(flops(forward), FORWARD);
    // Nothing needs the gradient of the embeddings' input, but each product has one of its own.
    assert.equal(flops(backward!), 2 * FORWARD);
    assert.equal(backward!.recomputedFlops, 0);
  });

  it('has the attention of every layer, with two and a half times as much in backward', () => {
    const { forward, backward } = workOf();
    assert.equal(forward.attentionFlops, layers * 4 * 2 * 128 * 128 * h);
    assert.equal(backward!.attentionFlops, 2.5 * forward.attentionFlops);
  });

  it('computes a checkpointed layer once more', () => {
    const { forward, backward } = workOf({ checkpointing: 'reentrant' });
    assert.equal(flops(forward), FORWARD);
    assert.equal(flops(backward!), 2 * FORWARD + 2 * TOKENS * layers * LAYER);
    assert.equal(backward!.recomputedFlops, 2 * TOKENS * layers * LAYER + layers * 4 * 2 * 128 * 128 * h);
  });

  it('does not compute again what selective checkpointing keeps', () => {
    const all = workOf({ checkpointing: 'non-reentrant' }).backward!;
    const some = workOf({ checkpointing: 'selective' }).backward!;
    assert.ok(flops(some) < flops(all));
    assert.ok(flops(some) > 2 * FORWARD);
  });

  it('has no backward without training', () => {
    const { forward, backward } = workOf({ task: 'infer' });
    assert.equal(backward, null);
    assert.ok(flops(forward) > 0);
  });
});
