import assert from 'node:assert/strict';
import { read } from './support';
import type { RunSpec } from '../../../src/core/spec/runSpec';

const FLAGS = '--model_name_or_path a/b --per_device_train_batch_size 2 --save_total_limit 1 --output_dir o';

const runsOf = async (
  script: string,
  files: Readonly<Record<string, string>> = {},
): Promise<readonly RunSpec[]> =>
  (await read({ 'run.sh': `#!/bin/bash\n${script}\n`, ...files }, 'run.sh')).runs;

const PROGRAM = `from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
model = AutoModelForCausalLM.from_pretrained("a/b")
args = TrainingArguments(output_dir="o", per_device_train_batch_size=2)
Trainer(model=model, args=args).train()
`;

const ZERO = `compute_environment: LOCAL_MACHINE
distributed_type: DEEPSPEED
deepspeed_config: { zero_stage: 3 }
mixed_precision: bf16
num_machines: 1
num_processes: 8
`;

describe('scripts that train language models', () => {
  it('have the words that no one has set otherwise', async () => {
    const [run] = await runsOf(
      'N="\${N:-\${1:-4}}"\nB="\${B:-$N}"\nENV="\${ENV:-$HOME/env}"\n' +
        `"$ENV/bin/accelerate" launch --num_processes "$N" train.py ${FLAGS} --gradient_accumulation_steps "$B" \${PUSH:+--push_to_hub}`,
    );
    const { gpus, gradAccum, microBatchSize } = run?.quantities ?? {};
    assert.deepEqual([gpus?.value, gradAccum?.value, microBatchSize?.value], [4, 4, 2]);
  });

  it('are started by the tools of environments', async () => {
    const [run] = await runsOf(
      `poetry install\npoetry run accelerate launch --num_processes 2 train.py ${FLAGS}`,
    );
    assert.deepEqual([run?.quantities.gpus.value, run?.quantities.microBatchSize.value], [2, 2]);
  });

  it('run the branches whose tests are known', async () => {
    const of = async (head: string) => {
      const { precision, gradientCheckpointing } =
        (await runsOf(`${head}\npython train.py ${FLAGS} "\${MORE[@]}"`))[0]?.quantities ?? {};
      return [precision?.value, gradientCheckpointing?.value];
    };
    const flags =
      'MORE=()\nif [[ "${BF16:-1}" == "1" ]]; then MORE+=(--bf16); else MORE+=(--fp16); fi\n' +
      'if [ "$SAVE" = yes ]; then\n  MORE+=(--gradient_checkpointing)\nfi';
    assert.deepEqual(await of(`SAVE=yes\n${flags}`), ['bf16-mixed', true]);
    assert.deepEqual(await of(`BF16=0; SAVE=no\n${flags}`), ['fp16-mixed', false]);
    assert.deepEqual(await of(`SAVE=$(cat x)\n${flags}`), ['bf16-mixed', null]);
  });

  it('give the trainer of a program what its launcher says', async () => {
    const launch = 'accelerate launch --config_file zero.yaml';
    const [run] = await runsOf(`${launch} train.py`, { 'train.py': PROGRAM, 'zero.yaml': ZERO });
    const { gpus, zeroStage, precision } = run?.quantities ?? {};
    assert.deepEqual([gpus?.value, zeroStage?.value, precision?.value], [8, 3, 'bf16-mixed']);
    const [open] = await runsOf(`${launch} --num_processes $(count) train.py ${FLAGS}`, {
      'zero.yaml': ZERO,
    });
    assert.deepEqual([open?.quantities.gpus.value, open?.quantities.precision.value], [null, 'bf16-mixed']);
  });

  it('tell TRL’s functions what the flags say of adapters', async () => {
    const program = `from transformers import AutoModelForCausalLM, HfArgumentParser
from trl import ModelConfig, SFTConfig, SFTTrainer, get_peft_config
parser = HfArgumentParser((SFTConfig, ModelConfig))
training_args, model_args = parser.parse_args_into_dataclasses()
model = AutoModelForCausalLM.from_pretrained(model_args.model_name_or_path)
SFTTrainer(model=model, args=training_args, peft_config=get_peft_config(model_args)).train()
`;
    const of = async (flags: string) => {
      const [run] = await runsOf(`python sft.py ${FLAGS} ${flags}`, { 'sft.py': program });
      return [run?.quantities.method.value, run?.quantities.lora.value?.r];
    };
    assert.deepEqual(await of('--use_peft --lora_r 8'), ['lora', 8]);
    assert.deepEqual(await of(''), ['full', undefined]);
  });

  it('of ms-swift have the flags of its former releases', async () => {
    const [run] = await runsOf(
      'CUDA_VISIBLE_DEVICES=0,1 NPROC_PER_NODE=2 swift sft --sft_type full --model_id_or_path a/b --batch_size 8 --deepspeed default-zero2',
    );
    const { model, method, microBatchSize, zeroStage } = run?.quantities ?? {};
    assert.deepEqual(
      [model?.value, method?.value, microBatchSize?.value, zeroStage?.value],
      ['a/b', 'full', 8, 2],
    );
  });

  it('do not have the name of their data as a task', async () => {
    const of = async (task: string) =>
      (await runsOf(`python train.py ${FLAGS} --task ${task}`))[0]?.quantities.task.value;
    assert.deepEqual([await of('alpaca'), await of('summarization')], [null, 'summarization']);
  });

  it('leave checkpointing open where only the start decides on it', async () => {
    const program = PROGRAM.replace(
      'args =',
      'if len(sys.argv) > 1:\n    model.gradient_checkpointing_enable()\nargs =',
    );
    const { runs } = await read({ 'train.py': program });
    assert.equal(runs[0]?.quantities.gradientCheckpointing.value, null);
  });
});

