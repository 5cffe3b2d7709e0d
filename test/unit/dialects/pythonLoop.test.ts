import assert from 'node:assert/strict';
import type { RunSpec } from '../../../src/core/spec/runSpec';
import { notebookOf } from '../python/support';
import { read } from './support';

const LOOP = `import torch
from peft import LoraConfig, get_peft_model
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer

BATCH_SIZE = 4
ACCUMULATION_STEPS = 8
name = "Qwen/Qwen2.5-0.5B"
tokenizer = AutoTokenizer.from_pretrained(name)
model = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.bfloat16)
model = get_peft_model(model, LoraConfig(r=8, target_modules=["q_proj"]))
train_loader = DataLoader(rows, batch_size=BATCH_SIZE, shuffle=True)
val_loader = DataLoader(rows, batch_size=1)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)

def encode(text):
    return tokenizer(text, max_length=512, padding="max_length", truncation=True)

for step, batch in enumerate(train_loader):
    loss = model(**batch).loss / ACCUMULATION_STEPS
    loss.backward()
    if (step + 1) % ACCUMULATION_STEPS == 0:
        optimizer.step()
`;

async function runOf(text: string, name = 'train.py'): Promise<RunSpec> {
  const { runs } = await read({ [name]: text }, name);
  const [run, ...others] = runs;
  assert.ok(run && others.length === 0, `${runs.length} runs`);
  return run;
}

const told = ({ quantities: { model, microBatchSize, gradAccum, seqLen, lora } }: RunSpec) => [
  model.value,
  microBatchSize.value,
  gradAccum.value,
  seqLen.value,
  lora.value?.r,
];

