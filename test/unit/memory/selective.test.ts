import assert from 'node:assert/strict';
import { behaviorOf } from '../../../src/core/memory/frameworks/behavior/behaviorOf';
import { CachingAllocator } from '../../../src/core/memory/allocator';
import { COMPUTE, GATHER } from '../../../src/core/memory/cudaStreams';
import { ACTIVATIONS, LOGITS } from '../../../src/core/memory/terms';
import type { Played } from '../../../src/core/memory/played';
import { playedLlama, peakOf, smallLlama } from './support';

const BATCH = 2;
const TOKENS = 128;
const { hiddenSize, intermediateSize, layers, heads, kvHeads, headDim } = smallLlama;

const torchtitan = behaviorOf({
  framework: { id: 'torchtitan', name: 'torchtitan', version: '2025.03' },
  modelType: 'llama',
  loss: null,
  preference: false,
  task: null,
  sequenceParallel: null,
  expandableSegments: null,
  kernels: [],
  attention: 'sdpa',
});

const keptBy = (checkpointing: 'non-reentrant' | 'selective', count = layers): number =>
  playedLlama({ checkpointing, behavior: torchtitan, model: { ...smallLlama, layers: count } }).kept;

describe('memory: selective checkpointing', () => {
  it('keeps of each layer its attention and every other product: those of queries, values, gate and down', () => {
    const widths = heads * headDim + kvHeads * headDim + intermediateSize + hiddenSize;
    const attention = heads * headDim * 2 + heads * 4;
    const more = keptBy('selective') - keptBy('non-reentrant');
    const expected = layers * BATCH * TOKENS * (2 * widths + attention);
    // The log-sum-exp belongs to attention's outputs, which torch keeps together; only the first one is kept here.
    assert.equal(more, expected - layers * BATCH * TOKENS * heads * 4);
  });

  it('gives back all that it has kept', () => {
    const grown = (checkpointing: 'non-reentrant' | 'selective'): number =>
      peakOf(playedLlama({ checkpointing, behavior: torchtitan }), 'first optimizer step', ACTIVATIONS);
    assert.equal(grown('selective'), grown('non-reentrant'));
  });

  it('runs one of two layers again where every second is checkpointed', () => {
    const kept = (checkpointEvery: number): number =>
      playedLlama({ checkpointing: 'non-reentrant', checkpointEvery, behavior: torchtitan }).kept;
    const none = playedLlama({ behavior: torchtitan }).kept;
    assert.ok(kept(1) < kept(2) && kept(2) < none);
    assert.ok(Math.abs(kept(2) - (kept(1) + none) / 2) < BATCH * TOKENS * hiddenSize * 4);
  });
});

describe('memory: sequence parallelism', () => {
  const played = (sequenceRanks: number, checkpointing: 'none' | 'non-reentrant'): Played =>
    playedLlama({ checkpointing, sequence: sequenceRanks, behavior: torchtitan });

  it('leaves each rank its part of the tokens between products', () => {
    const less = played(1, 'non-reentrant').kept - played(4, 'non-reentrant').kept;
    assert.ok(less >= (layers * BATCH * TOKENS * hiddenSize * 2 * 3) / 4);
  });

  it('gathers all of them for the products, and for the logits', () => {
    const products = layers * BATCH * TOKENS * 2 * (hiddenSize + 2 * intermediateSize);
    const logits = BATCH * TOKENS * smallLlama.vocabSize * 4;
    assert.ok(played(4, 'none').kept > products);
    assert.equal(peakOf(played(4, 'none'), 'forward', LOGITS), peakOf(played(1, 'none'), 'forward', LOGITS));
    assert.ok(peakOf(played(4, 'none'), 'forward', LOGITS) >= logits);
  });
});

describe('memory: streams', () => {
  it('do not get one another’s memory', () => {
    const allocator = new CachingAllocator(true);
    const bytes = 40 * 2 ** 20;
    allocator.release(allocator.allocate(bytes, GATHER));
    allocator.allocate(bytes, COMPUTE);
    assert.equal(allocator.reserved, 2 * bytes);
    allocator.allocate(bytes, GATHER);
    assert.equal(allocator.reserved, 2 * bytes);
  });
});
