import assert from 'node:assert/strict';
import type { RunSpec } from '../../../src/core/spec/runSpec';
import { read } from './support';

async function runOf(files: Readonly<Record<string, string>>): Promise<RunSpec> {
  const { runs } = await read(files, 'run.sh');
  const [run, ...others] = runs;
  assert.ok(run && others.length === 0, `${runs.length} runs`);
  return run;
}

const sh = (line: string): string => `#!/bin/bash\n${line}\n`;

const TRAINER = `
    model = AutoModelForCausalLM.from_pretrained(args.model_name, torch_dtype=torch.bfloat16)
    lora = LoraConfig(r=args.lora_r, target_modules=["q_proj"]) if args.use_lora else None
    config = SFTConfig(output_dir="o", per_device_train_batch_size=args.bs, max_length=args.max_len, bf16=True)
    SFTTrainer(model=model, args=config, peft_config=lora).train()
`;
const IMPORTS = `import torch
from peft import LoraConfig
from transformers import AutoModelForCausalLM, HfArgumentParser, TrainingArguments
from trl import SFTConfig, SFTTrainer
`;
const ARGPARSE = `${IMPORTS}import argparse

def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--model_name", type=str, default="Qwen/Qwen2.5-7B")
    p.add_argument("--batch-size", dest="bs", type=int, default=4)
    p.add_argument("--lora_r", type=int, default=16)
    p.add_argument("--use_lora", action="store_true")
    p.add_argument("--max_len", type=int, default=2048)
    return p.parse_args()

def main():
    args = parse()
${TRAINER}
main()
`;
const read4 = ({ quantities: { model, microBatchSize, seqLen, method } }: RunSpec) => [
  model.value,
  microBatchSize.value,
  seqLen.value,
  method.value,
];

