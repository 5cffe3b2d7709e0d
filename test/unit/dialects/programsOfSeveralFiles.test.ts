import assert from 'node:assert/strict';
import { couldBeRead } from '../../../src/core/dialects/couldBe';
import type { Quantities } from '../../../src/core/spec/runSpec';
import { read } from './support';

const MAIN = `import argparse
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM
from parts import prepared, rows

def main():
    p = argparse.ArgumentParser()
    p.add_argument('--model', default='Qwen/Qwen2.5-1.5B')
    p.add_argument('--rank', type=int, default=16)
    p.add_argument('--batch_size', type=int, default=4)
    p.add_argument('--lr', type=float, default=1e-4)
    args = p.parse_args()
    model = DDP(prepared(AutoModelForCausalLM.from_pretrained(args.model), args.rank))
    for batch in DataLoader(rows(), batch_size=args.batch_size):
        model(**batch).loss.backward()

main()
`;
const ROWS = 'def rows():\n    return []\n';
const LORA = `from peft import LoraConfig, get_peft_model
${ROWS}
def prepared(model, rank):
    return get_peft_model(model, LoraConfig(r=rank, lora_alpha=32, target_modules=["q_proj"]))
`;

async function quantitiesOf(files: Readonly<Record<string, string>>): Promise<Quantities> {
  const script = '#!/bin/bash\ntorchrun --nproc_per_node=4 train.py --batch_size 8\n';
  const { runs } = await read({ 'run.sh': script, ...files }, 'run.sh');
  const [run, ...others] = runs;
  assert.ok(run && others.length === 0, `${runs.length} runs`);
  return run.quantities;
}

describe('a loop of one’s own in several files', () => {
  it('trains the adapters that a function of another file adds', async () => {
    const { method, lora, microBatchSize } = await quantitiesOf({ 'train.py': MAIN, 'parts.py': LORA });
    assert.deepEqual([method.value, lora.value?.r, microBatchSize.value], ['lora', 16, 8]);
  });

  it('does not train the whole model where another file’s function might freeze it', async () => {
    const parts = `${ROWS}\ndef prepared(model, rank):\n    freeze(model)\n    return model\n`;
    const { method } = await quantitiesOf({ 'train.py': MAIN, 'parts.py': parts });
    assert.equal(method.value, null);
  });

  it('shares nothing among GPUs unless a word of it says so, whatever it trains', async () => {
    const plain = await quantitiesOf({ 'train.py': MAIN, 'parts.py': LORA });
    assert.deepEqual([plain.zeroStage.origin.kind, plain.fsdp.origin.kind], ['derived', 'derived']);
    const sharded = await quantitiesOf({ 'train.py': MAIN.replaceAll('DDP', 'FSDP'), 'parts.py': LORA });
    assert.equal(sharded.fsdp.origin.kind, 'unresolved');
  });

  it('has the model that a class of another file loads', async () => {
    const trainer = `from transformers import AutoModelForCausalLM
class Trainer:
    def __init__(self, name):
        self.model = AutoModelForCausalLM.from_pretrained(name)
`;
    const main = `from torch.utils.data import DataLoader
from parts import Trainer
trainer = Trainer('Qwen/Qwen2.5-0.5B')
trainer.fit(DataLoader([], batch_size=2))
`;
    const { model } = await quantitiesOf({ 'train.py': main, 'parts.py': trainer });
    assert.equal(model.value, 'Qwen/Qwen2.5-0.5B');
  });
});

describe('a container with another entry point', () => {
  it('starts that, not the program of its image', async () => {
    const verl = `docker run --rm --gpus 2 -v /a:/b --entrypoint python3 vllm/vllm-openai:v0.9.0 \\
  -m verl.trainer.main_ppo actor_rollout_ref.model.path=Qwen/Qwen2.5-3B trainer.n_gpus_per_node=1 2>&1 | tee log`;
    const { runs } = await read({ 'run.sh': `#!/bin/bash\n${verl}\n` }, 'run.sh');
    assert.deepEqual([runs[0]?.dialect, runs[0]?.quantities.model.value], ['verl', 'Qwen/Qwen2.5-3B']);
  });
});

describe('the model of a stranger’s config', () => {
  it('is neither where the run goes nor the one that writes for it', async () => {
    const config = `policy_name: meta-llama/Llama-3.2-1B
training: { batch_size: 8, learning_rate: 2e-5, epochs: 1, hub_model_id: me/trained, max_length: 512 }
rollout: { model_name: me/trained-before, batch_size: 5 }
precision: bf16
`;
    const { runs } = await read({ 'config.yaml': config });
    assert.equal(runs[0]?.quantities.model.value, 'meta-llama/Llama-3.2-1B');
  });
});

