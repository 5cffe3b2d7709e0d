import assert from 'node:assert/strict';
import { divideInPlace, groupSums, groupedMatmul, topK } from '../../../src/core/memory/ops/experts';
import { clampTo, scaleInPlace, sigmoid, where } from '../../../src/core/memory/ops/pointwise';
import { pick } from '../../../src/core/memory/ops/shape';
import type { Tape } from '../../../src/core/memory/tape';
import type { Tensor } from '../../../src/core/memory/tensor';
import { costOf, parameter } from './support';
import type { Cost } from './support';

const BF16 = 4096 * 2;
const INDEX = 8;
/** The allocator's smallest block: the size of a scalar. */
const BLOCK = 512;

type Op = (tape: Tape, x: Tensor) => Tensor;

/** The values; the indices have no other owner. */
function largest(tape: Tape, x: Tensor): Tensor {
  const [values, places] = topK(tape, x, 1024);
  tape.spend(places);
  return values;
}

function clamped(tape: Tape, x: Tensor): Tensor {
  const limit = tape.empty(1, 'fp32');
  return tape.done(clampTo(tape, x, limit), limit);
}

// Read event by event where Mixtral, Falcon and T5 run these on fake tensors (torch 2.15, transformers 5.23), and
// in torch's
// tools/autograd/derivatives.yaml.
const CASES: readonly (readonly [string, Op, Cost])[] = [
  ['topk', largest, { result: BF16 / 4, kept: 1024 * INDEX, backward: 2 * BF16 }],
  ['sums of groups', (tape, x) => groupSums(tape, x, 2), { result: BF16 / 2, kept: 0, backward: BF16 }],
  [
    'rows by index',
    (tape, x) => pick(tape, x, tape.empty(64, 'int64'), 2048),
    { result: BF16 / 2, kept: 64 * INDEX, backward: 2 * BF16 },
  ],
  ['sigmoid', sigmoid, { result: BF16, kept: 0, backward: BF16 }],
  ['x *= 2', scaleInPlace, { result: BF16, kept: 0, backward: BF16 }],
  ['clamp to a tensor', clamped, { result: BF16, kept: BF16 + 2 * BLOCK, backward: 4 * BF16 }],
  [
    'where',
    (tape, x) => where(tape, tape.empty(4096, 'bool'), x, 4096),
    { result: BF16, kept: 4096, backward: BF16 + BLOCK },
  ],
];

describe('memory: what routing, clamping and choosing keep', () => {
  for (const [name, op, cost] of CASES) it(name, () => assert.deepEqual(costOf(op), cost));

  it('division in place keeps what was there before, and the divisor', () => {
    const cost = costOf((tape, x) => {
      const sums = tape.empty(1024, 'bf16');
      return divideInPlace(tape, x, sums);
    });
    assert.equal(cost.kept, BF16 + 1024 * 2);
    assert.equal(cost.backward, 4 * BF16);
  });

  it('a grouped product keeps its rows for the weight, and gives both gradients', () => {
    const [experts, outputs, inputs] = [2, 32, 64];
    const cost = costOf((tape, x) => {
      const weight = parameter(tape, [experts, outputs, inputs], 'bf16');
      const offsets = tape.empty(experts, 'int32');
      return tape.done(groupedMatmul(tape, x, weight, offsets), offsets);
    });
    assert.equal(cost.result, (4096 / inputs) * outputs * 2);
    // Rows, offsets and, because it is created and counted here, the weight itself.
    assert.equal(cost.kept, BF16 + BLOCK + experts * outputs * inputs * 2);
    assert.equal(cost.backward, BF16 + experts * outputs * inputs * 2);
  });
});
