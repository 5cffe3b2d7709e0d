import assert from 'node:assert/strict';
import { Budget, plannedBatch } from '../../../src/embed/engine/budget';
import type { BatchRoom } from '../../../src/embed/engine/budget';

describe('embed: the size of batches', () => {
  const room: BatchRoom = {
    isCpu: false,
    requestedTokens: undefined,
    longest: 256,
    mostRows: Infinity,
    count: 1,
    bytesOf: (rows, width) => rows * width * 1000,
    freeBytes: 1e9,
  };

  it('is the usual one if it fits: the cache size on a CPU, many texts on a GPU, with room to grow', () => {
    assert.deepEqual([plannedBatch({ ...room, isCpu: true }).tokens, plannedBatch(room).tokens], [512, 8192]);
    assert.equal(plannedBatch({ ...room, isCpu: true }).most, 512);
    // 0.8 of the free memory: 800,000 tokens; no size beyond 2^18 is faster.
    assert.equal(plannedBatch(room).most, 262_144);
    assert.equal(plannedBatch({ ...room, freeBytes: 50e6 }).most, 32_768);
  });

  it('is halved until the memory model says that all concurrent batches fit, down to one text', () => {
    const small = plannedBatch({ ...room, freeBytes: 4e6 });
    assert.deepEqual(
      [small.tokens, small.most, small.reason, small.bytes],
      [2048, 2048, 'memory', 2_048_000],
    );
    const shared = plannedBatch({ ...room, isCpu: true, count: 4, freeBytes: 1.5e6 });
    assert.deepEqual([shared.tokens, shared.bytes], [256, 1_024_000]);
    assert.equal(plannedBatch({ ...room, freeBytes: 1 }).tokens, 256);
  });

  it("assumes texts of the model's maximum length: attention grows with the square", () => {
    const { bytes } = plannedBatch({ ...room, bytesOf: (rows, width) => rows * width ** 2 });
    assert.equal(bytes, 32 * 256 ** 2);
    const single = plannedBatch({ ...room, mostRows: 1, bytesOf: (rows, width) => rows * width });
    assert.equal(single.bytes, 256);
  });

  it('is the requested one, whatever the model says, and the usual one if memory is unknown', () => {
    const asked = plannedBatch({ ...room, requestedTokens: 100_000, freeBytes: 1 });
    assert.deepEqual([asked.tokens, asked.most, asked.reason], [100_000, 100_000, 'asked']);
    const unknown = plannedBatch({ ...room, bytesOf: () => null });
    assert.deepEqual([unknown.tokens, unknown.most, unknown.bytes], [8192, 8192, null]);
  });

  it('doubles while that is faster, halves once if not, and stays', () => {
    const budget = new Budget(8192, 65_536);
    budget.rated(8192, 100);
    assert.equal(budget.tokens, 16_384);
    // A window that was cut before the change carries no information about it.
    budget.rated(8192, 500);
    assert.equal(budget.tokens, 16_384);
    budget.rated(16_384, 150);
    assert.equal(budget.tokens, 32_768);
    budget.rated(32_768, 151);
    assert.equal(budget.tokens, 16_384);
    budget.rated(16_384, 900);
    assert.equal(budget.tokens, 16_384);
  });

  it('is half of what did not fit, and does not grow again', () => {
    const budget = new Budget(8192, 65_536);
    budget.outOfMemory(8000);
    assert.equal(budget.tokens, 4000);
    // Another batch of the old size was already running.
    budget.outOfMemory(8100);
    assert.equal(budget.tokens, 4000);
    budget.rated(4000, 1e9);
    assert.equal(budget.tokens, 4000);
  });
});
