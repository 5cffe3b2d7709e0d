import assert from 'node:assert/strict';
import { checkpointFormat, formatInName } from '../../../src/core/models/checkpointFormat';

describe('how a checkpoint holds its weights', () => {
  const names: readonly (readonly [name: string, kind: string, bits: number, base: string])[] = [
    ['org/Qwen2.5-7B-Instruct-FP8-dynamic', 'fp8', 8, 'org/Qwen2.5-7B-Instruct'],
    ['org/Qwen2.5-7B-Instruct-quantized.w8a8', 'int8', 8, 'org/Qwen2.5-7B-Instruct'],
    ['org/Llama-3.1-8B.w4a16', 'gptq', 4, 'org/Llama-3.1-8B'],
    ['org/Qwen2.5-7B-Instruct-AWQ', 'awq', 4, 'org/Qwen2.5-7B-Instruct'],
    ['org/Qwen2.5-VL-72B-Instruct-GPTQ-Int4', 'gptq', 4, 'org/Qwen2.5-VL-72B-Instruct'],
    ['org/Qwen2-7B-GPTQ-Int8', 'gptq', 8, 'org/Qwen2-7B'],
    ['org/Llama-3.1-8B-Instruct-NVFP4', 'nvfp4', 4, 'org/Llama-3.1-8B-Instruct'],
    ['org/Llama-3.1-8B-Instruct-FP4', 'nvfp4', 4, 'org/Llama-3.1-8B-Instruct'],
    ['org/Qwen2.5-7B-Instruct-int8', 'int8', 8, 'org/Qwen2.5-7B-Instruct'],
    ['org/Llama-3.2-1B-unsloth-bnb-4bit', 'bnb', 4, 'org/Llama-3.2-1B'],
  ];
  for (const [name, kind, bits, base] of names) {
    it(`is told by the name ${name}`, () => {
      const found = formatInName(name);
      assert.deepEqual([found?.format.kind, found?.format.bits, found?.base], [kind, bits, base]);
    });
  }

  it('is not told by names of other things', () => {
    for (const name of ['org/awqward-7B', 'org/model-8bitter', 'gptq', 'org/Llama-3.1-8B']) {
      assert.equal(formatInName(name), null, name);
    }
  });

  const configs: readonly (readonly [title: string, config: object, expected: object])[] = [
    ['gptq', { quant_method: 'gptq', bits: 8, group_size: 32 }, { bits: 8, kind: 'gptq', groupSize: 32 }],
    ['fp8', { quant_method: 'fp8' }, { bits: 8, kind: 'fp8', groupSize: null }],
    [
      'compressed tensors',
      {
        quant_method: 'compressed-tensors',
        config_groups: { group_0: { weights: { num_bits: 4, type: 'int', group_size: 128 } } },
      },
      { bits: 4, kind: 'gptq', groupSize: 128 },
    ],
    [
      'ModelOpt',
      { quant_method: 'modelopt', quant_algo: 'NVFP4' },
      { bits: 4, kind: 'nvfp4', groupSize: null },
    ],
  ];
  for (const [title, quantization_config, expected] of configs) {
    it(`is told by config.json of ${title}, whatever the name`, () => {
      const found = checkpointFormat({ id: 'org/model-AWQ', extra: { quantization_config } });
      assert.deepEqual(found, expected);
    });
  }
});