describe('a loop of one’s own', () => {
  it('computes in what autocast is switched to on a GPU, and in fp32 where nothing says otherwise', async () => {
    const own = LOOP.replace('from transformers import AutoModelForCausalLM, AutoTokenizer\n', '')
      .replace(
        'tokenizer = AutoTokenizer.from_pretrained(name)\n',
        'tokenizer = GPT2Tokenizer.from_pretrained(name)\n',
      )
      .replace(/model = .*\nmodel = .*\n/, 'model = Net()\n')
      .replace('from peft import LoraConfig, get_peft_model\n', '');
    const silent = (await runOf(own)).quantities.precision;
    assert.deepEqual([silent.value, silent.origin.kind], ['fp32', 'derived']);
    const device =
      'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\nuse_amp = device.type == "cuda"\n';
    const mixed = own
      .replace('for step', `${device}for step`)
      .replace(
        '    loss = model',
        '    with torch.autocast("cuda", enabled=use_amp, dtype=torch.bfloat16):\n        loss = model',
      );
    assert.equal((await runOf(mixed)).quantities.precision.value, 'bf16-mixed');
    const unknown = mixed.replace('device.type == "cuda"', 'asked()');
    assert.equal((await runOf(unknown)).quantities.precision.value, null);
  });

  it('has the adapters of the LoraConfig that it uses', async () => {
    const unused = 'defaults = LoraConfig(r=64, target_modules=["q_proj"])\n';
    const own = await runOf(LOOP.replace('BATCH_SIZE = 4\n', `BATCH_SIZE = 4\n${unused}`));
    assert.deepEqual(told(own).at(-1), 8);
    // A function of the project's own puts its layers into the model.
    const without = LOOP.replace(', get_peft_model', '').replace(
      'model = get_peft_model(model, LoraConfig(r=8, target_modules=["q_proj"]))\n',
      `${unused}inject_lora(model, defaults)\n`,
    );
    const { method, lora } = (await runOf(without)).quantities;
    assert.deepEqual([method.value, lora.value], [null, null]);
  });

  it('trains the model that it loads, however it takes its rows', async () => {
    const own = LOOP.replace('BATCH_SIZE = 4\n', '')
      .replace(', batch_size=BATCH_SIZE', '')
      .replace('val_loader = DataLoader(rows, batch_size=1)\n', '');
    assert.deepEqual(told(await runOf(own)), ['Qwen/Qwen2.5-0.5B', null, 8, 512, 8]);
    const [head = '', loop = ''] = own.split('for step,');
    const lines = `for step,${loop}`
      .trimEnd()
      .split('\n')
      .map(line => `    ${line}`);
    const inFunction = `${head}def train():\n${lines.join('\n')}\n`;
    assert.deepEqual((await read({ 'train.py': inFunction }, 'train.py')).runs, []);
    assert.equal(told(await runOf(`${inFunction}train()\n`))[0], 'Qwen/Qwen2.5-0.5B');
    const trains = inFunction.replace('DataLoader(rows,', 'DataLoader(rows, batch_size=4,');
    assert.equal((await read({ 'loop.py': trains }, 'loop.py')).runs.length, 1);
    assert.deepEqual((await read({ 'tests/test_loop.py': trains }, 'tests/test_loop.py')).runs, []);
    const test = `from transformers import Trainer, TrainingArguments, AutoModelForCausalLM
class TestTrainer:
    def test_step(self):
        model = AutoModelForCausalLM.from_pretrained("gpt2")
        Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=4)).train()
`;
    assert.equal((await read({ 'steps.py': test }, 'steps.py')).runs.length, 1);
    assert.deepEqual((await read({ 'steps_test.py': test }, 'steps_test.py')).runs, []);
  });

  it('has the precision of its policy of FSDP and of autocast', async () => {
    const model = 'model = get_peft_model(model, LoraConfig(r=8, target_modules=["q_proj"]))';
    const own = LOOP.replace(', torch_dtype=torch.bfloat16', '');
    const precisions = [
      ['FSDP(model, mixed_precision=MixedPrecision(param_dtype=torch.bfloat16))', 'bf16-mixed'],
      ['FSDP(model, mixed_precision=MixedPrecision(torch.float16))', 'fp16-mixed'],
      ['fully_shard(model, mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16))', 'bf16-mixed'],
    ] as const;
    for (const [policy, precision] of precisions) {
      const text = `from torch.distributed.fsdp import *\n${own.replace(model, `model = ${policy}`)}`;
      assert.equal((await runOf(text)).quantities.precision.value, precision, policy);
    }
    const loss = '    loss = model(**batch).loss / ACCUMULATION_STEPS\n';
    const inside = `    with torch.autocast("cuda", dtype=torch.bfloat16):\n    ${loss}`;
    assert.equal((await runOf(own.replace(loss, inside))).quantities.precision.value, 'bf16-mixed');
    const autocasts = [
      ['torch.autocast("cuda")', 'fp16-mixed'],
      ['torch.cuda.amp.autocast(enabled=False)', null],
      ['torch.autocast("cuda", dtype=torch.bfloat16, enabled=usesHalf())', null],
    ] as const;
    for (const [cast, precision] of autocasts) {
      const text = own.replace(loss, `    with ${cast}:\n    ${loss}`);
      assert.equal((await runOf(text)).quantities.precision.value, precision, cast);
    }
  });

  it('has the optimizer of each turn of a loop over folds', async () => {
    const [head = '', optimizer = ''] = /^optimizer = .*$/m.exec(LOOP) ?? [];
    assert.equal(optimizer, '');
    const text = LOOP.replace(
      head,
      `for fold in range(folds()):\n    optimizer = torch.optim.NAdam(model.parameters(), lr=1e-4)`,
    );
    assert.equal((await runOf(text)).quantities.optimizer.value, 'NAdam');
  });

  it('is a run by what its calls and its constants say', async () => {
    assert.deepEqual(told(await runOf(LOOP)), ['Qwen/Qwen2.5-0.5B', 4, 8, 512, 8]);
  });

  it('is one in a notebook, too', async () => {
    const cells = LOOP.split(/(?=name = |for step)/);
    assert.deepEqual(told(await runOf(notebookOf(cells), 'a.ipynb')), ['Qwen/Qwen2.5-0.5B', 4, 8, 512, 8]);
  });

  it('has settings in a class, and a network by its name', async () => {
    const text = `import timm, torch
class CFG:
    batch_size = 32
    image_size = 288
    accumulation_steps = 2
model = timm.create_model("resnet50", pretrained=True)
loader = DataLoader(rows, CFG.batch_size, shuffle=True)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in loader:
    loss(model(x), y).backward()
    optimizer.step()
`;
    const { quantities } = await runOf(text);
    const { model, microBatchSize, imageSize, gradAccum } = quantities;
    assert.deepEqual(
      [model.value, microBatchSize.value, imageSize.value, gradAccum.value],
      ['resnet50', 32, [288, 288], 2],
    );
  });

  it('states nothing where its loaders differ', async () => {
    const text = LOOP.replace(
      'train_loader = Data',
      'more = DataLoader(rows, batch_size=6, shuffle=True)\ntrain_loader = Data',
    );
    const { runs } = await read({ 'train.py': text }, 'train.py');
    assert.ok(runs.every(({ quantities }) => quantities.microBatchSize.value === null));
  });

  it('is none of a library whose function has one row as one of its cases', async () => {
    const library = `import torch
class Pipeline:
    def guide(self, rows):
        batch_size = 1 if isinstance(rows, str) else len(rows)
        if isinstance(rows, str):
            batch_size = 1
        optimizer = torch.optim.SGD([self.latents], lr=0.1)
        self.loss(batch_size).backward()
        optimizer.step()
`;
    assert.deepEqual((await read({ 'pipeline.py': library }, 'pipeline.py')).runs, []);
  });

  it('is none without a step of an optimizer', async () => {
    const { runs } = await read({ 'a.py': LOOP.replaceAll('optimizer.step()', 'pass') }, 'a.py');
    assert.deepEqual(runs, []);
  });

  it('says where the call stands that takes its batch', async () => {
    const { origin } = (await runOf(LOOP)).quantities.microBatchSize;
    assert.equal(origin.kind === 'file' && origin.at.line, 12);
  });
});