describe('a program whose loop is in another file', () => {
  const LOOP = `import torch
from torch.utils.data import DataLoader

class Trainer:
    def __init__(self, config):
        self.config = config
        self.loader = DataLoader(rows(), batch_size=config.batch_size, shuffle=True)

    def fit(self, net):
        optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
        for x, y in self.loader:
            loss(net(x), y).backward()
            optimizer.step()
`;
  const OWN = `import argparse, torch
from loop import Trainer

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--batch_size', type=int, default=24)
    args = parser.parse_args()
    trainer = Trainer(args)
    trainer.fit(torch.nn.Linear(2, 2))

if __name__ == '__main__':
    main()
`;
  const batchOf = async (files: Readonly<Record<string, string>>, name: string) => {
    const { runs } = await read(files, name);
    return runs.map(({ quantities }) => quantities.microBatchSize.value);
  };

  it('is a run by its own options', async () => {
    assert.deepEqual(await batchOf({ 'main.py': OWN, 'loop.py': LOOP }, 'main.py'), [24]);
  });

  it('is one where a library’s trainer stands in the other file', async () => {
    const trainer = `from transformers import Trainer, TrainingArguments, AutoModelForCausalLM
def train_model(size):
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    args = TrainingArguments("out", per_device_train_batch_size=size)
    Trainer(model=model, args=args).train()
`;
    const own = 'from work import train_model\n\nif __name__ == "__main__":\n    train_model(6)\n';
    assert.deepEqual(await batchOf({ 'run.py': own, 'work.py': trainer }, 'run.py'), [6]);
  });

  it('is none where no file has a loop', async () => {
    const idle = LOOP.replace('loss(net(x), y).backward()', 'pass');
    assert.deepEqual(await batchOf({ 'main.py': OWN, 'loop.py': idle }, 'main.py'), []);
  });

  it('is turned away without parsing where it starts no training', () => {
    assert.equal(couldBeRead(OWN.replaceAll('fit(', 'save('), 'main.py'), false);
    assert.equal(couldBeRead(LOOP.replace('.backward(', '.item('), 'loop.py'), false);
  });
});

describe('options that a program hands to functions of other files', () => {
  const files = {
    'cli.py': `import argparse
from work import run

def main():
    p = argparse.ArgumentParser()
    p.add_argument('--do_train', action='store_true')
    p.add_argument('--model_name', default='bart')
    p.add_argument('--model_path', default='bart-base')
    p.add_argument('--train_batch_size', type=int, default=40)
    p.add_argument('--gradient_accumulation_steps', type=int, default=1)
    p.add_argument('--learning_rate', type=float, default=1e-5)
    p.add_argument('--num_train_epochs', type=float, default=3)
    args = p.parse_args()
    args.seed = 1
    run(args, None)

main()
`,
    'work.py': `from torch.optim import AdamW
from transformers import T5ForConditionalGeneration

def run(args, logger):
    if args.do_train:
        model = T5ForConditionalGeneration.from_pretrained(args.model_path)
        train(args, model, AdamW(model.parameters()))

def train(args, model, optimizer):
    for batch in []:
        model(batch).loss.backward()
        optimizer.step()
`,
  };
  const modelOf = async (flags: string) => {
    const line = `python cli.py --do_train ${flags} --train_batch_size 4 --gradient_accumulation_steps 8\n`;
    const { runs } = await read({ 'run.sh': `#!/bin/bash\n${line}`, ...files }, 'run.sh');
    return runs.map(({ dialect, quantities: { model, microBatchSize, gradAccum } }) => {
      return [dialect, model.value, microBatchSize.value, gradAccum.value];
    });
  };

  it('are known there, and tell what is loaded from what only labels it', async () => {
    const found = await modelOf(
      '--model_name t5 --model_path t5-base --learning_rate 2e-5 --num_train_epochs 40',
    );
    assert.deepEqual(found, [['generic', 't5-base', 4, 8]]);
  });

  it('count with their defaults', async () => {
    assert.deepEqual(await modelOf(''), [['generic', 'bart-base', 4, 8]]);
  });
});

/** What `train.py` says alone, among the files of its project. */
async function alone(files: Readonly<Record<string, string>>): Promise<Quantities | undefined> {
  const { runs } = await read(files, 'train.py');
  assert.ok(runs.length < 2, `${runs.length} runs`);
  return runs[0]?.quantities;
}

describe('a program whose loop is in another file', () => {
  it('trains by a method of a class that its own is derived from', async () => {
    const base = `from root import Root
class Base(Root):
    def run(self):
        for batch in self.loader:
            self.model(batch).backward()
            self.optimizer.step()
`;
    const files = {
      'train.py': `from torch.utils.data import DataLoader
from own import Trainer

def main():
    trainer = Trainer(DataLoader(rows(), batch_size=24, shuffle=True))
    trainer.run()

main()
`,
      'own.py':
        'from base import Base\nclass Trainer(Base):\n    def __init__(self, loader):\n        self.loader = loader\n',
      'base.py': base,
      'root.py': 'from own import Trainer\nclass Root(Trainer):\n    pass\n',
    };
    assert.equal((await alone(files))?.microBatchSize.value, 24);
    const idle = { ...files, 'base.py': base.replace('.backward()', '') };
    assert.equal(await alone(idle), undefined);
  });

  it('trains by the step of a model that is made by its name', async () => {
    const main = `import argparse
from data import create_dataset
from models import create_model

if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--batch_size', type=int, default=3)
    opt = parser.parse_args()
    dataset = create_dataset(opt, opt.batch_size)
    model = create_model(opt)
    model.setup(opt)
    for data in dataset:
        model.set_input(data)
        model.optimize_parameters()
`;
    const files = {
      'train.py': main,
      'models/__init__.py': `import importlib
def create_model(opt):
    return getattr(importlib.import_module('models.' + opt.model), 'Model')(opt)
`,
    };
    assert.equal((await alone(files))?.microBatchSize.value, 3);
    assert.equal(
      await alone({ ...files, 'train.py': main.replace('optimize_parameters', 'test') }),
      undefined,
    );
  });
});
