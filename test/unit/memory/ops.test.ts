import assert from 'node:assert/strict';
import { sdpa, softmax, softmaxInFp32 } from '../../../src/core/memory/ops/attention';
import { to } from '../../../src/core/memory/ops/cast';
import {
  activation,
  add,
  cube,
  dropout,
  mean,
  relu,
  rsqrt,
  scale,
  square,
  tanh,
} from '../../../src/core/memory/ops/pointwise';
import { embedding } from '../../../src/core/memory/ops/select';
import { linear } from '../../../src/core/memory/ops/linear';
import { logSoftmax, nllLoss } from '../../../src/core/memory/ops/loss';
import { layerNorm } from '../../../src/core/memory/ops/norm';
import { cat, copy, repeatHeads, slice, split } from '../../../src/core/memory/ops/shape';
import { Tape } from '../../../src/core/memory/tape';
import { autocast } from '../../../src/core/memory/transforms/autocast';
import type { Tensor } from '../../../src/core/memory/tensor';
import { costOf, parameter } from './support';
import type { Cost } from './support';

const BF16 = 4096 * 2;
const FP32 = 4096 * 4;

type Op = (tape: Tape, x: Tensor) => Tensor;

// Bytes that autograd keeps and that a derivative allocates: read event by event where these operations occur in
// transformers' models on fake tensors (torch 2.15), and in torch's tools/autograd/derivatives.yaml.
const CASES: readonly (readonly [string, Op, Cost])[] = [
  ['x + x', (tape, x) => tape.call([x], () => add(tape, x, x)), { result: BF16, kept: 0, backward: BF16 }],
  ['x · 2', scale, { result: BF16, kept: 0, backward: BF16 }],
  ['x²', square, { result: BF16, kept: BF16, backward: 3 * BF16 }],
  ['x³', cube, { result: BF16, kept: BF16, backward: 3 * BF16 }],
  ['1/√x', rsqrt, { result: BF16, kept: 0, backward: 3 * BF16 }],
  ['silu', activation, { result: BF16, kept: BF16, backward: BF16 }],
  ['tanh', tanh, { result: BF16, kept: 0, backward: BF16 }],
  ['relu', relu, { result: BF16, kept: 0, backward: BF16 }],
  ['mean of rows', (tape, x) => mean(tape, x, 16), { result: BF16 / 16, kept: 0, backward: BF16 }],
  ['dropout', (tape, x) => dropout(tape, x, 0.1), { result: BF16, kept: 4096, backward: BF16 }],
  ['to fp32', (tape, x) => to(tape, x, 'fp32'), { result: FP32, kept: 0, backward: BF16 }],
  ['contiguous', copy, { result: BF16, kept: 0, backward: BF16 }],
  ['half of it', (tape, x) => slice(tape, x, 2048), { result: BF16, kept: 0, backward: BF16 }],
  ['softmax', softmax, { result: BF16, kept: 0, backward: BF16 }],
  ['softmax in fp32 of bf16', softmaxInFp32, { result: FP32, kept: 0, backward: FP32 + BF16 }],
  ['log-softmax', logSoftmax, { result: BF16, kept: 0, backward: BF16 }],
];

