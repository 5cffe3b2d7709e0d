import assert from 'node:assert/strict';
import type { RunSpec } from '../../../src/core/spec/runSpec';
import { pythonRuns } from '../../../src/core/reading/program/runs';
import { read } from './support';

async function runOf(files: Readonly<Record<string, string>>): Promise<RunSpec> {
  const { runs } = await read(files, 'run.sh');
  const [run, ...others] = runs;
  assert.ok(run && others.length === 0, `${runs.length} runs`);
  return run;
}

const sh = (line: string): string => `#!/bin/bash\n${line}\n`;

const IMPORTS = `import torch
from peft import LoraConfig
from transformers import AutoModelForCausalLM, HfArgumentParser, TrainingArguments
from trl import SFTConfig, SFTTrainer
`;
const read4 = ({ quantities: { model, microBatchSize, seqLen, method } }: RunSpec) => [
  model.value,
  microBatchSize.value,
  seqLen.value,
  method.value,
];

const BODY = (values: { model: string; bs: string; len: string }): string => `
    model = AutoModelForCausalLM.from_pretrained(${values.model}, torch_dtype=torch.bfloat16)
    config = SFTConfig(output_dir="o", per_device_train_batch_size=${values.bs}, max_length=${values.len}, bf16=True)
    SFTTrainer(model=model, args=config).train()
`;

/** One program in the words of each library that reads flags; the command gives `--batch-size 8`. */
const LIBRARIES: Readonly<Record<string, string>> = {
  click: `${IMPORTS}import click

@click.command()
@click.option("--model-name", default="Qwen/Qwen2.5-7B", show_default=True)
@click.option("--batch-size", "bs", type=int, default=4)
@click.option("--max-len", default=2048)
def main(model_name, bs, max_len):
${BODY({ model: 'model_name', bs: 'bs', len: 'max_len' })}
main()
`,
  typer: `${IMPORTS}import typer
app = typer.Typer()

@app.command()
def main(model_name: str = "Qwen/Qwen2.5-7B", batch_size: int = typer.Option(4, help="b"), max_len: int = 2048):
${BODY({ model: 'model_name', bs: 'batch_size', len: 'max_len' })}
app()
`,
  absl: `${IMPORTS}from absl import app, flags
FLAGS = flags.FLAGS
flags.DEFINE_string("model_name", "Qwen/Qwen2.5-7B", "model")
flags.DEFINE_integer("batch_size", 4, "batch")
_LEN = flags.DEFINE_integer("max_len", 2048, "length")

def main(_):
${BODY({ model: 'FLAGS.model_name', bs: 'FLAGS.batch_size', len: '_LEN.value' })}
app.run(main)
`,
};

describe('flags of a program of one’s own', () => {
  for (const [library, program] of Object.entries(LIBRARIES)) {
    it(`are read where ${library} states them`, async () => {
      const files = { 'run.sh': sh('python train.py --batch-size 8'), 'train.py': program };
      assert.deepEqual(read4(await runOf(files)), ['Qwen/Qwen2.5-7B', 8, 2048, 'full']);
    });
  }
});

const HYDRA = `${IMPORTS}import hydra

@hydra.main(version_base=None, config_path="conf", config_name="sft")
def main(cfg):
${BODY({ model: 'cfg.model.name', bs: 'int(cfg.train.batch)', len: 'cfg.data.max_length' })}
main()
`;
const CONF = {
  'conf/sft.yaml':
    'defaults:\n  - model: small\n  - _self_\ntrain:\n  batch: 2\ndata:\n  max_length: ${train.len}\n',
  'conf/model/small.yaml': 'name: Qwen/Qwen2.5-0.5B\n',
  'conf/model/large.yaml': 'name: Qwen/Qwen2.5-7B\n',
};

