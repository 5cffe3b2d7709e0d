import assert from 'node:assert/strict';
import { pythonRunsIn } from '../../../src/core/reading/program/project';
import { rootOf } from '../../../src/core/dialects/command/nodes';
import { runOf } from './support';

/** What the first run of `train.py` states for some keys; undefined without a run, null for what is unknown. */
async function stated(
  files: Readonly<Record<string, string>>,
  ...keys: readonly string[]
): Promise<readonly unknown[] | undefined> {
  const names = Object.keys(files);
  const listed = (folder: string): string[] => [
    ...new Set(
      names
        .filter(name => folder === '' || name.startsWith(`${folder}/`))
        .map(name => (folder === '' ? name : name.slice(folder.length + 1)).split('/')[0] ?? ''),
    ),
  ];
  const [run] = await pythonRunsIn(
    'train.py',
    files['train.py'] ?? '',
    {
      read: () => Promise.resolve(null),
      text: (path: string) => Promise.resolve(files[path] ?? null),
      list: (folder: string) => Promise.resolve(listed(folder)),
    } as never,
    () => null,
  );
  const root = run && rootOf(run.composition.layers[0]);
  return (
    root?.entries &&
    keys.map(key => {
      const value = root.entries.findLast(entry => entry.key === key)?.value;
      return value?.kind === 'scalar' && value.opaque === null ? value.value : null;
    })
  );
}

const HEAD = 'from transformers import Trainer, TrainingArguments, AutoModelForCausalLM\nimport os\n';
const BATCH = 'per_device_train_batch_size';

