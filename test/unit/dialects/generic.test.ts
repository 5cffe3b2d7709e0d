import assert from 'node:assert/strict';
import { editsFor } from '../../../src/core/dialects/write';
import { couldBeRead } from '../../../src/core/dialects/couldBe';
import { couldBeGeneric } from '../../../src/core/dialects/generic/sniff';
import { applied, read, runOf } from './support';

const OWN = `experiment: {name: run1, seed: 1}
model:
  base: meta-llama/Llama-3.1-8B
  lora: {r: 16, alpha: 32, target_modules: [q_proj, v_proj]}
  load_in_4bit: true
train:
  batch_size: 4
  grad_accum: 8
  epochs: 3
  lr: 2.0e-4
  optimizer: paged_adamw_8bit
  bf16: true
  gradient_checkpointing: true
data:
  max_length: 1024
`;

const dialectOf = async (text: string): Promise<string | null> => (await read({ 'a.yaml': text })).dialect;

describe('a reading by vocabulary', () => {
  it('reads the words of people’s own configs, wherever they stand', async () => {
    const { dialect, quantities } = await runOf(OWN);
    assert.equal(dialect, 'generic');
    const { model, microBatchSize, gradAccum, seqLen, precision, optimizer, method, quantization, lora } =
      quantities;
    assert.deepEqual(
      [model, microBatchSize, gradAccum, seqLen, precision, optimizer, method].map(({ value }) => value),
      ['meta-llama/Llama-3.1-8B', 4, 8, 1024, 'bf16-mixed', 'paged_adamw_8bit', 'qlora'],
    );
    assert.equal(quantization.value?.bits, 4);
    assert.deepEqual(lora.value?.targets, ['q_proj', 'v_proj']);
  });

  it('takes nothing from settings of which a start may choose one', async () => {
    const more =
      'profiles:\n  small:\n    train: {batch_size: 1, optimizer: sgd}\n    model: {load_in_8bit: true}\n';
    const { quantities } = await runOf(`${OWN.replace('  load_in_4bit: true\n', '')}${more}`);
    const { microBatchSize, optimizer, quantization } = quantities;
    assert.deepEqual(
      [microBatchSize.value, optimizer.value, quantization.value],
      [4, 'paged_adamw_8bit', null],
    );
  });

  it('takes counts of rows and of residues for no size of images', async () => {
    const imageIn = async (data: string): Promise<unknown> => {
      const text = OWN.replace('  max_length: 1024\n', `  ${data}\n`);
      return (await runOf(text)).quantities.imageSize.value;
    };
    assert.equal(await imageIn('{train_size: 3000, eval_size: 400}'), null);
    assert.deepEqual(await imageIn('{train_size: 352, test_size: 352}'), [352, 352]);
    assert.equal(await imageIn('{max_length: 512, crop_size: 256}'), null);
    assert.deepEqual(await imageIn('{crop_size: 256}'), [256, 256]);
  });

  it('is that of a program of one’s own that cuts prompts or embeds, too', async () => {
    const ppo =
      'ppo: {beta: 0.1, clip_range: 0.2, entropy_coef: 0.01, gamma: 1.0}\nmodels: {policy_checkpoint: out/ckpt.pt}\ndata: {max_prompt_length: 256}\ntraining: {batch_size: 4, learning_rate: 1.0e-6, max_steps: 100}\n';
    assert.equal(await dialectOf(ppo), 'generic');
    const decoder =
      'embeddings: {model: intfloat/e5-base-v2, batch_size: 64}\nmodel: {decoder_model: org/m}\ntraining: {epochs: 8, batch_size: 8, learning_rate: 2.0e-4, grad_accum_steps: 4}\n';
    const { dialect, quantities } = await runOf(decoder);
    assert.deepEqual([dialect, quantities.microBatchSize.value], ['generic', 8]);
    assert.equal(
      await dialectOf(
        'policy_model: out/sft\nlearning_rate: 5.0e-6\nbatch_size: 2\ngradient_accumulation_steps: 4\nmax_steps: 100\nbeta: 0.1\nmax_seq_length: 512\nuse_lora: false\n',
      ),
      'generic',
    );
  });

  it('reads `LoRA` as one word', async () => {
    const { method, lora } = (
      await runOf('model_id: a/b\nLoRA: {r: 8, alpha: 32}\nbatch_size: 4\nlr: 1e-4\nnum_epochs: 3\n')
    ).quantities;
    assert.deepEqual([method.value, lora.value?.r], ['lora', 8]);
  });

  it('takes a batch beside a smaller micro batch for that of all steps', async () => {
    const batches = 'model_id: a/b\nbatch_size: 64\nmicro_batch_size: 16\nlr: 1e-4\nepochs: 3\n';
    const { globalBatchSize, microBatchSize, gradAccum } = (await runOf(batches)).quantities;
    assert.deepEqual([globalBatchSize.value, microBatchSize.value, gradAccum.value], [64, 16, null]);
    assert.equal((await runOf(`${batches}n_gpus: 2\n`)).quantities.gradAccum.value, 2);
    const same = await runOf(batches.replace('64', '16'));
    assert.equal(same.quantities.gradAccum.value, 1);
  });

  it('leaves open what is trained where another file names the model', async () => {
    const part = 'training: {epochs: 1, batch_size: 2, learning_rate: 5e-6, max_seq_length: 512}\n';
    const { dialect, quantities } = await runOf(part);
    assert.equal(dialect, 'generic');
    assert.equal(quantities.method.value, null);
    assert.equal((await runOf(`model: {name: resnet50}\n${part}`)).quantities.method.value, 'full');
  });

  it('lies on the files that its defaults name', async () => {
    const training = 'training: {epochs: 20, batch_size: 256, optimizer: {method: adamw, lr: 1e-3}}\n';
    const model = 'name: openai/clip-vit-base-patch32\n';
    const files = {
      'a.yaml': `defaults: {model: m.yaml}\n${training}`,
      'm.yaml': `model: {${model.trim()}}\n`,
    };
    const quantities = (await read(files)).runs[0]?.quantities;
    assert.equal(quantities?.microBatchSize.value, 256);
    assert.equal(quantities.model.value, 'openai/clip-vit-base-patch32');
    assert.equal(quantities.optimizer.value, 'adamw');
    const base = {
      'a.yaml': `defaults: b.yaml\n${OWN}`.replace('  batch_size: 4\n', ''),
      'b.yaml': 'train: {batch_size: 6}\n',
    };
    assert.equal((await read(base)).runs[0]?.quantities.microBatchSize.value, 6);
  });

  it('knows what OpenAI has published from what it serves', async () => {
    const named = (model: string) => read({ 'a.yaml': OWN.replace('meta-llama/Llama-3.1-8B', model) });
    for (const model of [
      'openai/whisper-small',
      'openai/clip-vit-base-patch32',
      'openai/gpt-oss-20b',
      'gpt-neo-125m',
    ]) {
      assert.equal((await named(model)).runs[0]?.quantities.model.value, model);
    }
    for (const model of ['openai/gpt-4o', 'gpt-4.1', 'o3-mini']) {
      assert.notEqual((await named(model)).runs[0]?.quantities.model.value, model);
    }
  });

  it('prefers what is loaded to a name of its own, and puts names together', async () => {
    const two = OWN.replace(
      'base: meta-llama/Llama-3.1-8B',
      'model_name: klein\n  pretrained_model_name_or_path: a/b-7b',
    );
    assert.equal((await runOf(two)).quantities.model.value, 'a/b-7b');
    const parts = OWN.replace('base: meta-llama/Llama-3.1-8B', 'base: ${user}/${size}').concat(
      'user: Qwen\nsize: Qwen3-8B\n',
    );
    const { model } = (await runOf(parts)).quantities;
    assert.equal(model.value, 'Qwen/Qwen3-8B');
    assert.equal(model.origin.kind === 'derived' && model.origin.formula, 'model.base is ${user}/${size}');
  });

  it('reads what autocast computes in, ranks beside a switch, and no loading process', async () => {
    const text =
      'train: {batch_size: 5, lr: 1e-4, epoches: 9, amp: {use_amp: 1, dtype: bf16}}\ndata: {num_workers: 0}\n';
    const { precision, numWorkers } = (await runOf(text)).quantities;
    assert.deepEqual([precision.value, numWorkers.value], ['bf16-mixed', 0]);
    assert.notEqual(
      (await runOf(text.replace('use_amp: 1', 'use_amp: 0'))).quantities.precision.value,
      'bf16-mixed',
    );
    const own =
      'backbone_name: PE-Core-L14\nuse_peft: true\nrank: 64\nnum_workers: 2\nbatch_size: 16\nlearning_rate: 1e-4\nepochs: 2\n';
    const { lora, model } = (await runOf(own)).quantities;
    assert.deepEqual([lora.value?.r, model.value], [64, 'PE-Core-L14']);
  });

  it('takes over from a framework that finds neither model nor batch', async () => {
    const own = `defaults: base.yaml
model_name: Qwen/Qwen3-8B
sft: {batch_size: 8, lr: 2e-4, epochs: 2, max_num_epochs: 2}
policy: {dtensor_cfg: {enabled: true}}
data: {max_input_seq_length: 512}
checkpointing: {enabled: true}
cluster: {gpus_per_node: 1, num_nodes: 1}
`;
    const { dialect, quantities } = await runOf(own);
    assert.equal(dialect, 'generic');
    assert.deepEqual([quantities.model.value, quantities.microBatchSize.value], ['Qwen/Qwen3-8B', 8]);
  });

  it('takes no family of many sizes for a model', async () => {
    for (const family of ['model_type: mixtral', 'type: qwen2_moe', 'model_type: llama']) {
      const text = OWN.replace('base: meta-llama/Llama-3.1-8B', family);
      assert.equal((await runOf(text)).quantities.model.value, null, family);
    }
    const one = OWN.replace('base: meta-llama/Llama-3.1-8B', 'model_type: gpt2');
    assert.equal((await runOf(one)).quantities.model.value, 'gpt2');
  });

  it('says of each value which key was taken, and that it was taken by its name', async () => {
    const { microBatchSize } = (await runOf(OWN)).quantities;
    assert.equal(microBatchSize.origin.kind === 'file' && microBatchSize.origin.at.path, 'train.batch_size');
    assert.match(microBatchSize.note ?? '', /^Guessed from its name: .* one GPU \(assumed\)\.$/);
  });

  it('says what it takes for granted, and from what', async () => {
    const { zeroStage, quantization } = (await runOf(OWN.replace('  load_in_4bit: true\n', ''))).quantities;
    assert.deepEqual(zeroStage.origin, {
      kind: 'derived',
      from: [],
      formula: 'assumed: no key for sharding',
    });
    assert.equal(quantization.origin.kind === 'derived' && quantization.value, null);
  });

  it('takes nothing for granted where the file lies on another one, or something shares the model', async () => {
    for (const more of ['_base_: base.yaml\n', 'deepspeed: {stage: 3}\n']) {
      const { zeroStage } = (await runOf(OWN + more)).quantities;
      assert.equal(zeroStage.origin.kind, 'unresolved', more);
    }
    // The program that generates splits its own copy.
    const { zeroStage } = (await runOf(`${OWN}grpo: {vllm_tensor_parallel_size: 1}\n`)).quantities;
    assert.equal(zeroStage.origin.kind, 'derived');
  });

  it('does not say whose samples a bare batch counts where there are several GPUs', async () => {
    const { microBatchSize } = (await runOf(`${OWN}hardware: {num_gpus: 4}\n`)).quantities;
    assert.equal(microBatchSize.value, null);
    assert.match(
      microBatchSize.origin.kind === 'unresolved' ? microBatchSize.origin.why : '',
      /train.batch_size is for each of 4 GPUs or for all together/,
    );
    const told = (
      await runOf(`${OWN.replace('  batch_size', '  per_gpu_batch_size')}hardware: {num_gpus: 4}\n`)
    ).quantities;
    assert.equal(told.microBatchSize.value, 4);
    assert.equal(told.effectiveBatch.value, 128);
  });

  it('keeps training and evaluation apart', async () => {
    const { microBatchSize, evalBatchSize } = (await runOf(`${OWN}eval: {batch_size: 64}\n`)).quantities;
    assert.deepEqual([microBatchSize.value, evalBatchSize.value], [4, 64]);
  });

  it('leaves what only the run fills in unread', async () => {
    assert.equal(await dialectOf(OWN.replace('batch_size: 4', 'batch_size: ${BATCH}')), null);
    const { seqLen } = (await runOf(OWN.replace('1024', '${LENGTH}'))).quantities;
    assert.equal(seqLen.origin.kind, 'unresolved');
  });

  it('takes what only an optimizer has for training, where no model is named', async () => {
    const flat = 'dataset: cifar10\nepochs: 20\nbatch_size: 32\nlr: 0.1\n';
    assert.equal(await dialectOf(flat), null);
    const { microBatchSize, model } = (await runOf(`${flat}weight_decay: 0.0005\n`)).quantities;
    assert.deepEqual([microBatchSize.value, model.value], [32, null]);
  });

  it('takes epochs of a named model for training, without a learning rate', async () => {
    const config = 'model: yolov5l\nbatch_size: 10\ndevice: cuda:0\n';
    assert.equal(await dialectOf(`${config}max_steps: 9\n`), null);
    const { microBatchSize } = (await runOf(`${config}epochs: 9\n`)).quantities;
    assert.equal(microBatchSize.value, 10);
  });

  it('takes no folder that a run fills for its model', async () => {
    const config = 'model: {name: own_net, img_size: 192}\ntraining: {batch_size: 4, epochs: 1, lr: 0.1}\n';
    const { model } = (await runOf(`${config}output: {model_dir: out/models}\n`)).quantities;
    assert.equal(model.value, 'own_net');
  });

  it('takes the batch of training itself, beside that of a probe', async () => {
    const own =
      'training: {batch_size: 1024, lr: 0.3, num_epochs: 9}\nmodel: {encoder: resnet50, hidden_dim: 64}\n';
    const { microBatchSize } = (await runOf(`${own}linear: {batch_size: 256, lr: 0.1}\n`)).quantities;
    assert.equal(microBatchSize.value, 1024);
  });

  it('takes what only learning by rewards has for training, without epochs', async () => {
    const rewards =
      'env: CarRacing-v2\nagent: {gamma: 0.99, epsilon_min: 0.05, memory_size: 100000, lr: 1e-4, batch_size: 32}\n';
    assert.equal((await runOf(rewards)).quantities.microBatchSize.value, 32);
    assert.equal(await dialectOf('shop: {gamma: 0.9, lr: 1e-4, batch_size: 32}\n'), null);
  });

  it('takes no size of a step that changes samples for a length', async () => {
    const own =
      'encoder: {name: resnet18}\nbatch_size: 8\nlr: 1e-3\nepochs: 3\naug_transform: {cutout: {max_len: 16}}\n';
    assert.equal((await runOf(own)).quantities.seqLen.value, null);
    assert.equal((await runOf(`${own}max_len: 128\n`)).quantities.seqLen.value, 128);
  });

  it('does not choose between two values', async () => {
    assert.equal(await dialectOf(`${OWN}second_stage: {batch_size: 16}\n`), null);
    assert.equal(
      await dialectOf(`${OWN}other: {model_name_or_path: a/b}\nthird: {model_name_or_path: c/d}\n`),
      null,
    );
    const { precision } = (await runOf(`${OWN}more: {fp16: true}\n`)).quantities;
    assert.equal(precision.origin.kind, 'unresolved');
  });

  it('says the loader’s words for precision', async () => {
    const said = async (line: string) => {
      const { quantities } = await runOf(OWN.replace('bf16: true', line));
      return [quantities.precision.value, quantities.loadDtype.value];
    };
    assert.deepEqual(await said('use_amp: true'), ['fp16-mixed', 'fp32']);
    assert.deepEqual(await said('mixed_precision: bf16'), ['bf16-mixed', 'fp32']);
    assert.deepEqual(await said('torch_dtype: bfloat16'), ['bf16', 'bf16']);
    assert.deepEqual(await said('precision: high'), [null, null]);
  });

  const silent: [title: string, text: string][] = [
    ['a batch without a model', 'train:\n  batch_size: 4\n  epochs: 3\n  lr: 1e-4\n  optimizer: adamw\n'],
    ['a model without a batch', 'model: {name: meta-llama/Llama-3.1-8B}\ntrain: {lr: 1e-4, epochs: 3}\n'],
    ['what trains nothing', 'model: {name: meta-llama/Llama-3.1-8B}\nbatch_size: 4\ndevice: cuda\n'],
    ['a model of a provider', OWN.replace('meta-llama/Llama-3.1-8B', 'gpt-4o-mini')],
    ['a search over values', `method: bayes\nparameters: {}\n${OWN}`],
    ['a manifest', `apiVersion: v1\n${OWN}`],
    ['rows that are imported', OWN.replace('train:', 'ingestion:')],
    ['an API', `openapi: 3.1.0\n${OWN}`],
  ];
  for (const [title, text] of silent) {
    it(`is silent on ${title}`, async () => assert.equal(await dialectOf(text), null));
  }

  it('leaves a file to the framework whose keys it has', async () => {
    assert.equal(
      await dialectOf(`${OWN}base_model: x/y\nmicro_batch_size: 2\nsequence_len: 512\n`),
      'axolotl',
    );
  });

  it('changes the keys that it has read', async () => {
    const run = await runOf(OWN);
    const edits = editsFor(run, [
      { quantity: 'microBatchSize', to: 2 },
      { quantity: 'gradientCheckpointing', to: false },
    ]);
    assert.ok(edits.ok);
    const after = applied({ 'config.yaml': OWN }, edits.edits)['config.yaml'] ?? '';
    assert.match(after, /batch_size: 2\n/);
    assert.match(after, /gradient_checkpointing: false\n/);
  });

  it('looks at the text before it is parsed', () => {
    assert.ok(couldBeGeneric(OWN));
    assert.ok(!couldBeGeneric('services:\n  db:\n    image: postgres\n'));
    assert.ok(!couldBeGeneric(`swagger: '2.0'\n${OWN}`));
    assert.ok(!couldBeRead('openapi: 3.0.0\nbase_model: x\nmicro_batch_size: 2\n'), 'a specification');
    assert.ok(couldBeGeneric(`swagger: '2.0'\n---\n${OWN}`), 'another document may be ours');
  });
});

