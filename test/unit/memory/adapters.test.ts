import assert from 'node:assert/strict';
import { frameworkIdOf } from '../../../src/core/spec/frameworkId';
import { estimateRun } from '../../../src/core/memory/estimateRun';
import type { EstimateResult } from '../../../src/core/memory/estimate';
import type { LoraSettings } from '../../../src/core/spec/values';
import { statedRun } from '../../eval/accuracy/stated';
import { modelOf, smallLlama } from './support';

const mixtral = modelOf({
  model_type: 'mixtral',
  hidden_size: 256,
  intermediate_size: 512,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  num_local_experts: 4,
  vocab_size: 1024,
});

const settings: LoraSettings = {
  r: 8,
  alpha: 8,
  dropout: 0,
  targets: 'all-linear',
  modulesToSave: [],
  rslora: false,
  dora: false,
};

function estimated(
  framework: string,
  model = mixtral,
  changes: Partial<LoraSettings> = {},
  optimizer = 'adamw_torch',
): EstimateResult {
  const stated = {
    task: 'sft',
    method: 'lora',
    microBatchSize: 1,
    seqLen: 64,
    loadDtype: 'bf16',
    gpus: 1,
  } as const;
  const libraries = { transformers: '5.23.0' };
  const lora = { ...settings, ...changes };
  const run = statedRun(
    'run',
    { id: frameworkIdOf(framework), name: framework, version: null, libraries },
    { ...stated, lora, optimizer },
    { paddedRows: false },
  );
  return estimateRun(run, model, null);
}

const allocated = (result: EstimateResult): number =>
  result.ok ? (result.estimate.devices[0]?.allocated.expected ?? 0) : 0;

describe('memory: what gets adapters', () => {
  it('is every linear layer; of stacked experts none in Axolotl, which names classes, but in PEFT all', () => {
    const axolotl = estimated('axolotl');
    assert.ok(axolotl.ok);
    assert.ok(axolotl.estimate.assumptions.some(phrase => phrase.includes('experts get no adapters')));
    const peft = estimated('trl');
    assert.ok(peft.ok);
    assert.ok(peft.estimate.assumptions.every(phrase => !phrase.includes('experts')));
    assert.ok(allocated(peft) > allocated(axolotl));
  });

  it('is what PEFT takes for the family where nothing is named', () => {
    const named = estimated('trl', smallLlama, { targets: ['q_proj', 'v_proj'] });
    assert.equal(allocated(estimated('trl', smallLlama, { targets: null })), allocated(named));
    assert.ok(allocated(estimated('trl', smallLlama)) > allocated(named));
  });

  it('is only the second matrix of LoRA where the optimizer is LoRA-FA', () => {
    assert.ok(
      allocated(estimated('trl', smallLlama, {}, 'lora-fa')) < allocated(estimated('trl', smallLlama)),
    );
  });
});
