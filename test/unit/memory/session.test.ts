import assert from 'node:assert/strict';
import { estimateRun } from '../../../src/core/memory/estimateRun';
import { MemorySession } from '../../../src/core/memory/session';
import { statedRun } from '../../eval/accuracy/stated';
import { rtx4090 } from '../rules/facts';
import { smallLlama } from './support';

const TRAINED = {
  task: 'sft',
  method: 'full',
  loadDtype: 'bf16',
  optimizer: 'adamw_torch',
  gradAccum: 1,
  microBatchSize: 2,
} as const;

const run = (seqLen: number) => {
  const framework = { id: 'transformers' as const, name: 'transformers', version: null, libraries: {} };
  return statedRun('run', framework, { ...TRAINED, seqLen }, {});
};

const termsOf = (seqLen: number, session?: MemorySession) => {
  const result = estimateRun(run(seqLen), smallLlama, rtx4090, { session });
  assert.ok(result.ok, result.ok ? '' : result.missing.join(', '));
  return result.estimate.devices[0]?.terms;
};

describe('memory: what estimates share', () => {
  it('does not change answers, whatever was asked before', () => {
    const session = new MemorySession();
    for (const seqLen of [128, 1024, 128, 64]) {
      assert.deepEqual(termsOf(seqLen, session), termsOf(seqLen));
    }
  });

  it('is remembered by its session alone', () => {
    const session = new MemorySession();
    const first = termsOf(128, session);
    assert.equal(termsOf(128, session), first);
    assert.notEqual(termsOf(128, new MemorySession()), first);
    assert.notEqual(termsOf(128), first);
  });
});
