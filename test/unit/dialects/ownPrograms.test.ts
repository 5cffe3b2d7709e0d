import assert from 'node:assert/strict';
import type { RunSpec } from '../../../src/core/spec/runSpec';
import { read } from './support';

async function quantitiesOf(files: Readonly<Record<string, string>>): Promise<RunSpec['quantities']> {
  const { runs } = await read(files);
  const [run, ...others] = runs;
  assert.ok(run && others.length === 0, `${runs.length} runs`);
  return run.quantities;
}

const SFT = `from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-0.6B")
args = SFTConfig(output_dir="out", per_device_train_batch_size=4, KWARGS)
trainer = SFTTrainer(model=model, args=args)
trainer.train()
`;

describe('programs of people’s own', () => {
  it('are found in the folder that a script enters', async () => {
    const program = SFT.replace('KWARGS', 'max_length=512');
    for (const enters of ['cd code', '#SBATCH --container-workdir=/cluster/me/project/code']) {
      const { model, seqLen } = await quantitiesOf({
        'scripts/run.sh': `#!/bin/bash\n#SBATCH --gres=gpu:1\n${enters}\ntorchrun --nproc_per_node=1 tune.py\n`,
        'code/tune.py': program,
      });
      assert.deepEqual([model.value, seqLen.value], ['Qwen/Qwen3-0.6B', 512], enters);
    }
  });

  it('have an unknown length where they make the samples themselves', async () => {
    const own = SFT.replace('KWARGS', 'dataset_kwargs={"skip_prepare_dataset": True}');
    assert.equal((await quantitiesOf({ 'train.py': own })).seqLen.value, null);
  });

  it('have the length of a flag, whatever a call of a tokenizer says', async () => {
    const rows = `def rows(tokenizer):
    return tokenizer(load(), padding="max_length", truncation=True, max_length=128)
`;
    const imports = `from data import rows
from transformers import AutoModelForCausalLM, AutoTokenizer, HfArgumentParser, Trainer, TrainingArguments
`;
    const model = 'AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-0.6B")';
    const programs = [
      `(args,) = HfArgumentParser((TrainingArguments,)).parse_args_into_dataclasses()
model = ${model}
tokenizer = AutoTokenizer.from_pretrained("Qwen/Qwen3-0.6B")
Trainer(model=model, args=args, train_dataset=rows(tokenizer)).train()
`,
      // A trainer of one's own: only what the program calls is known.
      `def train():
    (args,) = HfArgumentParser((TrainingArguments,)).parse_args_into_dataclasses()
    tokenizer = AutoTokenizer.from_pretrained("Qwen/Qwen3-0.6B")
    OwnTrainer(Trainer, ${model}, args, rows(tokenizer)).train()

train()
`,
    ];
    for (const program of programs) {
      const { seqLen } = await quantitiesOf({
        'run.sh': '#!/bin/bash\ndeepspeed train.py --model_max_length 4096 --per_device_train_batch_size 1\n',
        'train.py': imports + program,
        'data.py': rows,
      });
      assert.equal(seqLen.value, 4096, program);
    }
  });

  it('have options that another file declares', async () => {
    const { gradAccum, microBatchSize } = await quantitiesOf({
      'run.sh': '#!/bin/bash\npython train.py --batch 2\n',
      'train.py': `from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
from options import parse_args

args = parse_args()
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-0.6B")
Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=args.batch,
    gradient_accumulation_steps=args.steps)).train()
`,
      'options.py': `import argparse

def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--steps", type=int, default=16)
    return parser.parse_args()
`,
    });
    assert.deepEqual([microBatchSize.value, gradAccum.value], [2, 16]);
  });

  it('know what a loop binds before it uses it', async () => {
    const { gradAccum } = await quantitiesOf({
      'train.py': `from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

def main():
    for seed in range(3):
        steps = 128 // 4
        model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-0.6B")
        Trainer(model=model, args=TrainingArguments("out", gradient_accumulation_steps=steps)).train()

main()
`,
    });
    assert.equal(gradAccum.value, 32);
  });

  it('get what Hydra adds to their config', async () => {
    const { model, microBatchSize, zeroStage } = await quantitiesOf({
      'run.sh':
        '#!/bin/bash\naccelerate launch --num_processes=2 --config_file zero1.yaml grpo.py --multirun +math=small\n',
      'zero1.yaml':
        'compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\ndeepspeed_config: {zero_stage: 1}\nmixed_precision: bf16\nnum_machines: 1\nnum_processes: 8\n',
      'conf/base.yaml': 'defaults:\n  - _self_\nexp_name: one\n',
      'conf/math/small.yaml':
        '# @package _global_\nmodel_name_or_path: Qwen/Qwen3-0.6B\nper_device_train_batch_size: 4\ngradient_accumulation_steps: 4\nmax_prompt_length: 512\nmax_completion_length: 1024\nnum_generations: 4\nbeta: 0.04\noutput_dir: out\nlearning_rate: 1.0e-6\n',
      'grpo.py': `import hydra
from transformers import HfArgumentParser
from trl import GRPOConfig
from own.trainer import GRPOTrainer

@hydra.main(config_path="conf", config_name="base")
def main(cfg):
    (args,) = HfArgumentParser((GRPOConfig,)).parse_dict(cfg, allow_extra_keys=True)
    GRPOTrainer(make_model(args), args=args).train()

main()
`,
    });
    assert.deepEqual([model.value, microBatchSize.value, zeroStage.value], ['Qwen/Qwen3-0.6B', 4, 1]);
  });
});

