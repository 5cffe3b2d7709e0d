// Files that start a run next to its config: a batch script, and a sweep with a run for each cell.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inVSCode } from './window';

const CONFIG = `base_model: NousResearch/Meta-Llama-3-8B
datasets: [{path: tatsu-lab/alpaca, type: alpaca}]
adapter: qlora
load_in_4bit: true
lora_r: 16
lora_alpha: 32
lora_target_linear: true
sequence_len: 2048
micro_batch_size: 2
gradient_accumulation_steps: 4
gradient_checkpointing: true
bf16: true
output_dir: out
`;

const SCRIPT = `#!/bin/bash
#SBATCH --job-name=tune
#SBATCH --gres=gpu:h100:2
#SBATCH --time=04:00:00

srun axolotl train tune.yaml --micro-batch-size 8
`;

const SWEEP = `program: sft.py
method: grid
metric: {name: eval/loss, goal: minimize}
parameters:
  model_name_or_path: {value: meta-llama/Llama-3.2-1B}
  dataset_name: {value: tatsu-lab/alpaca}
  learning_rate: {values: [1.0e-5, 2.0e-5]}
  per_device_train_batch_size:
    values: [2, 64]
  max_length: {values: [1024, 4096]}
  bf16: {value: true}
  output_dir: {value: out}
`;

function jobs(folder: string) {
  mkdirSync(join(folder, '.vscode'));
  writeFileSync(join(folder, '.vscode/settings.json'), '{ "headroom.target.gpu": "A100 40GB" }');
  writeFileSync(join(folder, 'tune.yaml'), CONFIG);
  writeFileSync(join(folder, 'tune.sbatch'), SCRIPT);
  writeFileSync(join(folder, 'sweep.yaml'), SWEEP);
}

inVSCode('what starts a run', { workspace: jobs }, test => {
  test('a batch script shows the answer of what it starts', async vs => {
    await vs.open('tune.sbatch');
    await vs.codeLenses(/tune: ≈ [\d.]+ GB of 40 GB/);
  });

  test('the config that a script starts shows that answer', async vs => {
    await vs.open('tune.yaml');
    const lenses = await vs.codeLenses(/tune: ≈ [\d.]+ GB of 40 GB.* · tune\.sbatch$/);
    assert.ok(
      lenses.every(text => !/^\W*≈/.test(text)),
      lenses.join(' | '),
    );
  });

  test('a sweep has one run per cell and shows the worst', async vs => {
    await vs.open('sweep.yaml');
    await vs.codeLenses(/per_device_train_batch_size=64 max_length=4096.*does not fit/);
  });
});