describe('a base of 4 bits by other words', () => {
  const own = (lines: string): string =>
    `model:\n  path: mistralai/Mistral-7B-v0.1\n${lines}lora:\n  r: 16\ntrain:\n  batch_size: 4\n  lr: 1e-4\n  epochs: 3\n  max_len: 512\n`;
  const bitsOf = async (text: string) => {
    const { method, quantization } = (await runOf(text)).quantities;
    return [method.value, quantization.value?.bits ?? null];
  };

  it('is read from a word for the bits', async () => {
    assert.deepEqual(await bitsOf(own('  quantization: 4-bit\n')), ['qlora', 4]);
    assert.deepEqual(await bitsOf(own('  quantization: 8-bit\n')), ['lora', 8]);
    assert.deepEqual(await bitsOf(own('  qlora: true\n')), ['qlora', 4]);
    assert.deepEqual(await bitsOf(own('  use_qlora: false\n')), ['lora', null]);
  });

  it('is read from `bits` beside settings of bitsandbytes', async () => {
    assert.deepEqual(await bitsOf(own('  bits: 4\n  bnb_4bit_quant_type: nf4\n')), ['qlora', 4]);
    assert.deepEqual(await bitsOf(own('  bits: 4\n')), ['lora', null]);
  });
});

describe('sections that are called like something else', () => {
  const config = (section: string): string =>
    `model: Qwen/Qwen2.5-7B\nbatch_size: 4\nlr: 1e-4\nepochs: 3\nmax_length: 512\n${section}`;

  it('of Meta’s launcher are no adapters, a switch for DoRA is', async () => {
    const launcher = 'dora:\n  dir: outputs\n  exclude: [device, num_workers]\n';
    assert.equal((await runOf(config(launcher))).quantities.method.value, 'full');
    assert.equal((await runOf(config('use_dora: true\n'))).quantities.method.value, null);
  });

  it('of an evaluation make no rows of a sample, others do', async () => {
    const kindOf = async (section: string) =>
      (await runOf(`${OWN}${section}: {num_generations: 8}\n`)).details.sequencesPerSample?.origin.kind;
    assert.equal(await kindOf('grpo'), 'unresolved');
    assert.notEqual(await kindOf('constrained_eval'), 'unresolved');
  });
});

describe('adapters that are off', () => {
  const TEXT =
    'model:\n  path: mistralai/Mistral-7B-v0.1\ntrain:\n  batch_size: 4\n  lr: 1e-4\n  epochs: 3\n  max_len: 512\n';
  const methodIn = async (lines: string): Promise<unknown> => {
    const { origin, value } = (await runOf(`${TEXT}${lines}`)).quantities.method;
    return [value, origin.kind === 'file' ? origin.at.path : null];
  };

  it('are stated by a switch of their own section, not by that of another one', async () => {
    assert.deepEqual(await methodIn('lora:\n  enabled: false\n'), ['full', 'lora.enabled']);
    assert.deepEqual(await methodIn('lora:\n  enable: false\n'), ['full', 'lora.enable']);
    assert.deepEqual(await methodIn('logger:\n  enable: false\n'), ['full', null]);
  });
});
