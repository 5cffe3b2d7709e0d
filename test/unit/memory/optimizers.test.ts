import assert from 'node:assert/strict';
import type { Optimizer, ParameterGroup } from '../../../src/core/memory/optimizer';
import { adafactor } from '../../../src/core/memory/optimizers/adafactor';
import {
  adamwForeach,
  adamwForeachBefore21,
  adamwFused,
  adamwLoop,
  sgd,
  sgdMomentum,
} from '../../../src/core/memory/optimizers/adamw';
import {
  adamw8bit,
  lion32bit,
  lion8bit,
  pagedAdamw32bit,
  pagedAdamw8bit,
  pagedLion32bit,
  pagedLion8bit,
} from '../../../src/core/memory/optimizers/bitsandbytes';
import { decoupledAdamW, decoupledLionW } from '../../../src/core/memory/optimizers/composer';
import { optimizers } from '../../../src/core/memory/optimizers/registry';
import { prodigy } from '../../../src/core/memory/optimizers/prodigy';
import { adadelta, adagrad, rmsprop } from '../../../src/core/memory/optimizers/squaredGradients';
import { Tape } from '../../../src/core/memory/tape';
import type { Element, Parameter } from '../../../src/core/memory/tensor';
import { STATES } from '../../../src/core/memory/terms';
import { parameter, peakOf, playedLlama, trainedIn } from './support';

/** Twenty equal layers with one matrix of 2²⁰ parameters each. */
const ROWS = 1024;
const COLUMNS = 1024;
const LAYERS = 20;
const MATRIX = ROWS * COLUMNS;
const ALL = MATRIX * LAYERS;

interface StepCost {
  /** The bytes that stay after the first step. */
  readonly states: number;
  /** The most besides the memory in use before the second step. */
  readonly temporary: number;
}

function costOfSteps(
  optimizer: Optimizer,
  dtype: Element,
  shape: readonly number[],
  times: number,
): StepCost {
  const tape = new Tape();
  const one = (): readonly Parameter[] => [parameter(tape, shape, dtype)];
  // As builders group a model: the first layer, then the identical ones.
  const groups: readonly ParameterGroup[] = [
    { times: 1, parameters: one() },
    ...(times > 1 ? [{ times: times - 1, parameters: one() }] : []),
  ];
  const before = tape.ledger.live;
  optimizer.step(tape, groups, true);
  const states = tape.ledger.live - before;
  assert.equal(tape.ledger.terms[STATES], states, 'all that stays are states');
  tape.ledger.takePeak();
  optimizer.step(tape, groups, false);
  assert.equal(tape.ledger.live - before, states, 'later steps make none');
  return { states, temporary: tape.ledger.takePeak().bytes - before - states };
}

const matrices = (optimizer: Optimizer, dtype: Element): StepCost =>
  costOfSteps(optimizer, dtype, [ROWS, COLUMNS], LAYERS);

/**
 * fp32 scales of blockwise quantized states: one per 256 numbers (bitsandbytes, functional.py, quantize_blockwise).
 */
const SCALE = 4 / 256;
/** The caching allocator's smallest block. */
const BLOCK = 512;

// Torch's optimizers: torch/optim (adam.py, sgd.py). The bytes per parameter follow the accounting of the QLoRA and
// ZeRO
// papers and of bitsandbytes' documentation: states in the parameter's dtype, and a byte for 8-bit ones.
const CASES: readonly (readonly [string, Optimizer, Element, StepCost])[] = [
  [
    'AdamW foreach, fp32: 8 B a parameter, and 4 B while it steps',
    adamwForeach,
    'fp32',
    { states: 8 * ALL, temporary: 4 * ALL },
  ],
  [
    'AdamW foreach, bf16: 4 B a parameter, and 2 B while it steps',
    adamwForeach,
    'bf16',
    { states: 4 * ALL, temporary: 2 * ALL },
  ],
  [
    'AdamW foreach before torch 2.1, bf16: denominators beside the square roots',
    adamwForeachBefore21,
    'bf16',
    { states: 4 * ALL, temporary: 4 * ALL },
  ],
  [
    'AdamW fused: a step counter of its own for each, no temporaries',
    adamwFused,
    'bf16',
    { states: 4 * ALL + LAYERS * BLOCK, temporary: 0 },
  ],
  [
    'AdamW in a loop: a root and two denominators of one parameter',
    adamwLoop,
    'fp32',
    { states: 8 * ALL, temporary: 3 * 4 * MATRIX },
  ],
  [
    'Composer’s AdamW in a loop: a step counter of its own for each',
    decoupledAdamW,
    'fp32',
    { states: 8 * ALL + LAYERS * BLOCK, temporary: 3 * 4 * MATRIX },
  ],
  [
    'LLM Foundry’s Lion: 4 B a parameter, and an update of one beside the last one',
    decoupledLionW,
    'fp32',
    { states: 4 * ALL, temporary: 2 * 4 * MATRIX },
  ],
  [
    'AdamW 8-bit: 2 B a parameter and scales',
    adamw8bit,
    'bf16',
    { states: 2 * ALL * (1 + SCALE), temporary: 0 },
  ],
  [
    'AdamW 8-bit, paged: only the scales are in torch’s account',
    pagedAdamw8bit,
    'bf16',
    { states: 2 * ALL * SCALE, temporary: 0 },
  ],
  ['AdamW 32-bit, paged: nothing is', pagedAdamw32bit, 'bf16', { states: 0, temporary: 0 }],
  ['Prodigy: 8 B a parameter', prodigy, 'bf16', { states: 8 * ALL, temporary: 4 * MATRIX }],
  ['Lion: 4 B a parameter', lion32bit, 'bf16', { states: 4 * ALL, temporary: 0 }],
  ['Lion 8-bit: 1 B and scales', lion8bit, 'bf16', { states: ALL * (1 + SCALE), temporary: 0 }],
  ['Lion, paged', pagedLion32bit, 'bf16', { states: 0, temporary: 0 }],
  ['Lion 8-bit, paged', pagedLion8bit, 'bf16', { states: ALL * SCALE, temporary: 0 }],
  ['SGD: nothing', sgd, 'fp32', { states: 0, temporary: 0 }],
  ['SGD with momentum, fp32: 4 B a parameter', sgdMomentum, 'fp32', { states: 4 * ALL, temporary: 0 }],
  ['SGD with momentum, bf16: 2 B', sgdMomentum, 'bf16', { states: 2 * ALL, temporary: 0 }],
  ['RMSprop, fp32: 4 B, and roots of all of them', rmsprop, 'fp32', { states: 4 * ALL, temporary: 4 * ALL }],
  ['Adagrad, fp32: 4 B, and two lists', adagrad, 'fp32', { states: 4 * ALL, temporary: 8 * ALL }],
  ['Adadelta, fp32: 8 B, and two lists', adadelta, 'fp32', { states: 8 * ALL, temporary: 8 * ALL }],
];