describe('programs that Hydra starts', () => {
  const files = { ...CONF, 'train.py': HYDRA };

  it('get the composed config, its references followed', async () => {
    const run = await runOf({ ...files, 'run.sh': sh('python train.py +train.len=512') });
    assert.deepEqual(read4(run), ['Qwen/Qwen2.5-0.5B', 2, 512, 'full']);
  });

  it('get the groups and values that the command chooses', async () => {
    const line = 'python train.py model=large train.batch=8 +train.len=1024';
    assert.deepEqual(read4(await runOf({ ...files, 'run.sh': sh(line) })), [
      'Qwen/Qwen2.5-7B',
      8,
      1024,
      'full',
    ]);
  });

  it('are read without a command', async () => {
    const { runs } = await read(files, 'train.py');
    const [run] = runs;
    assert.ok(run);
    assert.deepEqual(read4(run), ['Qwen/Qwen2.5-0.5B', 2, null, 'full']);
  });

  it('have the fields of the class that they register where there is no file', async () => {
    const program = `${IMPORTS}import hydra
from dataclasses import dataclass, field
from hydra.core.config_store import ConfigStore

@dataclass
class Train:
    batch: int = 2

@dataclass
class Config:
    model: str = "Qwen/Qwen2.5-7B"
    length: int = 512
    train: Train = field(default_factory=Train)

ConfigStore.instance().store(name="config", node=Config)

@hydra.main(version_base=None, config_name="config")
def main(cfg):
${BODY({ model: 'cfg.model', bs: 'cfg.train.batch', len: 'cfg.length' })}
main()
`;
    const of = async (flags: string) =>
      read4(await runOf({ 'run.sh': sh(`python train.py ${flags}`), 'train.py': program }));
    assert.deepEqual(await of('length=1024'), ['Qwen/Qwen2.5-7B', 2, 1024, 'full']);
    // What an override of a section makes of the class is not known.
    const files = { 'run.sh': sh('python train.py train.batch=8'), 'train.py': program };
    assert.deepEqual((await read(files, 'run.sh')).runs, []);
  });

  it('with a loop of their own have its calls beneath their config', async () => {
    const loop = `import hydra
import torch
from transformers import AutoModelForCausalLM

@hydra.main(config_path="conf", config_name="loop")
def main(cfg):
    model = AutoModelForCausalLM.from_pretrained(cfg.policy.model_id, torch_dtype=torch.bfloat16)
    model.gradient_checkpointing_enable()
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.optimizer.lr)
    for batch in batches(cfg.train.micro_batch_size):
        model(**batch).loss.backward()
main()
`;
    const conf =
      'policy:\n  model_id: Qwen/Qwen2.5-Math-1.5B\n  dtype: bfloat16\ntrain:\n  micro_batch_size: 8\n' +
      '  gradient_accumulation_steps: 4\noptimizer:\n  lr: 2e-5\ndata:\n  max_length: 1024\n';
    const run = await runOf({
      'run.sh': sh('uv run code/train_sft.py train.micro_batch_size=2 \\'),
      'code/train_sft.py': loop,
      'code/conf/loop.yaml': conf,
    });
    assert.deepEqual(read4(run), ['Qwen/Qwen2.5-Math-1.5B', 2, 1024, 'full']);
    assert.equal(run.quantities.gradientCheckpointing.value, true);
  });
});

describe('accelerate’s launcher', () => {
  const script =
    'train.py --model_name_or_path Qwen/Qwen2.5-7B --per_device_train_batch_size 2 --gradient_accumulation_steps 4 --num_train_epochs 1 --output_dir o';
  const launched = async (flags: string) => {
    const run = await runOf({ 'run.sh': sh(`accelerate launch ${flags} ${script}`) });
    const { precision, gpus } = run.quantities;
    return [precision.value, gpus.value];
  };

  it('gives a Trainer its precision, unless the script has one', async () => {
    assert.deepEqual(await launched('--num_processes=4 --mixed_precision bf16'), ['bf16-mixed', 4]);
    assert.deepEqual(await launched('--num_processes 4'), ['fp32', 4]);
  });

  it('counts the processes of all machines, whatever its file says', async () => {
    assert.deepEqual(await launched('--config_file missing.yaml --num_processes 8'), ['fp32', 8]);
  });

  it('shares a run as its flags say, like a file of it', async () => {
    const shared = async (flags: string) => {
      const { quantities } = await runOf({ 'run.sh': sh(`accelerate launch ${flags} ${script}`) });
      const { zeroStage, fsdp, offload, gpus } = quantities;
      return [zeroStage.value, fsdp.value?.strategy ?? null, offload.value?.optimizer ?? null, gpus.value];
    };
    const zero = '--num_processes 4 --use_deepspeed --zero_stage 3 --offload_optimizer_device cpu';
    assert.deepEqual(await shared(zero), [3, null, 'cpu', 4]);
    const fsdp = '--use_fsdp --fsdp_sharding_strategy SHARD_GRAD_OP --num_processes=8';
    assert.deepEqual(await shared(fsdp), [null, 'SHARD_GRAD_OP', 'none', 8]);
    assert.deepEqual(await shared('--multi_gpu --num_processes 2'), [null, null, null, 2]);
  });
});