/** Flags of LLaMA-Factory, and those that transformers has, too. */
const FACTORY = `#!/bin/bash
python train.py --stage sft --finetuning_type lora --template qwen --dataset mine --do_train --bf16 \\
  --model_name_or_path Qwen/Qwen3-0.6B --per_device_train_batch_size 2 --gradient_accumulation_steps 8
`;

describe('programs with flags like a framework’s', () => {
  it('have that framework’s defaults only if they import it', async () => {
    const own = await quantitiesOf({
      'run.sh': FACTORY,
      'train.py': `from arguments import parse
from engine import Engine

def main():
    Engine(*parse()).run()

main()
`,
    });
    assert.deepEqual([own.model.value, own.microBatchSize.value], ['Qwen/Qwen3-0.6B', 2]);
    assert.deepEqual([own.seqLen.value, own.lora.value], [null, null]);
    const factory = await quantitiesOf({
      'run.sh': FACTORY,
      'train.py': 'from llamafactory.train.tuner import run_exp\n\nrun_exp()\n',
    });
    assert.deepEqual([factory.seqLen.value, factory.lora.value?.r], [2048, 8]);
  });

  it('have transformers’ defaults where they make its trainer of them', async () => {
    const own = await quantitiesOf({
      'run.sh': FACTORY,
      'train.py': `from transformers import HfArgumentParser, TrainingArguments
from tuning import MyArguments, MyTrainer

def main():
    parser = HfArgumentParser((MyArguments, TrainingArguments))
    own, args = parser.parse_args_into_dataclasses()
    MyTrainer(own, args).go()

main()
`,
    });
    assert.deepEqual([own.model.value, own.gradAccum.value], ['Qwen/Qwen3-0.6B', 8]);
    assert.deepEqual([own.seqLen.value, own.lora.value?.r ?? null, own.method.value], [null, null, 'lora']);
  });
});

describe('configs of people’s own programs', () => {
  const files = {
    'code/train.py': `import hydra

@hydra.main(config_path="conf", config_name="sft", version_base=None)
def main(config):
    from engine import Trainer
    Trainer(config).train()

main()
`,
    'code/conf/sft.yaml': `data: {path: null, max_length: null, batch_size: 128}
actor: {model_name: null, gradient_checkpointing: true, max_length_per_device: null, lr: 5e-6}
trainer: {n_epochs: 1, project: null}
`,
  };

  it('take what the command sets of what they leave open', async () => {
    const { model, seqLen, microBatchSize } = await quantitiesOf({
      'run.sh':
        '#!/bin/bash\ntorchrun --nproc_per_node=1 code/train.py data.max_length=1024 actor.model_name=Qwen/Qwen3-8B\n',
      ...files,
    });
    assert.deepEqual([model.value, seqLen.value, microBatchSize.value], ['Qwen/Qwen3-8B', 1024, 128]);
  });

  it('have no batch where samples are packed to the tokens of a GPU', async () => {
    const { microBatchSize, gradAccum } = await quantitiesOf({
      'run.sh':
        '#!/bin/bash\ntorchrun --nproc_per_node=4 code/train.py data.max_length=16384 actor.max_length_per_device=4096\n',
      ...files,
    });
    assert.deepEqual([microBatchSize.value, gradAccum.value], [null, null]);
  });
});

describe('options of a group of Hydra', () => {
  const files = {
    'train.py': `import hydra

@hydra.main(config_path="conf", config_name="config", version_base=None)
def main(cfg):
    from engine import fit
    fit(cfg)

main()
`,
    'conf/config.yaml':
      'defaults:\n  - model: gpt2_small\n  - _self_\nlr: 1e-4\nepochs: 10\nbatch_size: 32\n',
    'conf/model/gpt2_small.yaml': 'name: gpt2_small\nbase_model: openai-community/gpt2\nn_layer: 12\n',
    'conf/model/gpt2_own.yaml': 'name: gpt2_own\nn_layer: 12\nn_head: 12\n',
    'conf/model/vit.yaml': 'name: vit_base_patch16_224\nimage_size: 224\n',
  };
  const modelBy = async (flags: string): Promise<string | null> => {
    const run = `#!/bin/bash\npython train.py ${flags}\n`;
    return (await quantitiesOf({ 'run.sh': run, ...files })).model.value;
  };

  it('are no models: what they name is', async () => {
    assert.equal(await modelBy('batch_size=16'), 'openai-community/gpt2');
    assert.equal(await modelBy('model=vit'), 'vit_base_patch16_224');
  });

  it('that state sizes are models without a name', async () => {
    assert.equal(await modelBy('model=gpt2_own'), null);
  });

  it('are none in a list of one default', async () => {
    const config = 'defaults:\n  - model: resnet50_small\nlr: 1e-4\nepochs: 10\nbatch_size: 32\n';
    const { model } = await quantitiesOf({
      'conf/config.yaml': config,
      'conf/model/resnet50_small.yaml': 'width: 32\n',
    });
    assert.equal(model.value, null);
  });
});