describe('memory: optimizers', () => {
  for (const [name, optimizer, dtype, cost] of CASES) {
    it(name, () => assert.deepEqual(matrices(optimizer, dtype), cost));
  }

  it('Adafactor keeps a row and a column of a matrix, and a scalar, in fp32', () => {
    const factors = (ROWS + COLUMNS) * 4 + BLOCK;
    assert.equal(matrices(adafactor, 'bf16').states, factors * LAYERS);
    assert.equal(matrices(adafactor, 'fp32').states, factors * LAYERS);
    assert.equal(
      costOfSteps(adafactor, 'bf16', [4096], 1).states,
      4096 * 4 + BLOCK,
      'a vector has no factors',
    );
  });

  it('Adafactor’s step works on one parameter at a time, in fp32 copies where it is in 16 bits', () => {
    const [half, full] = (['bf16', 'fp32'] as const).map(
      dtype => matrices(adafactor, dtype).temporary / (4 * MATRIX),
    );
    assert.ok(half !== undefined && full !== undefined);
    assert.ok(half - full > 1.9 && half - full < 2.1, 'gradient and parameter');
    assert.ok(half < 7, `${half} matrices, however many layers there are`);
  });

  it('8-bit optimizers keep fp32 states of what is smaller than 4,096, paged ones keep it on the device', () => {
    for (const optimizer of [adamw8bit, pagedAdamw8bit]) {
      assert.equal(costOfSteps(optimizer, 'bf16', [2048], 1).states, 2 * 4 * 2048);
    }
    assert.equal(costOfSteps(pagedAdamw32bit, 'bf16', [2048], 1).states, 2 * 4 * 2048);
  });

  it('says of paged ones what torch does not count', () => {
    const paged = optimizers.filter(({ names }) => names.some(name => name.startsWith('paged_')));
    assert.ok(paged.length >= 4);
    for (const { note } of paged) assert.match(note ?? '', /unified memory/);
  });

  it('have names of their own, and sources', () => {
    const names = optimizers.flatMap(optimizer => optimizer.names);
    assert.equal(new Set(names).size, names.length);
    for (const { source } of optimizers) assert.match(source, /(?:\d+\.\d+|\b[0-9a-f]{7,}\b).*\.py/);
  });
});

describe('memory: the optimizer step of a run', () => {
  it('peaks at 10 B a parameter in pure bf16 with AdamW foreach: weights, gradients, states, one list', () => {
    // As measured for Mistral-7B (67.46 GiB) and Llama-3-8B (74.80 GiB), whatever the batch.
    for (const batch of [1, 4]) {
      const played = playedLlama({ rows: batch });
      const inputs = peakOf(played, 'optimizer step') - 10 * trainedIn(played);
      assert.ok(inputs >= 0 && inputs < 64 * 1024, `${inputs} B beside`);
    }
  });

  it('peaks at 8 B with fused AdamW, at 4 B with SGD', () => {
    const beside = (optimizer: Optimizer, each: number): number => {
      const played = playedLlama({ optimizer });
      return peakOf(played, 'optimizer step') - each * trainedIn(played);
    };
    for (const bytes of [beside(adamwFused, 8), beside(sgd, 4)]) assert.ok(bytes >= 0 && bytes < 64 * 1024);
  });

  it('is left out where nothing is optimised', () => {
    const played = playedLlama({ optimizer: null });
    assert.equal(peakOf(played, 'backward', STATES), 0);
    assert.equal(peakOf(played, 'optimizer step', STATES), 0);
  });
});