it('LoRA on what a function finds in the model is on all linear layers', async () => {
  const program = `${IMPORTS}
def find_all_linear_names(model):
    names = set()
    for name, module in model.named_modules():
        if isinstance(module, torch.nn.Linear):
            names.add(name.split(".")[-1])
    return list(names)

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B")
lora = LoraConfig(r=16, target_modules=find_all_linear_names(model))
SFTTrainer(model=model, args=SFTConfig(output_dir="o", max_length=512), peft_config=lora).train()
`;
  const { runs } = await read({ 'train.py': program });
  assert.deepEqual(runs[0]?.quantities.lora.value?.targets, 'all-linear');
});

it('adapters keep their rank where the program finds the modules itself', async () => {
  const trainer = `${IMPORTS}
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B")
lora = LoraConfig(r=16, lora_alpha=32, target_modules=modules_of(model, "mlp"))
SFTTrainer(model=model, args=SFTConfig(output_dir="o", max_length=512), peft_config=lora).train()
`;
  const { runs } = await read({ 'train.py': trainer });
  const { r, alpha, targets } = runs[0]?.quantities.lora.value ?? {};
  assert.deepEqual([r, alpha, targets], [16, 32, 'unknown']);
});

describe('flags that choose one of several trainers', () => {
  const program = (start: string): string => `import argparse
from transformers import AutoModelForCausalLM
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer
def preferred(args):
    DPOTrainer(AutoModelForCausalLM.from_pretrained(args.model), args=DPOConfig(per_device_train_batch_size=2)).train()
def supervised(args):
    SFTTrainer(AutoModelForCausalLM.from_pretrained(args.model), args=SFTConfig(per_device_train_batch_size=4)).train()
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dpo", action="store_true")
    parser.add_argument("--model", default="Qwen/Qwen2.5-0.5B")
    args = parser.parse_args()
${start}
main()
`;
  const branches = program('    if args.dpo:\n        preferred(args)\n    else:\n        supervised(args)');
  const tasks = async (line: string, text: string): Promise<readonly unknown[]> => {
    const { runs } = await read({ 'run.sh': sh(line), 'train.py': text }, 'run.sh');
    return runs.map(({ quantities: { task, microBatchSize } }) => [task.value, microBatchSize.value]);
  };

  it('by the function that they call', async () => {
    assert.deepEqual(await tasks('python train.py --dpo', branches), [['dpo', 2]]);
    assert.deepEqual(await tasks('python train.py', branches), [['sft', 4]]);
  });

  it('also where the program is opened by itself, unless they turn all off', () => {
    const names = (text: string) => pythonRuns('a.py', text).map(({ composition: { name } }) => name);
    assert.equal(names(branches).length, 1);
    assert.equal(names(program('    if args.dpo:\n        preferred(args)')).length, 2);
  });

  it('by a table that hands a function on', () => {
    const table =
      '    {"a": preferred}["a"](args)\n    if args.dpo:\n        preferred(args)\n    supervised(args)';
    assert.equal(pythonRuns('a.py', program(table)).length, 2);
  });
});