describe('objects and helpers of a program', () => {
  it('join paths as Python does: what lies in the folder itself, and an absolute one', async () => {
    const modelOf = async (path: string): Promise<unknown> =>
      (
        await runOf(
          `import os\nfrom pathlib import Path\nfrom ultralytics import YOLO\nROOT = Path("a.py").parent\nmodel = YOLO(${path})\nmodel.train(data="birds", epochs=30, batch=64)\n`,
          'a.py',
        )
      ).quantities.model.value;
    assert.equal(await modelOf('(ROOT / "weights/yolo11s.pt").as_posix()'), 'weights/yolo11s.pt');
    assert.equal(await modelOf('str(Path("runs") / "/data/yolo11s.pt")'), '/data/yolo11s.pt');
    assert.equal(await modelOf('os.path.join("", "yolo11s.pt")'), 'yolo11s.pt');
  });

  it('give a method what the program makes its object with', async () => {
    const program = `${HEAD}
class Job:
    def __init__(self, cfg, size=4):
        self.cfg = cfg
        self.size = size * 2
        self.model = None
    def load(self):
        self.model = AutoModelForCausalLM.from_pretrained(self.cfg["name"])
    def run(self):
        self.load()
        args = TrainingArguments(per_device_train_batch_size=self.size)
        self.trainer = Trainer(model=self.model, args=args)
        self.trainer.train()

if __name__ == "__main__":
    job = Job({"name": "org/m"}, size=8)
    job.run()
`;
    assert.deepEqual(await stated({ 'train.py': program }, BATCH, 'model_name_or_path'), [16, 'org/m']);
  });

  it('merge a config with the classes that say its defaults', async () => {
    const classes = `from dataclasses import dataclass, field
@dataclass
class Size:
    train: int = 2
    val: int = 7
@dataclass
class Config:
    name: str = "org/m"
    length: int = 64
    size: Size = field(default_factory=Size)
`;
    const program = `${HEAD}from omegaconf import OmegaConf
from classes import Config
cfg = OmegaConf.merge(OmegaConf.structured(Config), OmegaConf.load("own.yaml"))
args = TrainingArguments(per_device_train_batch_size=cfg.size.train, per_device_eval_batch_size=cfg.size.val)
Trainer(model=AutoModelForCausalLM.from_pretrained(cfg.name), args=args).train()
`;
    const files = { 'train.py': program, 'classes.py': classes, 'own.yaml': 'size: {train: 16}\n' };
    const keys = [BATCH, 'per_device_eval_batch_size', 'model_name_or_path'];
    assert.deepEqual(await stated(files, ...keys), [16, 7, 'org/m']);
    const whole = program.replace(', OmegaConf.load("own.yaml")', '');
    assert.deepEqual(await stated({ ...files, 'train.py': whole }, ...keys), [2, 7, 'org/m']);
  });

  it('take what a package hands on of all its modules', async () => {
    const files = {
      'train.py': `${HEAD}from parts import Sizes
args = TrainingArguments(per_device_train_batch_size=Sizes.batch)
Trainer(model=AutoModelForCausalLM.from_pretrained("org/m"), args=args).train()
`,
      // A package comes before a module of its name.
      'parts.py': 'class Sizes:\n    batch = 3\n',
      'parts/__init__.py': 'from .other import *\nfrom .sizes import *\n',
      'parts/other.py': 'from . import *\n',
      'parts/sizes.py': 'from . import *\nclass Sizes:\n    batch = 24\n',
    };
    assert.deepEqual(await stated(files, BATCH), [24]);
  });

  it('give a function what all of its calls say, also those in functions', async () => {
    const program = (more: string): string => `${HEAD}
def train(size, model):
    trainer = Trainer(model, TrainingArguments(per_device_train_batch_size=size))
    trainer.train()

def main():
    train(6, AutoModelForCausalLM.from_pretrained("org/m"))
${more}
main()
`;
    assert.deepEqual(await stated({ 'train.py': program('') }, BATCH), [6]);
    const other = '    train(2, AutoModelForCausalLM.from_pretrained("org/m"))';
    assert.deepEqual(await stated({ 'train.py': program(other) }, BATCH), [null]);
  });

  it('may be those of another file, which makes the trainer', async () => {
    const files = {
      'train.py': 'from src.job import Job\njob = Job(batch=3)\njob.run()\n',
      'src/job.py': `${HEAD}
class Job:
    def __init__(self, batch):
        self.batch = batch
    def run(self):
        args = TrainingArguments(per_device_train_batch_size=self.batch)
        Trainer(AutoModelForCausalLM.from_pretrained("org/m"), args).train()

def other():
    Job(batch=64).run()
`,
    };
    assert.deepEqual(await stated(files, BATCH, 'model_name_or_path'), [3, 'org/m']);
  });

  const TRAINED = (setup: string, args = 'per_device_train_batch_size=size'): string => `${HEAD}${setup}
trainer = Trainer(AutoModelForCausalLM.from_pretrained("org/m"), TrainingArguments(${args}))
trainer.train()
`;

  for (const [what, setup, size] of [
    [
      'of the environment have the default of a helper',
      'def env(name, default, cast):\n    value = os.getenv(name)\n    if value is None:\n        return default\n    return cast(value)\nsize = env("SIZE", 8, int)',
      8,
    ],
    ['of the environment without a default are unknown', 'size = os.environ.get("SIZE")', null],
    ['of the environment fall back', 'size = int(os.environ.get("SIZE") or 5)', 5],
    [
      'of a handler do not replace those that succeed',
      'try:\n    size = 4\nexcept ValueError:\n    size = 1',
      4,
    ],
    ['by name', 'class Config:\n    batch = 7\nsize = getattr(Config(), "batch", 1)', 7],
    [
      'of a namespace',
      'from types import SimpleNamespace\ncfg = SimpleNamespace(**{"batch": 9})\nsize = cfg.batch',
      9,
    ],
    [
      'that a comprehension picks',
      'all = {"size": 3, "seed": None}\nsize = {k: v for k, v in all.items() if v is not None}["size"]',
      3,
    ],
    ['of a loop through one item', 'for size in [12]:\n    pass', 12],
    ['of a loop through several are unknown', 'for size in [1, 2]:\n    pass', null],
  ] as const) {
    it(`values ${what}`, async () => {
      assert.deepEqual(await stated({ 'train.py': TRAINED(setup) }, BATCH), [size]);
    });
  }

  it('keep the arguments that a helper filters by a signature', async () => {
    const setup = `import inspect
def kept(cls, kwargs):
    names = {n for n, p in inspect.signature(cls.__init__).parameters.items() if n != "self"}
    return {k: v for k, v in kwargs.items() if k in names}`;
    const args = '**kept(TrainingArguments, dict(per_device_train_batch_size=2))';
    assert.deepEqual(await stated({ 'train.py': TRAINED(setup, args) }, BATCH), [2]);
  });

  it('count for a trainer of any library that gets the known arguments, and for no other', async () => {
    const program = (args: string): string => `from other.training import Trainer, TrainingArguments
trainer = Trainer(model=None, args=${args})
trainer.train()
`;
    const own = 'TrainingArguments(per_device_train_batch_size=4)';
    assert.deepEqual(await stated({ 'train.py': program(own) }, BATCH), [4]);
    assert.equal(await stated({ 'train.py': program('dict(batch=4)') }, BATCH), undefined);
  });

  it('state options of a parser that another file extends', async () => {
    const files = {
      'train.py': `${HEAD}import argparse
from opts import add
parser = argparse.ArgumentParser()
add(parser)
args = parser.parse_args()
Trainer(AutoModelForCausalLM.from_pretrained(args.model), TrainingArguments(per_device_train_batch_size=args.batch)).train()
`,
      'opts.py':
        'def add(parser):\n    parser.add_argument("--batch", default=3)\n    parser.add_argument("--model", default="org/m")\n',
    };
    assert.deepEqual(await stated(files, BATCH, 'model_name_or_path'), [3, 'org/m']);
  });
});