describe('configs of several stages', () => {
  const section = (batch: number) => `  learning_rate: 1.0e-5\n  epochs: 1\n  batch_size: ${batch}\n`;
  const config = (sft: number) =>
    `model:\n  name: Qwen/Qwen2.5-3B-Instruct\n  max_seq_len: 512\nlora: {r: 16, alpha: 32}\nsft:\n${section(sft)}dpo:\n${section(1)}baseline:\n${section(32)}`;

  it('are a run for each that a trainer has', async () => {
    const { runs } = await read({ 'c.yaml': config(4) });
    assert.deepEqual(
      runs.map(({ name, quantities: { task, microBatchSize, model, lora } }) => [
        ...[name, task.value, microBatchSize.value, model.value, lora.value?.r],
      ]),
      [
        ['sft', 'sft', 4, 'Qwen/Qwen2.5-3B-Instruct', 16],
        ['dpo', 'dpo', 1, 'Qwen/Qwen2.5-3B-Instruct', 16],
      ],
    );
  });

  it('have the task of the only trainer with a section', async () => {
    const args =
      '{per_device_train_batch_size: 1, learning_rate: 1.0e-5, lr_scheduler_type: cosine, bf16: true, report_to: none}';
    const text = `model: {base_model: a/b, max_seq_length: 512}\nlora: {r: 8}\ntraining: ${args}\norpo: {beta: 0.2}\n`;
    assert.equal((await read({ 'c.yaml': text })).runs[0]?.quantities.task.value, 'orpo');
  });

  it('say how FSDP shards, and the rank of adapters in a section of PEFT', async () => {
    const text =
      'model: /models/Llama-2-7b-hf/\ntrain: {batch_size: 8, lr: 2.0e-5, epochs: 1, sharding_strategy: FULL_SHARD}\n' +
      'lora_peft_config: {r: 8, lora_alpha: 32}\n';
    const { model, fsdp, lora } = (await read({ 'c.yaml': text })).runs[0]?.quantities ?? {};
    assert.deepEqual(
      [model?.value, fsdp?.value?.strategy, lora?.value?.r],
      ['/models/Llama-2-7b-hf/', 'FULL_SHARD', 8],
    );
  });

  it('say what is off, and in what the trainer computes', async () => {
    const text = config(4)
      .replace(/dpo:[^]*/, '')
      .replace('{r: 16', '{enabled: false, r: 16')
      .concat('quantization: {compute_dtype: bfloat16}\nruntime: {mixed_precision: bf16}\n');
    const { method, precision } = (await read({ 'c.yaml': text })).runs[0]?.quantities ?? {};
    assert.deepEqual([method?.value, precision?.value], ['full', 'bf16-mixed']);
  });
});
