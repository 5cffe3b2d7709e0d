import assert from 'node:assert/strict';
import { estimateRun } from '../../../src/core/memory/estimateRun';
import type { Estimate } from '../../../src/core/memory/estimate';
import type { ModelFacts } from '../../../src/core/models/model';
import { statedRun } from '../../eval/accuracy/stated';
import { judged } from '../core/support';
import { modelOf, smallLlama } from './support';

const run = (task?: string) =>
  statedRun(
    'run',
    { id: 'transformers', name: 'transformers', version: null, libraries: {} },
    {
      ...(task !== undefined && { task }),
      method: 'full',
      microBatchSize: 2,
      seqLen: 128,
      loadDtype: 'bf16',
      optimizer: 'adamw_torch',
      gpus: 1,
    },
    { paddedRows: false },
  );

function estimated(model: ModelFacts, task?: string): Estimate {
  const result = estimateRun(run(task), model, null);
  assert.ok(result.ok, result.ok ? '' : result.missing.join(', '));
  return result.estimate;
}

const bert = (architecture: string): ModelFacts =>
  modelOf({
    architectures: [architecture],
    model_type: 'bert',
    hidden_size: 256,
    intermediate_size: 1024,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    vocab_size: 1024,
    max_position_embeddings: 512,
    type_vocab_size: 2,
    tie_word_embeddings: true,
  });

const classOf = (model: ModelFacts, name: string): ModelFacts => ({
  ...model,
  extra: { ...model.extra, architectures: [name] },
});

const phrase = (as: string): string => `trained as a ${as}: no key says the task`;

describe('memory: a run whose task no key says', () => {
  const cases: readonly (readonly [ModelFacts, string, string])[] = [
    [classOf(smallLlama, 'LlamaForCausalLM'), 'sft', 'causal language model'],
    [classOf(smallLlama, 'LlamaForSequenceClassification'), 'sequence_classification', 'sequence classifier'],
    [bert('BertForMaskedLM'), 'mlm', 'masked language model'],
    [bert('BertForSequenceClassification'), 'sequence_classification', 'sequence classifier'],
    [bert('BertForTokenClassification'), 'token_classification', 'token classifier'],
    [{ ...smallLlama, source: 'catalog', extra: {} }, 'sft', 'causal language model'],
  ];
  for (const [model, task, as] of cases) {
    it(`is trained as what the model is: a ${model.modelType} as ${task}`, () => {
      const { assumptions, ...supposed } = estimated(model);
      const { assumptions: whenStated, ...stated } = estimated(model, task);
      assert.deepEqual(supposed, stated);
      assert.ok(assumptions.includes(phrase(as)));
      assert.ok(!whenStated.includes(phrase(as)));
    });
  }

  it('is not answered where the model does not tell either', () => {
    const embedder: ModelFacts = { ...smallLlama, source: 'catalog', extra: { pooling: 'last token' } };
    for (const model of [bert('BertModel'), classOf(smallLlama, 'LlamaModel'), embedder]) {
      assert.deepEqual(estimateRun(run(), model, null), { ok: false, missing: ['the task'] });
    }
  });

  it('is read as unknown all the same', async () => {
    const { run: read, estimate } = await judged(
      [
        'model_name_or_path: meta-llama/Llama-3.2-1B',
        'output_dir: out',
        'per_device_train_batch_size: 1',
        'gradient_accumulation_steps: 8',
        'max_seq_length: 1024',
        'learning_rate: 1.0e-5',
        'num_train_epochs: 1',
        'lr_scheduler_type: cosine',
        'logging_steps: 10',
        'save_strategy: epoch',
        'bf16: true',
        'gradient_checkpointing: true',
      ].join('\n'),
    );
    assert.equal(read.dialect, 'hf-trainer');
    assert.equal(read.quantities.task.value, null);
    assert.ok(estimate?.assumptions.includes(phrase('causal language model')));
  });
});

describe('memory: generating with an encoder and a decoder', () => {
  const t5 = modelOf({
    model_type: 't5',
    d_model: 256,
    d_ff: 512,
    d_kv: 64,
    num_heads: 4,
    num_layers: 2,
    vocab_size: 1024,
    tie_word_embeddings: true,
  });
  const generated = (tokens: number): number => {
    const stated = { task: 'infer', microBatchSize: 2, seqLen: 64 + tokens, loadDtype: 'bf16' } as const;
    const run = statedRun('run', { id: null, name: 'x', version: null, libraries: {} }, stated, {
      generatedTokens: tokens,
      paddedRows: false,
    });
    const result = estimateRun(run, t5, null);
    assert.ok(result.ok);
    return result.estimate.devices[0]?.phases.find(({ phase }) => phase === 'forward')?.bytes ?? 0;
  };

  it('takes what is generated as a row of targets: each token costs keys and values, and logits', () => {
    const each = (generated(64) - generated(32)) / 32;
    const kept = 2 * (2 * 2 * 256 * 2 + 1024 * 2);
    assert.ok(each >= kept, `${each} of ${kept}`);
  });
});

describe('memory: a run on the CPU', () => {
  it('has no sum for a GPU', () => {
    const onCpu = statedRun(
      'run',
      { id: 'transformers', name: 'transformers', version: null, libraries: {} },
      {
        task: 'sft',
        microBatchSize: 2,
        seqLen: 128,
        loadDtype: 'bf16',
        optimizer: 'adamw_torch',
        accelerator: 'cpu',
      },
      { paddedRows: false },
    );
    const result = estimateRun(onCpu, smallLlama, null);
    assert.deepEqual(!result.ok && result.missing, ['a GPU: the run is on the CPU']);
  });
});
