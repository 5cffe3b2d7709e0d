import assert from 'node:assert/strict';
import { estimateRun } from '../../../src/core/memory/estimateRun';
import type { Estimate } from '../../../src/core/memory/estimate';
import type { ModelFacts } from '../../../src/core/models/model';
import { statedRun } from '../../eval/accuracy/stated';
import { contextOf, judged, target } from '../core/support';
import { breakdown } from '../../../src/core/render/hover';
import { explainText } from '../../../src/core/render/text';
import { answer, whyUnknown } from '../../../src/core/render/verdict';
import { plainPaint } from '../../../src/core/text/terminal';
import { searchPlans } from '../../../src/core/plan/search';
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
      assert.deepEqual(estimateRun(run(), model, null), {
        ok: false,
        missing: ['the task'],
        gaps: [{ what: 'task' }],
      });
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

  function onMachine(hostMiB: number | null): Estimate {
    const result = estimateRun(onCpu, smallLlama, target('RTX 4090'), {
      ...(hostMiB !== null && { hostMiB }),
    });
    assert.ok(result.ok);
    return result.estimate;
  }

  it('takes nothing on a GPU, and on the machine what its pass holds', () => {
    const { devices, host, onMachine: isThere } = onMachine(null);
    assert.deepEqual([isThere, devices.length, devices[0]?.device.high], [true, 1, 0]);
    const computing = host?.terms.find(({ term }) => term === 'computing on the CPU');
    const weights = 2 * (smallLlama.parameters?.total ?? 0);
    assert.ok((computing?.bytes.expected ?? 0) > 4 * weights, 'weights, gradients and two states');
  });

  it('is judged against the machine, never against the GPU', () => {
    const need = (onMachine(null).host?.bytes.high ?? 0) / 2 ** 20;
    const verdictWith = (hostMiB: number | null) => onMachine(hostMiB).devices[0]?.verdict;
    assert.deepEqual(
      [verdictWith(null), verdictWith(Math.ceil(need)), verdictWith(100)],
      ['fits', 'fits', 'exceeds'],
    );
  });

  it('is a run all the same where its memory cannot be estimated', async () => {
    const run = await judged('model_name: nobody/nothing\ndevice_map: cpu\n');
    assert.deepEqual([run.verdict, run.missing, run.estimate?.host], ['fits', [], null]);
    assert.equal(answer(run), 'Runs on the CPU: no GPU memory needed');
  });

  it('names the machine’s memory where that is known, and Apple’s GPU', async () => {
    const cpu = await judged(LOADED + 'device_map: cpu\n');
    assert.match(answer(cpu), /^Runs on the CPU: no GPU memory needed · ≈ 1[5-7]\.\d GB of RAM$/);
    const texts = [explainText(cpu, 'a.yaml', plainPaint).raw, breakdown(cpu, 'a.yaml').source];
    for (const text of texts) {
      assert.match(text, /Host RAM: /);
      assert.doesNotMatch(text, /device memory|Peak in/);
    }
    const mps = await judged(LOADED + 'device_map: mps\n');
    assert.match(answer(mps), /^Runs on Apple's GPU · ≈ 1[5-7]\.\d GB of the Mac's memory · no Mac chosen$/);
    assert.equal(mps.verdict, 'unknown', 'the memory of the Mac is not known');
    assert.match(whyUnknown(mps), /Choose the Mac's chip as target/);
  });

  it('has no plan for more of a GPU, nor other GPUs that fit', async () => {
    const run = await judged(LOADED + 'device_map: cpu\n');
    const options = { goal: 'fit', margin: 0.85, mayTrade: true } as const;
    const search = await searchPlans(contextOf(run), options, () => Promise.resolve(), { aborted: false });
    assert.deepEqual([search.plans, search.reached, search.deviceMap?.map], [[], true, 'cuda:0']);
  });
});

describe('a server that refuses its model', () => {
  it('says so, and not that its memory does not fit', async () => {
    const run = await judged(
      'model: meta-llama/Meta-Llama-3-8B-Instruct\nmax-model-len: 16384\nmax-num-seqs: 8\n',
    );
    assert.deepEqual([run.verdict, run.run.dialect], ['exceeds', 'vllm']);
    assert.match(answer(run), /^≈ 2\d\.\d GB of 24 GB · refuses to start · RTX 4090$/);
  });

  it('is not known to for a length of a folder that is only called like a model', async () => {
    const run = await judged(
      'model: /models/Meta-Llama-3-8B-Instruct\nmax-model-len: 16384\nmax-num-seqs: 8\n',
    );
    assert.notEqual(run.estimate, null);
    assert.doesNotMatch(answer(run), /refuses to start/);
  });
});

const LOADED = 'model_name: meta-llama/Llama-3.1-8B-Instruct\n';
