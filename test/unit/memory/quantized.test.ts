import assert from 'node:assert/strict';
import { estimateRun } from '../../../src/core/memory/estimateRun';
import type { Quantization } from '../../../src/core/spec/values';
import { statedRun } from '../../eval/accuracy/stated';
import { smallLlama } from './support';

/** What a run with these weights misses. */
function missingOf(settings: Partial<Quantization>): readonly string[] {
  const quantization: Quantization = {
    bits: null,
    method: 'other',
    type: null,
    doubleQuant: null,
    computeDtype: null,
    storageDtype: null,
    ...settings,
  };
  const stated = { task: 'sft', method: 'lora', microBatchSize: 1, seqLen: 64, gpus: 1 } as const;
  const trl = { id: 'trl', name: 'trl', version: '1.16.0', libraries: {} } as const;
  const result = estimateRun(statedRun('run', trl, { ...stated, quantization }, {}), smallLlama, null);
  assert.ok(!result.ok);
  return result.missing.filter(one => one.includes('weights'));
}

describe('memory: quantized weights of an unknown format', () => {
  it('are named as they are stated', () => {
    assert.deepEqual(missingOf({}), ['memory of quantized weights']);
    assert.deepEqual(missingOf({ bits: 3, type: 'eetq' }), ['memory of 3-bit eetq weights']);
    assert.deepEqual(missingOf({ method: 'gptq' }), ['memory of gptq weights']);
  });
});
