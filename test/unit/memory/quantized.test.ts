import assert from 'node:assert/strict';
import { estimateRun } from '../../../src/core/memory/estimateRun';
import type { Quantization } from '../../../src/core/spec/values';
import { statedRun } from '../../eval/accuracy/stated';
import { judge } from '../core/support';
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

describe('memory: weights that a server quantizes', () => {
  it('take a byte each with EETQ, without the embeddings and the head', async () => {
    const line = 'text-generation-launcher --model-id codellama/CodeLlama-34b-Instruct-hf --quantize';
    const weightsWith = async (quantize: string): Promise<number> => {
      const { runs } = await judge({ 'serve.sh': `${line} ${quantize}\n` }, 'A100 80GB');
      const terms = runs[0]?.estimate?.devices[0]?.terms ?? [];
      return terms.find(({ term }) => term === 'weights')?.bytes ?? Number.NaN;
    };
    const bytes = await weightsWith('eetq');
    assert.ok(bytes > 33.7e9 && bytes < 34.5e9, `${bytes}`);
  });
});

describe('memory: quantized weights of an unknown format', () => {
  it('are named as they are stated', () => {
    assert.deepEqual(missingOf({}), ['memory of quantized weights']);
    assert.deepEqual(missingOf({ bits: 3, type: 'eetq' }), ['memory of 3-bit eetq weights']);
    assert.deepEqual(missingOf({ method: 'gptq' }), ['memory of gptq weights']);
  });
});
