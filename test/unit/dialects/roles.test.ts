import assert from 'node:assert/strict';
import { read, runOf } from './support';

type Files = Readonly<Record<string, string>>;

const valuesOf = async (files: Files | string, ...names: readonly string[]) => {
  const [run] = (await read(typeof files === 'string' ? { 'a.yaml': files } : files)).runs;
  const { quantities } = run ?? assert.fail('no run');
  const all = quantities as unknown as Readonly<Record<string, { readonly value: unknown }>>;
  return names.map(name => all[name]?.value);
};

const HYDRA = `defaults: [_self_]
hydra: {run: {dir: out}}
`;

describe('a reading by role', () => {
  it('knows arguments of a Lightning Trainer wherever two of them stand together', async () => {
    const names = ['devices', 'strategy', 'precision', 'gradAccum', 'nodes'];
    const nested = `${HYDRA}experiment: {trainer: {accelerator: gpu, devices: 2, strategy: ddp}}\n`;
    assert.deepEqual(await valuesOf(nested, ...names), [2, 'ddp', 'fp32', 1, 1]);
    const atRoot = `${HYDRA}accelerator: gpu\ndevices: 4\nprecision: 16-mixed\naccumulate_grad_batches: 2\n`;
    assert.deepEqual(await valuesOf(atRoot, ...names), [4, 'auto', 'fp16-mixed', 2, 1]);
  });

  it('finds what a table of keys does not name, over all files together', async () => {
    const files = {
      'conf/config.yaml': 'defaults:\n  - data: own\n  - _self_\nhydra: {run: {dir: out}}\nsize: 320\n',
      'conf/data/own.yaml': 'loaders: {train: {batch_size: 12}}\nimage: {size: "${size}"}\n',
    };
    assert.deepEqual(await valuesOf(files, 'microBatchSize', 'imageSize'), [12, [320, 320]]);
  });

  it('takes no file for the model that a callback of the run writes', async () => {
    const text = (path: string): string =>
      `${HYDRA}net: {model_path: "${path}"}\nbatch_size: 4\ncallbacks: {best: {path: models/best_resnet.keras}}\n`;
    assert.deepEqual(await valuesOf(text('${callbacks.best.path}'), 'model'), [null]);
    assert.deepEqual(await valuesOf(text('microsoft/resnet-50'), 'model'), ['microsoft/resnet-50']);
  });

  it('takes the weights that a Lightning module is built from before its class', async () => {
    const text = `trainer: {max_epochs: 5, devices: 1}
model: {class_path: src.Net, init_args: {model_name_or_path: roberta-base}}
data: {class_path: src.Data, init_args: {batch_size: 8}}
`;
    assert.deepEqual(await valuesOf(text, 'model', 'microBatchSize'), ['roberta-base', 8]);
  });

  it('lets a stated key beat a default, and leaves none where two keys disagree', async () => {
    const trainer = `output_dir: out
model_name_or_path: gpt2
per_device_train_batch_size: 2
num_train_epochs: 1
learning_rate: 1e-4
lora: {use_gradient_checkpointing: unsloth}
`;
    assert.deepEqual(await valuesOf(trainer, 'gradientCheckpointing'), [true]);
    const both = `${trainer}model: {gradient_checkpointing: false}\nother: {gradient_checkpointing: true}\n`;
    const { gradientCheckpointing } = (await runOf(both)).quantities;
    assert.equal(gradientCheckpointing.origin.kind, 'unresolved');
  });

  it('leaves open what is trained where a key means adapters in a way that is not known', async () => {
    const trainer = `output_dir: out
model_name_or_path: gpt2
per_device_train_batch_size: 2
num_train_epochs: 1
learning_rate: 1e-4
`;
    const own = `model: {name: gpt2}
training: {batch_size: 2, learning_rate: 1e-4, epochs: 3, seq_len: 512, optimizer: adamw, bf16: true}
`;
    for (const base of [trainer, own]) {
      for (const more of [
        'adapter_file: adapters/one.safetensors',
        'adapter_config: {kind: houlsby, width: 64}',
        'peft: prefix',
        'tuning_method: adapter',
        'lora_unet: {rank: 16}\nlora_text_encoder: {rank: 8}',
        'networks: [{name: unet, lora_unet: {dim: 4}}]',
      ]) {
        const { method } = (await runOf(`${base}${more}\n`)).quantities;
        assert.ok(method.origin.kind === 'unresolved' && method.origin.key, more);
      }
      for (const more of ['adapter_file: null', 'lora: false', 'data_adapter: jsonl', 'adapter_type: none']) {
        assert.equal((await runOf(`${base}${more}\n`)).quantities.method.value, 'full', more);
      }
    }
  });

  it('does not take an empty key for an absent one where the loader keeps it', async () => {
    const verl = `data: {train_batch_size: null, max_prompt_length: 256, max_response_length: 128}
actor_rollout_ref: {model: {path: Qwen/Qwen2.5-0.5B}}
algorithm: {adv_estimator: grpo}
trainer: {n_gpus_per_node: 1, nnodes: 1}
`;
    const { globalBatchSize, seqLen } = (await runOf(verl)).quantities;
    assert.equal(globalBatchSize.value, null);
    assert.match(
      globalBatchSize.origin.kind === 'unresolved' ? globalBatchSize.origin.why : '',
      /data\.train_batch_size is null/,
    );
    assert.equal(seqLen.value, 384);
  });

  it('takes a config for one of the kind that it lies on', async () => {
    const base = `data: {train_batch_size: 64, max_prompt_length: 256, max_response_length: 128}
actor_rollout_ref: {model: {path: Qwen/Qwen2.5-0.5B}, actor: {ppo_mini_batch_size: 16}}
algorithm: {adv_estimator: gae}
trainer: {n_gpus_per_node: 2, nnodes: 1}
`;
    const files = { 'a.yaml': 'defaults:\n  - base\nenv: {kind: maze}\n', 'base.yaml': base };
    const { dialect, runs } = await read(files);
    assert.equal(dialect, 'verl');
    assert.equal(runs[0]?.quantities.globalBatchSize.value, 64);
    assert.equal(
      (await read({ 'a.yaml': 'extends: base.yaml\n', 'base.yaml': 'rules: {}\n' })).dialect,
      null,
    );
  });

  it('reads flat research configs that name no model, and configs that lie on one', async () => {
    const flat = 'batch_size: 16\nlr: 1e-4\nnEpoch: 100\ntrainsize: 352\noptimizer: AdamW\n';
    assert.deepEqual(await valuesOf(flat, 'microBatchSize', 'imageSize', 'optimizer'), [
      16,
      [352, 352],
      'AdamW',
    ]);
    const files = { 'a.yaml': '_BASE_: base.yml\nlr: 2e-4\n', 'base.yml': flat };
    assert.deepEqual(await valuesOf(files, 'microBatchSize', 'imageSize'), [16, [352, 352]]);
    assert.equal((await read({ 'a.yaml': 'batch_size: 16\nlr: 1e-4\n' })).dialect, null);
  });

  it('takes sizes in the config itself for a model, where its family is told', async () => {
    const own = `train: {batch_size: 4, lr: 1e-4, epochs: 2, optimizer: adamw}
model: {name: my_llama, d_model: 512, n_layers: 8, n_heads: 8, intermediate_size: 1408, vocab_size: 32000}
`;
    const { ownModel } = await runOf(own);
    assert.equal(ownModel?.as === 'config.json' && ownModel.config['hidden_size'], 512);
    assert.equal(ownModel?.as === 'config.json' && ownModel.config['model_type'], 'llama');
    assert.equal((await runOf(own.replace('my_llama', 'mine'))).ownModel, undefined);
  });

  it('takes flags of one’s own script by their names, and nothing for granted that no flag says', async () => {
    const script = `#!/bin/bash
python train.py --model meta-llama/Llama-2-7b-hf --batch-size 2 --grad-accum 8 --lr 2e-4 --epochs 3 --lora-r 16 \
  --use-4bit --max-length 1024
`;
    const names = ['model', 'microBatchSize', 'gradAccum', 'seqLen', 'method'];
    const values = await valuesOf({ 'train.sh': script }, ...names);
    assert.deepEqual(values, ['meta-llama/Llama-2-7b-hf', 2, 8, 1024, 'qlora']);
    const bare = 'python train.py --model a/b-7b --batch-size 2 --lr 2e-4 --epochs 3\n';
    const [run] = (await read({ 'train.sh': `#!/bin/bash\n${bare}` })).runs;
    const { gradAccum, method } = run?.quantities ?? assert.fail('no run');
    assert.deepEqual([gradAccum.origin.kind, method.origin.kind], ['unresolved', 'unresolved']);
    const none = '#!/bin/bash\npython prepare.py --model a/b-7b --batch-size 2 --output x\n';
    assert.equal((await read({ 'prepare.sh': none })).dialect, null);
  });

  it('tells the task by the section that is named after the trainer it has the arguments of', async () => {
    const own = `model: {name: Qwen/Qwen2.5-0.5B-Instruct, dtype: bfloat16}
grpo: {per_device_train_batch_size: 4, gradient_accumulation_steps: 8, learning_rate: 1e-6, num_train_epochs: 1}
`;
    assert.deepEqual(await valuesOf(own, 'task', 'microBatchSize'), ['grpo', 4]);
    const two = `${own}sft: {per_device_train_batch_size: 4, gradient_accumulation_steps: 8, learning_rate: 1e-6}\n`;
    assert.deepEqual(await valuesOf(two, 'task'), [null]);
  });

  it('takes a diffusion script that is called after LoRA for one that trains adapters', async () => {
    const script = `accelerate launch train_text_to_image_lora.py --pretrained_model_name_or_path=a/b --resolution=512 \
  --train_batch_size=1 --gradient_accumulation_steps=4 --max_train_steps=100 --checkpointing_steps=500
`;
    assert.deepEqual(await valuesOf({ 'train.sh': `#!/bin/bash\n${script}` }, 'method'), ['lora']);
    const full = script.replace('_lora', '');
    assert.deepEqual(await valuesOf({ 'train.sh': `#!/bin/bash\n${full}` }, 'method'), ['full']);
  });

  it('assumes nothing of checkpointing where a key speaks of a part of the model', async () => {
    const flat = 'batch_size: 16\nlr: 1e-4\nepochs: 100\nimage_size: 352\noptimizer: AdamW\n';
    assert.deepEqual(await valuesOf(flat, 'gradientCheckpointing'), [false]);
    const parts = `${flat}gradient_checkpointing_encoder: true\n`;
    assert.deepEqual(await valuesOf(parts, 'gradientCheckpointing'), [null]);
  });

  it('takes the words of a script around a trainer, and of a script like one of a program that reads files only', async () => {
    const around = `#!/bin/bash
torchrun --nproc_per_node 1 run_sft.py --model_name_or_path a/b-7b --per_device_train_batch_size 1 --learning_rate 1e-4 \\
  --gradient_accumulation_steps 8 --num_train_epochs 1 --max_seq_length 512 --output_dir x --lora_rank 64 --lora_alpha 128
`;
    assert.deepEqual(await valuesOf({ 'sft.sh': around }, 'method'), ['lora']);
    const own = `#!/bin/bash
python finetune.py --base_model a/llama-7b --micro_batch_size 1 --batch_size 16 --cutoff_len 1024 --learning_rate 3e-4 \\
  --num_epochs 5 --lora_target_modules q_proj,v_proj --output_dir x
`;
    const names = ['model', 'microBatchSize', 'seqLen', 'method'];
    assert.deepEqual(await valuesOf({ 'run.sh': own }, ...names), ['a/llama-7b', 1, 1024, 'lora']);
  });

  it('is not taken for TRL where the model or the epochs have names that its parser does not know', async () => {
    const own = `model_name: a/b-1b
max_length: 1024
load_in_4bit: false
lora_r: 32
lora_target_modules: [q_proj]
num_epochs: 1
per_device_train_batch_size: 1
gradient_accumulation_steps: 2
learning_rate: 5e-5
lr_scheduler_type: cosine
output_dir: x
`;
    assert.deepEqual(await valuesOf(own, 'model', 'method', 'gradAccum'), ['a/b-1b', 'lora', 2]);
  });

  it('is not taken for Unsloth where sections have names that it does not know', async () => {
    const own = `base_model: a/b-large
lora: {rank: 16, lora_alpha: 32, target_modules: [q_proj]}
training: {learning_rate: 1e-4, epochs: 3, batch_size: 8, grad_accum_steps: 2, gradient_checkpointing: true}
`;
    const loop =
      'training: {micro_batch_size: 4, gradient_accumulation_steps: 8, learning_rate: 1e-4, max_seq_length: 512, epochs: 3, gradient_checkpointing: false}\n';
    assert.deepEqual(await valuesOf(loop, 'method', 'microBatchSize', 'seqLen'), [null, 4, 512]);
    assert.deepEqual(await valuesOf(own, 'model', 'method', 'gradAccum', 'microBatchSize'), [
      'a/b-large',
      'lora',
      2,
      8,
    ]);
  });
});
