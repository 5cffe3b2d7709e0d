import assert from 'node:assert/strict';
import type { RunSpec } from '../../../src/core/spec/runSpec';
import { editsFor } from '../../../src/core/dialects/write';
import { applied, read } from './support';

describe('arguments that are a config', () => {
  const OLD = `#!/bin/bash
ray job submit --address="http://127.0.0.1:8265" --runtime-env-json='{"working_dir": "/openrlhf"}' \\
  -- python3 -m openrlhf.cli.train_ppo_ray \\
  --actor_num_nodes 2 --actor_num_gpus_per_node 4 --pretrain a/b --zero_stage 3 --bf16 \\
  --micro_train_batch_size 2 --train_batch_size 64 --prompt_max_len 512 --generate_max_len 1536 \\
  --advantage_estimator group_norm --colocate_all_models --vllm_gpu_memory_utilization 0.4 --adam_offload
`;

  it('OpenRLHF: the spelling of before 0.10, in a job of Ray', async () => {
    const [run] = (await read({ 'train.sh': OLD })).runs;
    assert.equal(run?.dialect, 'openrlhf');
    assert.equal(run.framework.version, '0.9.10');
    assert.equal(run.quantities.task.value, 'grpo');
    assert.equal(run.quantities.seqLen.value, 2048);
    assert.equal(run.quantities.gpus.value, 8);
    assert.equal(run.quantities.gradAccum.value, 4);
    assert.equal(run.quantities.offload.value?.optimizer, 'cpu');
    assert.equal(run.details.memoryShare?.value, 0.4);
    assert.equal(run.details.completionTokens?.value, 1536);
  });

  it('OpenRLHF: in a Kubernetes job, dotted', async () => {
    const job = `apiVersion: batch/v1
kind: Job
metadata: {name: sft}
spec:
  template:
    spec:
      containers:
        - name: train
          image: nvcr.io/nvidia/pytorch:25.02-py3
          command: [deepspeed, --module, openrlhf.cli.train_sft, --model.model_name_or_path, a/b, --train.micro_batch_size, "2", --ds.lora.rank, "8"]
          resources: {limits: {nvidia.com/gpu: 4}}
`;
    const [run] = (await read({ 'job.yaml': job })).runs;
    assert.equal(run?.dialect, 'openrlhf');
    assert.equal(run.quantities.method.value, 'lora');
    assert.equal(run.quantities.microBatchSize.value, 2);
    assert.equal(run.quantities.gpus.value, 4);
  });

  it('OpenRLHF: dynamic batches are filled up to a number of tokens', async () => {
    const script =
      'python3 -m openrlhf.cli.train_ppo_ray --actor.num_nodes 1 --actor.num_gpus_per_node 8 --ds.zero_stage 3 ' +
      '--actor.model_name_or_path a/b --train.batch_size 128 --data.max_len 2048 --train.dynamic_batch_enable';
    const [run] = (await read({ 'train.sh': `${script} --train.max_tokens_per_gpu 8192\n` })).runs;
    assert.equal(run?.dialect, 'openrlhf');
    assert.equal(run.quantities.microBatchSize.value, 8192);
    assert.equal(run.quantities.microBatchSize.unit, 'tokens');
    assert.equal(run.quantities.packing.value, true);
    assert.equal(run.quantities.gradAccum.value, 4);
    const [unstated] = (await read({ 'train.sh': `${script}\n` })).runs;
    assert.equal(unstated?.quantities.microBatchSize.value, 16_192);
    assert.equal(editsFor(run, [{ quantity: 'microBatchSize', to: 2 }]).ok, false);
  });

  it('OpenRLHF: edits are in the spelling of the command', async () => {
    const files = { 'train.sh': OLD };
    const [run] = (await read(files)).runs;
    assert.ok(run);
    const result = editsFor(run, [{ quantity: 'gradAccum', to: 8 }]);
    assert.ok(result.ok);
    const after = applied(files, result.edits)['train.sh'] ?? '';
    assert.match(after, /--micro_train_batch_size 2 --train_batch_size 128/);
  });

  it('Megatron-LM: sizes are the model, and an open size leaves it unknown', async () => {
    const script = `set -e
GPT_ARGS="
  --num-layers 24 --hidden-size 2048 --num-attention-heads 16 --seq-length 2048 --max-position-embeddings 2048
"
torchrun --nproc_per_node 8 pretrain_gpt.py $GPT_ARGS --micro-batch-size 2 --global-batch-size 64 --bf16 \\
  --tensor-model-parallel-size 2 --use-distributed-optimizer --vocab-size 32000 --recompute-activations
`;
    const [run] = (await read({ 'train.sh': script })).runs;
    assert.equal(run?.dialect, 'megatron-lm');
    assert.ok(run.ownModel?.as === 'megatron');
    assert.equal(run.ownModel.arguments['hidden-size'], '2048');
    assert.equal(run.quantities.gradAccum.value, 8);
    assert.equal(run.details.selectiveCheckpointing?.value, 'operations');
    const open = (await read({ 'train.sh': script.replace('2048 --num-att', '$H --num-att') })).runs[0];
    assert.equal(open?.ownModel, undefined);
  });

  const MODEL_ARGS = `ENV_VARS:
  CUDA_DEVICE_MAX_CONNECTIONS: 1
MODEL_ARGS:
  --num-layers: 61
  --hidden-size: 7168
  --num-attention-heads: 128
  --micro-batch-size: 2 # rows
  --global-batch-size: 64
  --seq-length: 4096
  --vocab-size: 129280
  --tensor-model-parallel-size: 2
  --num-experts: 256
  --moe-layer-freq: ([0]*3+[1]*58)
  --attention-backend: unfused
  --bf16: true
TEST_TYPE: regular
`;

  it('Megatron-LM: flags as keys of a file are read and written as flags', async () => {
    const files = { 'model_config.yaml': MODEL_ARGS };
    const [run] = (await read(files)).runs;
    assert.equal(run?.dialect, 'megatron-lm');
    assert.equal(run.quantities.microBatchSize.value, 2);
    const { origin } = run.quantities.microBatchSize;
    assert.equal(origin.kind === 'file' && origin.at.path, 'MODEL_ARGS.--micro-batch-size');
    assert.equal(run.quantities.parallel.value?.tensor, 2);
    assert.equal(run.quantities.attention.value, 'eager');
    assert.equal(run.quantities.seqLen.value, 4096);
    assert.ok(run.ownModel?.as === 'megatron');
    assert.equal(run.ownModel.arguments['moe-layer-freq'], '([0]*3+[1]*58)');
    const result = editsFor(run, [
      { quantity: 'microBatchSize', to: 1 },
      { quantity: 'gradientCheckpointing', to: true },
    ]);
    assert.ok(result.ok);
    const flags = ['granularity: full', 'method: uniform', 'num-layers: 1'].map(
      one => `  --recompute-${one}\n`,
    );
    const after = applied(files, result.edits)['model_config.yaml'] ?? '';
    assert.equal(
      after.replace(/(?:  --recompute-.*\n)+/, flags.join('')),
      MODEL_ARGS.replace('size: 2 #', 'size: 1 #').replace('# rows\n', `# rows\n${flags.join('')}`),
    );
    for (const flag of flags) assert.ok(after.includes(flag), flag);
  });

  it('Megatron-LM: a model that is no GPT is another, or unknown', async () => {
    const family = async (path: string, text = MODEL_ARGS): Promise<string | null> => {
      const [run] = (await read({ [path]: text })).runs;
      return run?.ownModel?.as === 'megatron' ? run.ownModel.family : null;
    };
    assert.equal(await family('gpt/one/model_config.yaml'), 'gpt');
    assert.equal(await family('bert/one/model_config.yaml'), 'bert');
    assert.equal(await family('hybrid/one/model_config.yaml'), null);
    const t5 = MODEL_ARGS.replace('--num-layers', '--encoder-num-layers');
    assert.equal(await family('model_config.yaml', t5), 't5');
    const mamba = MODEL_ARGS.replace('--bf16', '--hybrid-layer-pattern: M*M*\n  --bf16');
    assert.equal(await family('model_config.yaml', mamba), null);
  });

  it('Megatron-LM: which attention holds all scores, and what else its layers are made of', async () => {
    const start =
      'set -e\ntorchrun pretrain_gpt.py --num-layers 8 --hidden-size 512 --num-attention-heads 8 ';
    const rest = '--vocab-size 100 --micro-batch-size 4 --seq-length 1024 --tensor-model-parallel-size 1 ';
    const runOf = async (flags: string): Promise<RunSpec | undefined> =>
      (await read({ 'train.sh': `${start}${rest}${flags}\n` })).runs[0];
    const attention = async (flags: string): Promise<unknown> =>
      (await runOf(flags))?.quantities.attention.value;
    assert.equal(await attention('--attention-backend unfused'), 'eager');
    assert.equal(await attention('--attention-backend local'), 'eager');
    assert.equal(await attention('--transformer-impl local'), 'eager');
    assert.equal(await attention('--transformer-impl local --use-flash-attn'), 'flash_attention_2');
    assert.equal(await attention('--attention-backend flash'), 'flash');
    assert.equal(await attention('--transformer-impl transformer_engine'), null);
    const loss = async (flags: string): Promise<unknown> => (await runOf(flags))?.quantities.loss.value;
    assert.equal(await loss('--cross-entropy-loss-fusion'), 'native_cross_entropy');
    assert.equal(
      await loss('--cross-entropy-loss-fusion --cross-entropy-fusion-impl te'),
      'te_cross_entropy',
    );
    assert.equal(await loss(''), null);
    const mixed = '--num-experts 8 --moe-layer-freq ([0]*3+[1]*5) --moe-shared-expert-intermediate-size 64';
    const run = await runOf(`${mixed} --qk-layernorm --hidden-dropout 0.0 --bf16`);
    assert.ok(run?.ownModel?.as === 'megatron');
    const args = run.ownModel.arguments;
    assert.deepEqual(
      ['moe-layer-freq', 'moe-shared-expert-intermediate-size', 'qk-layernorm', 'hidden-dropout'].map(
        name => args[name],
      ),
      ['([0]*3+[1]*5)', '64', 'true', '0'],
    );
    assert.equal(run.quantities.precision.value, 'bf16');
    assert.equal((await runOf('--patch-dim 14 --img-h 336'))?.ownModel, undefined);
    assert.equal((await runOf('--hybrid-layer-pattern M-M*-M-M'))?.ownModel, undefined);
  });

  it('Megatron-DeepSpeed is another program', async () => {
    const script =
      'set -e\ndeepspeed pretrain_gpt.py --micro-batch-size 2 --num-layers 2 --deepspeed --zero-stage 1\n';
    assert.equal((await read({ 'train.sh': script })).dialect, null);
  });

  it('Transformers: a flag that the program completes is not a default', async () => {
    const script = `set -e
accelerate launch sft.py --model_name_or_path meta-llama/Llama-3.1-8B --output_dir out --bf16 \\
  --per_device_train_batch 2 --gradient_accumulation_steps 64 --gradient_checkpointing --optim adamw_torch
`;
    const [run] = (await read({ 'train.sh': script })).runs;
    assert.equal(run?.quantities.microBatchSize.value, 2);
  });
});