describe('memory: what operations keep', () => {
  for (const [name, op, cost] of CASES) it(name, () => assert.deepEqual(costOf(op), cost));

  it('dropout at rate 0 is the tensor itself', () => {
    assert.deepEqual(
      costOf((tape, x) => dropout(tape, x, 0)),
      { result: BF16, kept: 0, backward: BF16 },
    );
  });

  it('a linear layer keeps its input where its weight is trained', () => {
    const project = (trained: boolean) => (tape: Tape, x: Tensor) =>
      linear(tape, x, parameter(tape, [128, 64], 'bf16', trained), null);
    const weight = 128 * 64 * 2;
    const result = 64 * 128 * 2;
    assert.deepEqual(costOf(project(true)), { result, kept: BF16 + weight, backward: BF16 + weight });
    assert.deepEqual(costOf(project(false)), { result, kept: weight, backward: BF16 });
  });

  it('LayerNorm keeps its input and two fp32 numbers a row', () => {
    const cost = costOf((tape, x) =>
      layerNorm(tape, x, { weight: parameter(tape, [32], 'bf16'), bias: parameter(tape, [32], 'bf16') }),
    );
    const parameters = 2 * 512;
    assert.deepEqual(cost, {
      result: BF16,
      kept: BF16 + 2 * 128 * 4 + parameters,
      backward: BF16 + parameters,
    });
  });

  it('negative log-likelihood keeps log-probabilities, targets and the total weight', () => {
    const cost = costOf((tape, x) => nllLoss(tape, x, tape.empty(512, 'int64')));
    assert.deepEqual(cost, { result: 512, kept: BF16 + 512 * 8 + 512, backward: BF16 });
  });

  it('an embedding keeps indices; its gradient is as large as the table', () => {
    const cost = costOf((tape, x) => {
      tape.spend(x);
      return embedding(tape, parameter(tape, [1024, 64], 'bf16'), tape.empty(512, 'int64'));
    });
    const table = 1024 * 64 * 2;
    assert.deepEqual(cost, { result: 512 * 64 * 2, kept: table + 512 * 8, backward: table });
  });

  it('parts of a tensor are views whose gradients are put together', () => {
    const halves: Op = (tape, x) => {
      const [first = x, second = x] = split(tape, x, [2048, 2048]);
      return add(tape, first, second);
    };
    assert.deepEqual(costOf(halves), { result: BF16 / 2, kept: 0, backward: BF16 });
    const joined: Op = (tape, x) => cat(tape, x, scale(tape, x));
    assert.equal(costOf(joined).result, 2 * BF16);
  });

  it('repeated heads are copies, or views of a single one', () => {
    const repeated = (copies: boolean): Cost => costOf((tape, x) => repeatHeads(tape, x, 4, copies));
    assert.equal(repeated(true).result, 4 * BF16);
    assert.equal(repeated(false).result, BF16);
  });
});

describe('memory: attention kernels', () => {
  const shape = { batch: 2, heads: 4, kvHeads: 4, queries: 128, keys: 128, headDim: 64, hasFlash: true };
  const elements = 2 * 128 * 4 * 64;
  const attention =
    (masked: boolean): Op =>
    (tape, x) =>
      tape.call([x], () => {
        const mask = masked ? tape.name(tape.empty(2 * 128 * 128, 'bool')) : null;
        const heads = { query: x, key: tape.name(copy(tape, x)), value: tape.name(copy(tape, x)) };
        return sdpa(tape, heads, shape, mask);
      });
  const tensor = elements * 2;
  const logSumExp = 2 * 4 * 128 * 4;

  it('FlashAttention keeps q, k, v, its output and a number a row; backwards dq in fp32', () => {
    const cost = costOf(attention(false), { elements });
    assert.equal(cost.kept, 3 * tensor + logSumExp + 2 * 512);
    assert.equal(cost.backward, 3 * tensor + (2 * 4 * 128 * 64 * 4 + 2 * 4 * 128 * 4));
  });

  it('a mask, fp32 or a device without it takes the memory-efficient kernel, which wants an additive mask', () => {
    const masked = costOf(attention(true), { elements });
    assert.equal(masked.kept - costOf(attention(false), { elements }).kept, 2 * 128 * 128 * 2);
  });
});

describe('memory: autocast', () => {
  it('casts a trained fp32 weight once, and its input each time', () => {
    const tape = new Tape();
    const weight = parameter(tape, [64, 64], 'fp32');
    const x = tape.keep(tape.empty(64 * 64, 'fp32'));
    const before = tape.ledger.live;
    autocast(tape, 'bf16', () => {
      for (const use of [1, 2]) {
        const result = linear(tape, x, weight, null);
        assert.equal(result.dtype, 'bf16');
        tape.spend(result);
        assert.equal(tape.ledger.live - before, 64 * 64 * 2, `the cast lives after use ${use}`);
      }
    });
    assert.equal(tape.ledger.live, before);
  });

  it('runs norms and powers in fp32', () => {
    const inAutocast = (op: Op) => costOf((tape, x) => autocast(tape, 'bf16', () => op(tape, x)));
    assert.equal(inAutocast(cube).result, FP32);
    assert.equal(inAutocast(softmax).result, FP32);
    assert.equal(inAutocast(activation).result, BF16);
  });
});