describe('A command whose first word is known only when it starts', () => {
  const text = LIBRARIES['click'] ?? '';
  const four = async (line: string) => read4(await runOf({ 'run.sh': sh(line), 'train.py': text }));
  const expected = ['Qwen/Qwen2.5-7B', 8, 2048, 'full'];

  for (const word of [
    '"$PY_BIN"',
    '$PYTHON',
    '${PYTHON:-$(which python3)}',
    'exec "$PY"',
    'srun $PYTHON -u',
  ]) {
    it(`starts the program behind it: ${word}`, async () => {
      assert.deepEqual(await four(`${word} train.py --batch-size 8`), expected);
    });
  }

  it('may be a launcher, unless its name is an interpreter’s', async () => {
    const divided = `${IMPORTS}import os, argparse
p = argparse.ArgumentParser()
p.add_argument("--batch-size", type=int)
args = p.parse_args()
world = int(os.environ.get("WORLD_SIZE", 1))
${BODY({ model: '"Qwen/Qwen2.5-7B"', bs: 'args.batch_size // world', len: '512' }).replaceAll('\n    ', '\n')}`;
    const batches = async (word: string) => {
      const { runs } = await read(
        { 'run.sh': sh(`${word} train.py --batch-size 8`), 'train.py': divided },
        'run.sh',
      );
      return runs.map(({ quantities }) => quantities.microBatchSize.value);
    };
    assert.deepEqual(await batches('$PYTHON'), await batches('python'));
    for (const word of ['$RUN', 'torchrun $MORE']) assert.ok(!(await batches(word)).includes(8), word);
  });

  it('has flags that are open where the word stands behind the program', async () => {
    const { runs } = await read(
      { 'run.sh': sh('python train.py --batch-size 8 $MORE'), 'train.py': text },
      'run.sh',
    );
    assert.notDeepEqual(runs.map(read4), [expected]);
  });
});

describe('A placeholder of several words', () => {
  const line = 'python train.py --model-name <your model path> --batch-size 8 --max-len 512';

  it('is one value, which is unknown', async () => {
    const run = await runOf({ 'run.sh': sh(line), 'train.py': LIBRARIES['click'] ?? '' });
    assert.deepEqual(read4(run), [null, 8, 512, 'full']);
  });

  it('is none where a file is read and another one written', async () => {
    const run = await runOf({
      'run.sh': sh('python train.py --batch-size 8 <in.txt >out.txt'),
      'train.py': LIBRARIES['click'] ?? '',
    });
    assert.deepEqual(read4(run), ['Qwen/Qwen2.5-7B', 8, 2048, 'full']);
  });
});

describe('a program with options that a command starts', () => {
  it('keeps what it loads itself, under whatever name its library takes it', async () => {
    const program = `import argparse
from unsloth import FastLanguageModel
from trl import SFTConfig, SFTTrainer
parser = argparse.ArgumentParser()
parser.add_argument("--model", default="x")
args = parser.parse_args()
model, tokenizer = FastLanguageModel.from_pretrained(model_name="unsloth/Qwen2.5-7B", load_in_4bit=True)
model = FastLanguageModel.get_peft_model(model, r=16)
SFTTrainer(model=model, args=SFTConfig(output_dir="o")).train()
`;
    const { quantities } = await runOf({ 'run.sh': sh('python a.py --model y'), 'a.py': program });
    const { model, method, quantization } = quantities;
    assert.deepEqual(
      [model.value, method.value, quantization.value?.bits],
      ['unsloth/Qwen2.5-7B', 'qlora', 4],
    );
  });

  it('has no model where a variable is empty', async () => {
    const serve = 'MODEL="${MODEL:-}"\nvllm serve --model "$MODEL" --max-model-len 8192';
    const { quantities } = await runOf({ 'run.sh': sh(serve) });
    assert.deepEqual([quantities.model.value, quantities.seqLen.value], [null, 8192]);
  });
});

it('a class of one’s own may put adapters into the model that a trainer gets', async () => {
  const program = (loads: string): string => `${IMPORTS}
from transformers import Trainer
from peft import get_peft_model
class Scorer(torch.nn.Module):
    def __init__(self, name):
        super().__init__()
        self.backbone = ${loads}
Trainer(model=Scorer("a/b"), args=TrainingArguments("o", per_device_train_batch_size=2)).train()
`;
  const loaded = 'get_peft_model(AutoModelForCausalLM.from_pretrained(name), LoraConfig(r=8))';
  const { runs } = await read({ 'train.py': program(loaded) });
  const { method, microBatchSize } = runs[0]?.quantities ?? {};
  assert.deepEqual([method?.value, microBatchSize?.value], [null, 2]);
});