describe('arguments without a name', () => {
  const batchOf = async (head: string, call: string): Promise<unknown> => {
    const program = `from dataclasses import dataclass
from typing import NamedTuple
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
${head}
    name: str
    rate: float = 1e-4
    batch: int = 8
CONFIGS = {"a": ${call}}
config = CONFIGS["a"]
args = TrainingArguments("out", per_device_train_batch_size=config.batch)
Trainer(AutoModelForCausalLM.from_pretrained(config.name), args).train()
`;
    const { model, microBatchSize } = (await runOf(program, 'a.py')).quantities;
    return [model.value, microBatchSize.value];
  };

  it('fill the fields of a class in their order', async () => {
    for (const head of [
      '@dataclass\nclass C:',
      '@dataclass(frozen=True)\nclass C:',
      'class C(NamedTuple):',
    ]) {
      assert.deepEqual(await batchOf(head, 'C("org/m", 2e-5, 3)'), ['org/m', 3]);
      assert.deepEqual(await batchOf(head, 'C("org/m", batch=5)'), ['org/m', 5]);
      assert.deepEqual(await batchOf(head, 'C("org/m")'), ['org/m', 8]);
    }
  });

  it('fill none of a class whose fields begin in another one', async () => {
    const head = '@dataclass\nclass B:\n    seed: int\n@dataclass\nclass C(B):';
    assert.deepEqual(await batchOf(head, 'C(1, "org/m", 2e-5, 3)'), [null, null]);
  });
});

describe('calls that a program makes later', () => {
  it('have the arguments that partial gives them', async () => {
    const made = `${HEAD}from functools import partial\nArgs = partial(TrainingArguments, "o", ${BATCH}=6, bf16=False)\nTrainer(AutoModelForCausalLM.from_pretrained("gpt2"), Args(bf16=True)).train()\n`;
    assert.deepEqual(await stated({ 'train.py': made }, BATCH, 'bf16'), [6, true]);
  });

  it('cut the rows as partial and fn_kwargs say', async () => {
    const rest = `def cut(x, tokenizer, most=64):\n    return tokenizer(x["text"], truncation=True, max_length=most)\n`;
    const end = `Trainer(AutoModelForCausalLM.from_pretrained("gpt2"), TrainingArguments("o", ${BATCH}=6), train_dataset=data).train()\n`;
    for (const map of [
      'partial(cut, tokenizer=tok, most=384)',
      'cut, fn_kwargs={"tokenizer": tok, "most": 384}',
    ]) {
      const text = `${HEAD}from functools import partial\n${rest}data = rows.map(${map})\n${end}`;
      assert.deepEqual(await stated({ 'train.py': text }, 'max_seq_length'), [384], map);
    }
  });

  it('are those of a changed copy, and of a config in the text', async () => {
    const text = `${HEAD}import yaml\nfrom dataclasses import dataclass, replace\n@dataclass\nclass C:\n    bs: int = 32\n    steps: int = 3\nc = replace(C(), bs=6)\nwords = yaml.safe_load("""\nmodel: gpt2\n""")\nTrainer(AutoModelForCausalLM.from_pretrained(words["model"]), TrainingArguments("o", ${BATCH}=c.bs, max_steps=c.steps)).train()\n`;
    assert.deepEqual(await stated({ 'train.py': text }, BATCH, 'max_steps', 'model_name_or_path'), [
      6,
      3,
      'gpt2',
    ]);
  });

  it('leave what they state unknown where only the program knows them: no default stands in for it', async () => {
    const text = `${HEAD}Trainer(AutoModelForCausalLM.from_pretrained("gpt2"), settings()).train()\n`;
    const { quantities } = await runOf(text, 'train.py');
    assert.deepEqual([quantities.precision.value, quantities.microBatchSize.value], [null, null]);
  });
});