describe('programs of one’s own that a command starts', () => {
  it('are read with the flags of the command over argparse’s defaults', async () => {
    const flags = '--model_name meta-llama/Llama-3.2-1B --batch-size 8 --use_lora';
    const run = await runOf({ 'run.sh': sh(`python train.py ${flags}`), 'train.py': ARGPARSE });
    assert.deepEqual(read4(run), ['meta-llama/Llama-3.2-1B', 8, 2048, 'lora']);
    assert.equal(run.quantities.lora.value?.r, 16);
  });

  it('train the whole model where a switch for adapters is not given', async () => {
    const run = await runOf({ 'run.sh': sh('python train.py --max_len 512'), 'train.py': ARGPARSE });
    assert.deepEqual(read4(run), ['Qwen/Qwen2.5-7B', 4, 512, 'full']);
  });

  it('lie in the folder of the script or above', async () => {
    const run = await runOf({
      'run.sh': sh('accelerate launch --num_processes 1 src/train.py --batch-size=2'),
      'src/train.py': ARGPARSE,
    });
    assert.equal(run.quantities.microBatchSize.value, 2);
  });

  it('leave what only the shell knows unknown', async () => {
    const files = { 'run.sh': sh('python train.py --batch-size $1'), 'train.py': ARGPARSE };
    const run = await runOf(files);
    assert.equal(run.quantities.microBatchSize.value, null);
  });

  it('may have the parameters of a function for Fire', async () => {
    const program = `${IMPORTS}import fire

def train(base: str = "Qwen/Qwen2.5-7B", bs: int = 4, cut: int = 256, rank: int = 8):
    model = AutoModelForCausalLM.from_pretrained(base)
    lora = LoraConfig(r=rank)
    config = SFTConfig(output_dir="o", per_device_train_batch_size=bs, max_length=cut)
    SFTTrainer(model=model, args=config, peft_config=lora).train()

if __name__ == "__main__":
    fire.Fire(train)
`;
    const run = await runOf({ 'run.sh': sh('python train.py --bs 2 --rank=64'), 'train.py': program });
    assert.deepEqual(read4(run), ['Qwen/Qwen2.5-7B', 2, 256, 'lora']);
    assert.equal(run.quantities.lora.value?.r, 64);
  });

  it('may have the fields of classes for tyro', async () => {
    const program = `${IMPORTS}import tyro
from dataclasses import dataclass

@dataclass
class Args:
    model_name: str
    bs: int = 4
    max_len: int = 1024
    lora_r: int = 8
    use_lora: bool = True

if __name__ == "__main__":
    args = tyro.cli(Args)
${TRAINER}`;
    const line = 'python train.py --model-name Qwen/Qwen3-4B --bs 1';
    const run = await runOf({ 'run.sh': sh(line), 'train.py': program });
    assert.deepEqual(read4(run), ['Qwen/Qwen3-4B', 1, 1024, 'lora']);
  });

  it('are read by the names of their options where they make no trainer', async () => {
    const program = `import argparse
from transformers import AutoModelForCausalLM
parser = argparse.ArgumentParser()
parser.add_argument("--model_name", default="Qwen/Qwen2.5-1.5B")
parser.add_argument("--batch_size", type=int, default=4)
parser.add_argument("--max_length", type=int, default=512)
parser.add_argument("--lr", type=float, default=1e-5)
parser.add_argument("--epochs", type=int, default=3)
args = parser.parse_args()
`;
    const run = await runOf({ 'run.sh': sh('python train.py --batch_size 2'), 'train.py': program });
    const { model, microBatchSize, seqLen } = run.quantities;
    assert.deepEqual([model.value, microBatchSize.value, seqLen.value], ['Qwen/Qwen2.5-1.5B', 2, 512]);
    const files = [model, microBatchSize].map(({ origin }) => ('at' in origin ? origin.at.file : null));
    assert.deepEqual(files, ['train.py', 'run.sh']);
  });

  const LOOP = `import argparse, torch
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer
parser = argparse.ArgumentParser()
parser.add_argument("--bs", type=int, default=4)
parser.add_argument("--cut", type=int, default=512)
parser.add_argument("--lr", type=float, default=1e-5)
parser.add_argument("--epochs", type=int, default=3)
args = parser.parse_args()
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B", torch_dtype=torch.bfloat16)
optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
tokenizer = AutoTokenizer.from_pretrained("Qwen/Qwen2.5-1.5B")
rows = data.map(lambda row: tokenizer(row["text"], truncation=True, max_length=args.cut))
train_loader = DataLoader(rows, batch_size=args.bs, shuffle=True, num_workers=6)
val_loader = DataLoader(val_rows, batch_size=64)
`;

  it('say by their calls what a trainer’s arguments would', async () => {
    const { quantities } = await runOf({ 'run.sh': sh('python train.py --bs 2'), 'train.py': LOOP });
    const { model, microBatchSize, seqLen, optimizer, loadDtype, method } = quantities;
    assert.deepEqual(
      [model.value, microBatchSize.value, seqLen.value, optimizer.value, loadDtype.value, method.value],
      ['Qwen/Qwen2.5-1.5B', 2, 512, 'AdamW', 'bf16', 'full'],
    );
    assert.equal(quantities.numWorkers.value, 6);
  });

  for (const [step, size] of [
    ['A.Resize(256, 512)', [512, 256]],
    ['A.RandomCrop(height=64, width=96)', [96, 64]],
    ['T.Resize((256, 512))', [512, 256]],
    ['T.RandomCrop(32, 4)', [32, 32]],
    ['T.Resize(224, 3)', [224, 224]],
  ] as const) {
    it(`have images as large as their step makes them: ${step}`, async () => {
      const program = `${LOOP}import torchvision.transforms as T\nimport albumentations as A\nsteps = ${step}\n`;
      const run = await runOf({ 'run.sh': sh('python train.py --bs 2'), 'train.py': program });
      assert.deepEqual(run.quantities.imageSize.value, size);
    });
  }

  it('have no framework’s defaults though their options have its names', async () => {
    const program = `${LOOP.replace('"--bs"', '"--per_device_train_batch_size"').replaceAll('args.bs', 'args.per_device_train_batch_size')}
parser.add_argument("--model_name_or_path")
parser.add_argument("--output_dir")
`;
    const flags =
      '--model_name_or_path Qwen/Qwen2.5-1.5B --per_device_train_batch_size 2 --lr 1e-5 --output_dir o';
    const run = await runOf({ 'run.sh': sh(`python train.py ${flags}`), 'train.py': program });
    assert.deepEqual([run.framework.id, run.quantities.microBatchSize.value], [null, 2]);
  });

  it('do not say the method where their text has words that change it', async () => {
    for (const line of ['model = get_peft_model(model, config)', 'model.base.requires_grad_(False)']) {
      const files = { 'run.sh': sh('python train.py'), 'train.py': `${LOOP}${line}\n` };
      const { method } = (await runOf(files)).quantities;
      assert.equal(method.value, null, line);
    }
  });

  it('do not say the batch where a variable gives it under another name', async () => {
    const line = 'python train.py --bs 2 --micro-batch-size $1';
    const { microBatchSize } = (await runOf({ 'run.sh': sh(line), 'train.py': LOOP })).quantities;
    assert.equal(microBatchSize.value, null);
  });

  it('do not say how the model is shared, nor the accumulation, where DeepSpeed runs it', async () => {
    const program = `${LOOP}model = deepspeed.initialize(model)\n`;
    const run = await runOf({ 'run.sh': sh('python train.py'), 'train.py': program });
    const { zeroStage, gradAccum, method } = run.quantities;
    assert.deepEqual([zeroStage.origin.kind, gradAccum.value, method.value], ['unresolved', null, 'full']);
  });

  it('have the model of the option that names it where a function of another file makes it', async () => {
    const program = `${IMPORTS}from transformers import Trainer
import argparse
p = argparse.ArgumentParser()
p.add_argument('--model', type=str)
args = p.parse_args()
model = load_model(args.model)
config = TrainingArguments(output_dir='o', per_device_train_batch_size=2)
Trainer(model=model, args=config).train()
`;
    const run = await runOf({ 'run.sh': sh('python train.py --model Qwen/Qwen3-4B'), 'train.py': program });
    const { model, microBatchSize, method } = run.quantities;
    assert.deepEqual([model.value, microBatchSize.value, method.value], ['Qwen/Qwen3-4B', 2, null]);
  });
});