describe('functions of a script of people’s own', () => {
  it('have the words of their call', async () => {
    const { model, microBatchSize, lora } = await quantitiesOf({
      'run.sh': `train() {
  python finetune.py --base_model=$1 --micro_batch_size $2 --lora_r 16 --cutoff_len 512 "\${3}"
}

train /models/llama-7b-hf 8 --bf16
`,
    });
    assert.deepEqual([model.value, microBatchSize.value, lora.value?.r], ['/models/llama-7b-hf', 8, 16]);
  });
});

describe('scripts of people’s own, where a value is missing', () => {
  it('name no model with a variable that is empty', async () => {
    const { runs } = await read({
      'run.sh':
        '#!/bin/bash\nMODEL=""\npython finetune.py --model_name_or_path $MODEL --data_path d.json --micro_batch_size 8 --lora_r 16 --cutoff_len 512\n',
    });
    assert.ok(runs.every(({ quantities }) => quantities.model.value === null));
  });

  it('train everything with a rank of 0', async () => {
    const { method } = await quantitiesOf({
      'train.yaml':
        'model_name: gpt2\nbatch_size: 8\nmax_length: 512\nlearning_rate: 1.0e-4\nepochs: 3\nlora: {rank: 0, alpha: 16}\n',
    });
    assert.equal(method.value, 'full');
  });

  describe('with a trainer that is not transformers’', () => {
    const loop = `import torch
from torch.utils.data import DataLoader
from net import Net

model = Net()
loader = DataLoader(rows, batch_size=24, shuffle=True)
optimizer = torch.optim.Adam(model.parameters())
for x in loader:
    model(x).backward()
    optimizer.step()
`;
    const started = async (program: string, files: Record<string, string> = {}) =>
      (await read({ 'run.sh': '#!/bin/bash\npython main.py\n', 'main.py': program, ...files }, 'run.sh'))
        .runs;

    it('are read, however few options they have', async () => {
      for (const other of [
        '',
        'from tokenizers.trainers import BpeTrainer\n',
        'class Trainer:\n    pass\n',
        'class Base(object):\n    pass\nclass BaseTrainer:\n    pass\nclass NetTrainer(BaseTrainer):\n    pass\n',
        'from lightning.pytorch import LightningModule, Trainer\n',
        'import pytorch_lightning as pl\nmake = pl.Trainer\n',
      ]) {
        const [run] = await started(other + loop);
        assert.equal(run?.quantities.microBatchSize.value, 24, other);
      }
    });

    it('have none of its defaults', async () => {
      const program = `from lightning.pytorch import Trainer
from parts import Data, Net

trainer: Trainer = make(config.trainer)
trainer.fit(Net(), Data())
`;
      const parts =
        'import torch\nclass Net:\n    def configure_optimizers(self):\n        return torch.optim.AdamW(self.parameters(), lr=1e-4)\n';
      assert.deepEqual(await started(program, { 'parts.py': parts }), []);
    });

    it('are a library’s if they are derived from it', async () => {
      const derived = 'from transformers import Trainer\nclass OwnTrainer(Trainer):\n    pass\n';
      assert.deepEqual(await started(derived + loop), []);
    });
  });

  it('train with a config of few keys if their loop says that they train', async () => {
    const program = `import argparse, yaml, torch
from torch.utils.data import DataLoader
from net import Net

def main(path):
    config = yaml.safe_load(open(path))
    part = config["training"]
    model = Net(config["model"])
    optimizer = model.setup_optimizers()
    for x in DataLoader(rows, batch_size=part["batch_size"]):
        model(x).backward()
        optimizer.step()

parser = argparse.ArgumentParser()
parser.add_argument("--config")
main(parser.parse_args().config)
`;
    const files = {
      'run.sh': '#!/bin/bash\npython train.py --config net.yaml\n',
      'train.py': program,
      'net.yaml': 'model: { sequence_len: 512, n_embd: 64 }\ntraining: { batch_size: 16, steps: 50000 }\n',
    };
    assert.equal((await read(files, 'run.sh')).runs[0]?.quantities.microBatchSize.value, 16);
    const idle = { ...files, 'train.py': program.replace('.backward()', '') };
    assert.deepEqual((await read(idle, 'run.sh')).runs, []);
  });
});
