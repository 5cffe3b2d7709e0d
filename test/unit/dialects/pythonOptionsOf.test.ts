import assert from 'node:assert/strict';
import { read } from './support';

const LOOP = `
    model = AutoModelForCausalLM.from_pretrained(MODEL)
    rows = data.map(lambda row: tok(row["text"], truncation=True, max_length=LENGTH))
    args = TrainingArguments(output_dir="o", per_device_train_batch_size=BATCH)
    Trainer(model, args, train_dataset=rows).train()
`;

const program = (head: string, model: string, batch: string, tail = 'main()'): string =>
  `from transformers import AutoModelForCausalLM, Trainer, TrainingArguments\n${head}` +
  LOOP.replace('MODEL', model).replace('BATCH', batch).replace('LENGTH', '64') +
  tail;

/** Model and micro batch of the program's run, and with `--bs 2`. */
async function said(text: string): Promise<string[]> {
  const files = { 'main.py': text, 'run.sh': 'python main.py --bs 2\n', 'cfg.yaml': 'TRAIN:\n  BS: 16\n' };
  const all = await Promise.all(['main.py', 'run.sh'].map(opened => read(files, opened)));
  return all.flatMap(({ runs }) =>
    runs.map(({ quantities: { model, microBatchSize } }) => `${model.value} ${microBatchSize.value}`),
  );
}

const CLASS = `from dataclasses import dataclass
@dataclass
class Options:
    model: str = "gpt2"
    bs: int = 4
`;

describe('options of a program', () => {
  it('are the fields of a class that a parser of simple_parsing adds', async () => {
    const head = `from simple_parsing import ArgumentParser\n${CLASS}def main():
    parser = ArgumentParser()
    parser.add_arguments(Options, dest="opt")
    a = parser.parse_args().opt`;
    assert.deepEqual(await said(program(head, 'a.model', 'a.bs')), ['gpt2 4', 'gpt2 2']);
  });

  it('are the parameters of a function that tyro starts', async () => {
    const head = 'import tyro\ndef main(model: str = "gpt2", bs: int = 4):';
    assert.deepEqual(await said(program(head, 'model', 'bs', 'tyro.cli(main)')), ['gpt2 4', 'gpt2 2']);
  });
});

describe('a config of yacs', () => {
  const config = `from yacs.config import CfgNode as CN
_C = CN()
_C.MODEL = CN()
_C.MODEL.NAME = "gpt2"
_C.TRAIN = CN()
_C.TRAIN.BS = 4
_C.TRAIN.OTHER = 5
`;

  it('has its defaults in sections', async () => {
    const head = `${config}def main():\n    cfg = _C.clone()\n    cfg.freeze()`;
    assert.deepEqual((await said(program(head, 'cfg.MODEL.NAME', 'cfg.TRAIN.BS'))).slice(0, 1), ['gpt2 4']);
  });

  it('gets the keys of a file over them, or is unknown without it', async () => {
    const head = (file: string): string => `${config}def main():\n    _C.merge_from_file("${file}")`;
    const run = (file: string): string => program(head(file), '_C.MODEL.NAME', '_C.TRAIN.BS');
    assert.deepEqual((await said(run('cfg.yaml'))).slice(0, 1), ['gpt2 16']);
    assert.deepEqual((await said(run('none.yaml'))).slice(0, 1), ['null null']);
  });

  it('keeps an attribute of an object apart from one of its own', async () => {
    const head = `class Job:
    def __init__(self):
        self.bs = 4
        self.cfg = {}
        self.cfg["bs"] = 8
def main():
    job = Job()`;
    assert.deepEqual((await said(program(head, '"gpt2"', 'job.bs'))).slice(0, 1), ['gpt2 4']);
  });
});

it('a dictionary of DeepSpeed says what a loop of one’s own trains with', async () => {
  const text = `import deepspeed
from transformers import AutoModelForCausalLM
config = {"train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 4, "zero_optimization": {"stage": 2}}
model = AutoModelForCausalLM.from_pretrained("gpt2")
engine, _, _, _ = deepspeed.initialize(model=model, config=config)
for batch in batches:
    engine.backward(engine(batch).loss)
    engine.step()
`;
  const { runs } = await read({ 'main.py': text });
  const [run] = runs;
  assert.ok(run);
  const { model, microBatchSize, gradAccum } = run.quantities;
  assert.deepEqual([model.value, microBatchSize.value, gradAccum.value], ['gpt2', 2, 4]);
});

it('a step in another file of the project may accumulate, so that one is not assumed', async () => {
  const files = {
    'main.py': `import torch
from torch.utils.data import DataLoader
from loop import train_epoch
def main():
    train_epoch(DataLoader(rows, batch_size=8, shuffle=True))
if __name__ == "__main__":
    main()
`,
    'loop.py': `def train_epoch(loader):
    for batch in loader:
        loss = model(batch) / config.gradient_acc_step
        loss.backward()
        optimizer.step()
`,
  };
  const { runs } = await read(files, 'main.py');
  assert.deepEqual(
    runs.map(({ quantities: { microBatchSize, gradAccum } }) => [microBatchSize.value, gradAccum.value]),
    [[8, null]],
  );
});

it('a data module of Lightning is known by its name', async () => {
  const text = `import lightning as L
from data import RowsDataModule
L.Trainer(max_epochs=1).fit(Model(), RowsDataModule(batch_size=64))
`;
  const [run] = (await read({ 'main.py': text })).runs;
  assert.equal(run?.quantities.microBatchSize.value, 64);
});