describe('an option of a program with a loop', () => {
  it('is no model if the program makes its folder', async () => {
    const loop = (made: string): string =>
      `import argparse, os, torch
p = argparse.ArgumentParser()
p.add_argument("--model_path", default="./model")
p.add_argument("--batch_size", type=int, default=128)
args = p.parse_args()
${made}
optimizer = torch.optim.AdamW(net.parameters())
for batch in torch.utils.data.DataLoader(rows, batch_size=args.batch_size, shuffle=True):
    net(batch).backward()
    optimizer.step()
`;
    const made = await runOf(loop('os.makedirs(f"{args.model_path}/run", exist_ok=True)'));
    assert.deepEqual([made.quantities.model.value, made.quantities.microBatchSize.value], [null, 128]);
    assert.equal((await runOf(loop(''))).quantities.model.value, './model');
  });
});

describe('arguments that only the program knows', () => {
  const program = (lora: string, trainer: string, length = ''): string => `from peft import LoraConfig
from trl import SFTConfig, SFTTrainer
import settings
trainer = SFTTrainer(model="gpt2", args=SFTConfig("out", per_device_train_batch_size=2${length}),
    peft_config=LoraConfig(${lora}), ${trainer})
trainer.train()
`;

  it('are not the library’s defaults', async () => {
    const { lora } = (await runOf(program('**settings.lora()', ''))).quantities;
    assert.equal(lora.value?.r ?? null, null);
  });

  it('leave what is stated', async () => {
    const text = program('r=4, **settings.lora()', '**settings.more()', ', max_length=256');
    const { lora, microBatchSize, seqLen } = (await runOf(text)).quantities;
    assert.deepEqual([lora.value?.r, microBatchSize.value, seqLen.value], [4, 2, 256]);
  });

  it('runs behind a switch that asks for training, which only a command gives', async () => {
    const [head = '', loop = ''] = LOOP.split('for step,');
    const body = `for step,${loop}`.trimEnd().replaceAll('\n', '\n    ');
    const program = (given: string): string => `import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--train", default=False, action="store_true")
parser.add_argument("--plot", action="store_true")
args = parser.parse_args()
${head}if args.${given}:
    ${body}
`;
    assert.equal(told(await runOf(program('train')))[1], 4);
    assert.deepEqual((await read({ 'train.py': program('plot') }, 'train.py')).runs, []);
  });
});

describe('the GPUs of a loop of one’s own', () => {
  const shared = LOOP.replace(
    'train_loader =',
    'model = torch.nn.DataParallel(model, device_ids=[0, 1])\ntrain_loader =',
  )
    .replace('ACCUMULATION_STEPS = 8\n', '')
    .replace(' / ACCUMULATION_STEPS', '')
    .replace(
      '    if (step + 1) % ACCUMULATION_STEPS == 0:\n        optimizer.step()',
      '    optimizer.step()',
    );

  it('divide its batch where it says DataParallel', async () => {
    const { microBatchSize, gpus, globalBatchSize } = (await runOf(shared)).quantities;
    assert.deepEqual([microBatchSize.value, gpus.value, globalBatchSize.value], [2, 2, 4]);
    const perhaps = shared
      .replace('model = torch.nn', 'if torch.cuda.device_count() > 1:\n    model = torch.nn')
      .replace(', device_ids=[0, 1]', '');
    const { quantities } = await runOf(perhaps);
    assert.deepEqual([quantities.microBatchSize.value, quantities.globalBatchSize.value], [null, 4]);
    assert.equal(
      (await runOf(shared.replace('DataParallel(', 'parallel.DistributedDataParallel('))).quantities
        .microBatchSize.value,
      4,
    );
  });

  it('are those that it makes visible to itself, if it shares its work', async () => {
    const set = (ids: string): string => `import os\nos.environ["CUDA_VISIBLE_DEVICES"] = "${ids}"\n`;
    assert.equal((await runOf(set('1') + LOOP)).quantities.gpus.value, 1);
    assert.equal((await runOf(set('0,1') + LOOP)).quantities.gpus.value, null);
    const both = set('0,1') + shared.replace(', device_ids=[0, 1]', '');
    assert.deepEqual(told(await runOf(both))[1], 2);
  });
});
