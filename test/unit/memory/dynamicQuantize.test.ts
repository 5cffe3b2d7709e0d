import assert from 'node:assert/strict';
import { Graph } from '../../../src/core/memory/autograd';
import type { DynamicWeights } from '../../../src/core/memory/run';
import { Tape } from '../../../src/core/memory/tape';
import { dynamicLinear, quantizes } from '../../../src/core/memory/transforms/dynamicQuantize';

const SHAPE = { name: 'to_q', inputs: 1024, outputs: 2048, bias: false };
const ROWS = 512;

/** Memory alive after a product besides its input and result: what autograd keeps. */
function keptBy(format: DynamicWeights, dtype: 'bf16' | 'fp32'): { kept: number; result: number } {
  const tape = new Tape();
  tape.graph = new Graph(tape);
  const input = tape.keep(tape.leaf(tape.empty(ROWS * SHAPE.inputs, dtype)));
  const before = tape.ledger.live;
  const result = tape.keep(dynamicLinear(format, SHAPE, null)(tape, input));
  return { kept: tape.ledger.live - before - result.storage.bytes, result: result.storage.bytes };
}

describe('memory: 8-bit weights whose products autograd sees as they are', () => {
  const elements = ROWS * SHAPE.inputs;

  it('SDNQ keeps nothing of its input, and gives what it was given', () => {
    assert.deepEqual(keptBy('sdnq-int8', 'fp32'), { kept: 0, result: ROWS * SHAPE.outputs * 4 });
    assert.deepEqual(keptBy('sdnq-int8', 'bf16'), { kept: 0, result: ROWS * SHAPE.outputs * 2 });
  });

  it("torchao's dynamic fp8 keeps absolute values, an fp32 copy and the scaled one", () => {
    const scales = 512;
    assert.equal(keptBy('torchao-fp8', 'bf16').kept, elements * (2 + 4 + 4) + scales);
    // An input in fp32 is its own fp32 copy.
    assert.equal(keptBy('torchao-fp8', 'fp32').kept, elements * (4 + 4) + scales);
  });

  it('fp8 weights alone leave the dequantised weight behind', () => {
    assert.equal(keptBy('torchao-fp8-weight-only', 'bf16').kept, SHAPE.inputs * SHAPE.outputs * 2);
  });

  it('leaves the ends of a network, or sizes that do not divide, as they are', () => {
    assert.equal(quantizes('sdnq-int8', { ...SHAPE, name: 'proj_out' }), false);
    assert.equal(quantizes('sdnq-int8', SHAPE), true);
    assert.equal(quantizes('torchao-fp8', { ...SHAPE, inputs: 1000 }), false);
    assert.equal(quantizes(null, SHAPE), true);
  });
});