describe('configs of strangers', () => {
  it('are composed by Hydra’s list also where a framework’s arguments tell their dialect', async () => {
    const { runs } = await read(
      {
        'conf/sft.yaml': `defaults:
  - _self_
  - model: qwen
training_arguments:
  per_device_train_batch_size: 4
  gradient_accumulation_steps: 8
  learning_rate: 2e-4
  output_dir: out
  max_length: 512
  bf16: true
`,
        'conf/model/qwen.yaml': 'model_name_or_path: Qwen/Qwen3-0.6B\nlora: {r: 8, lora_alpha: 16}\n',
      },
      'conf/sft.yaml',
    );
    const { model, lora, microBatchSize } = runs[0]?.quantities ?? {};
    assert.deepEqual([model?.value, lora?.value?.r, microBatchSize?.value], ['Qwen/Qwen3-0.6B', 8, 4]);
  });

  it('train pairs where they have beta and the length of prompts, and perhaps adapters of a file', async () => {
    const { runs } = await read({
      'dpo.yaml': `model_name: Qwen/Qwen2.5-0.5B-Instruct
sft_adapter_path: outputs/sft
batch_size: 1
learning_rate: 5.0e-5
num_epochs: 1
max_length: 256
max_prompt_length: 128
beta: 0.1
`,
    });
    const { task, method } = runs[0]?.quantities ?? {};
    assert.deepEqual([task?.value, method?.value], ['dpo', null]);
  });
});
