import assert from 'node:assert/strict';
import { readConfig } from '../../../src/core/reading/read';
import { withLaunchers } from '../../../src/core/reading/startedBy';
import type { RunSpec } from '../../../src/core/spec/runSpec';

type Tree = Readonly<Record<string, string>>;

const filesOf = (files: Tree) => ({
  read: (path: string) =>
    Promise.resolve(files[path] === undefined ? ({ absence: 'missing' } as const) : { text: files[path] }),
  list: (folder: string) => {
    const inside = Object.keys(files).filter(name => folder === '' || name.startsWith(`${folder}/`));
    const names = inside.map(
      name => (folder === '' ? name : name.slice(folder.length + 1)).split('/')[0] ?? '',
    );
    return Promise.resolve([...new Set(names)].sort());
  },
});

/** The run of a script among other files of its project. */
async function runOf(files: Tree, script = 'run.sh'): Promise<RunSpec> {
  const { runs } = await readConfig(
    script,
    files[script] ?? '',
    { files: filesOf(files) },
    { aborted: false },
  );
  const [run] = runs;
  assert.ok(run, 'no run');
  return run;
}

const HEAD = `import argparse, os, sys, yaml
from dataclasses import dataclass, field, fields
from transformers import AutoModelForCausalLM, HfArgumentParser
from trl import SFTConfig, SFTTrainer
`;

const TRAINS = (model: string, size: string, steps: string): string => `
    args = SFTConfig(per_device_train_batch_size=${size}, gradient_accumulation_steps=${steps})
    SFTTrainer(model=AutoModelForCausalLM.from_pretrained(${model}), args=args).train()
main()
`;

const OPTION = `
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="other.yaml")
    options = parser.parse_args()
`;

const FLAT = 'ckpt: org/m\nsize: 5\nsteps: 7\n';
const NESTED = 'model: { ckpt: org/m }\nfit: { size: 5, steps: 7 }\n';
const ITEMS = TRAINS('cfg["model"]["ckpt"]', 'cfg["fit"]["size"]', 'cfg["fit"]["steps"]');
const MEMBERS = TRAINS('cfg.ckpt', 'cfg.size', 'cfg.steps');

interface Way {
  readonly title: string;
  readonly program: string;
  readonly yaml: string;
  readonly command?: string;
}

const CLASS = `
@dataclass
class Cfg:
    ckpt: str
    size: int = 1
    steps: int = 1
`;

const WAYS: readonly Way[] = [
  {
    title: 'a class method of a dataclass',
    program: `${HEAD}${CLASS}
    @classmethod
    def from_yaml(cls, path):
        with open(path) as f:
            return cls(**yaml.safe_load(f))
${OPTION}    cfg = Cfg.from_yaml(options.config)\n${MEMBERS}`,
    yaml: FLAT,
  },
  {
    title: 'only the fields that a dataclass has',
    program: `${HEAD}${CLASS}${OPTION}    raw = yaml.safe_load(open(options.config))
    known = {f.name for f in fields(Cfg)}
    cfg = Cfg(**{k: v for k, v in raw.items() if k in known})\n${MEMBERS}`,
    yaml: FLAT,
  },
  {
    title: 'a function that merges sections over defaults',
    program: `${HEAD}
DEFAULTS = {"model": {"ckpt": "org/other"}, "fit": {"size": 1, "steps": 7}}
def merge(base, new):
    out = dict(base)
    for key, value in new.items():
        if isinstance(value, dict) and isinstance(out.get(key), dict):
            out[key] = merge(out[key], value)
        else:
            out[key] = value
    return out
${OPTION}    cfg = merge(DEFAULTS, yaml.safe_load(open(options.config)) or {})\n${ITEMS}`,
    yaml: 'model: { ckpt: org/m }\nfit: { size: 5 }\n',
  },
  {
    title: 'defaults of a parser',
    program: `${HEAD}${OPTION}    for name in []:
        pass
    parser.add_argument("--size", type=int, default=1)
    parser.add_argument("--steps", type=int, default=7)
    parser.set_defaults(**yaml.safe_load(open(options.config)))
    cfg = parser.parse_args()\n${MEMBERS}`,
    yaml: 'ckpt: org/m\nsize: 5\n',
  },
  {
    title: 'attributes that a loop sets',
    program: `${HEAD}${OPTION}    for key, value in yaml.safe_load(open(options.config)).items():
        setattr(options, key, value)
    cfg = options\n${MEMBERS}`,
    yaml: FLAT,
  },
  {
    title: 'the first word of the command',
    program: `${HEAD}from omegaconf import OmegaConf\ndef main():\n    cfg = OmegaConf.load(sys.argv[1])\n${MEMBERS}`,
    yaml: FLAT,
    command: 'python train.py conf/a.yaml',
  },
  {
    title: 'a positional option',
    program: `${HEAD}def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("path")
    cfg = yaml.safe_load(open(parser.parse_args().path))\n${ITEMS}`,
    yaml: NESTED,
    command: 'python train.py conf/a.yaml',
  },
  {
    title: 'a file under the settings of the command',
    program: `${HEAD}from omegaconf import OmegaConf
def main():
    cli = OmegaConf.from_cli()
    cfg = OmegaConf.merge(OmegaConf.load(cli.config), cli)\n${ITEMS}`,
    yaml: 'model: { ckpt: org/m }\nfit: { size: 2, steps: 7 }\n',
    command: 'python train.py config=conf/a.yaml fit.size=5',
  },
  {
    title: 'the one argument of HfArgumentParser',
    program: `${HEAD}
@dataclass
class Names:
    ckpt: str = "org/other"
def main():
    parser = HfArgumentParser((Names, SFTConfig))
    if len(sys.argv) == 2 and sys.argv[1].endswith(".yaml"):
        names, args = parser.parse_yaml_file(os.path.abspath(sys.argv[1]))
    else:
        names, args = parser.parse_args_into_dataclasses()
    SFTTrainer(model=AutoModelForCausalLM.from_pretrained(names.ckpt), args=args).train()
main()
`,
    yaml: 'ckpt: org/m\nper_device_train_batch_size: 5\ngradient_accumulation_steps: 7\n',
    command: 'python train.py conf/a.yaml',
  },
];

describe('what a program makes of the config that its command names', () => {
  for (const { title, program, yaml, command = 'python train.py --config conf/a.yaml' } of WAYS) {
    it(`is known behind ${title}`, async () => {
      const run = await runOf({
        'run.sh': `#!/bin/bash\n${command}\n`,
        'train.py': program,
        'conf/a.yaml': yaml,
      });
      const { model, microBatchSize, gradAccum } = run.quantities;
      assert.deepEqual([model.value, microBatchSize.value, gradAccum.value], ['org/m', 5, 7]);
    });
  }

  it('is known behind functions and classes of other files', async () => {
    const run = await runOf({
      'run.sh': '#!/bin/bash\npython -m job.main --config conf/a.yaml\n',
      'conf/a.yaml': NESTED,
      'job/__init__.py': '',
      'job/main.py': `import argparse\nfrom job.load import load\nfrom job.tuner import Tuner\n${OPTION}    Tuner(load(options.config)).train()\nmain()\n`,
      'job/load.py':
        'import yaml\ndef load(path):\n    with open(path) as f:\n        return yaml.safe_load(f)\n',
      'job/tuner.py': `${HEAD}class Tuner:
    def __init__(self, cfg):
        self.cfg = cfg
    def train(self):
        fit = self.cfg["fit"]
        args = SFTConfig(per_device_train_batch_size=fit["size"], gradient_accumulation_steps=fit["steps"])
        model = AutoModelForCausalLM.from_pretrained(self.cfg["model"]["ckpt"])
        SFTTrainer(model=model, args=args).train()
`,
    });
    const { model, microBatchSize } = run.quantities;
    assert.deepEqual([model.value, microBatchSize.value], ['org/m', 5]);
  });

  it('is stated, and changed, where the config states it', async () => {
    const files = {
      'run.sh': '#!/bin/bash\npython train.py --config conf/a.yaml\n',
      'train.py': `${HEAD}${OPTION}    cfg = yaml.safe_load(open(options.config))\n${ITEMS}`,
      'conf/a.yaml': NESTED,
    };
    const { origin } = (await runOf(files)).quantities.microBatchSize;
    assert.ok('at' in origin && origin.at);
    const { file, path, valueSpan } = origin.at;
    assert.deepEqual([file, path], ['conf/a.yaml', 'fit.size']);
    assert.equal(files['conf/a.yaml'].slice(valueSpan.start, valueSpan.end), '5');
  });

  it('is the run of a config whose keys no reader knows', async () => {
    const files = {
      'run.sh': '#!/bin/bash\ntorchrun --nproc_per_node 2 train.py --config conf/a.yaml\n',
      'train.py': `${HEAD}${OPTION}    cfg = yaml.safe_load(open(options.config))\n${ITEMS}`,
      'conf/a.yaml': NESTED,
    };
    const launchers = { of: () => Promise.resolve({ files: ['run.sh'], dependencies: [] }) };
    const world = { files: filesOf(files), launchers };
    const signal = { aborted: false };
    const alone = await readConfig('conf/a.yaml', NESTED, world, signal);
    assert.deepEqual([alone.dialect, alone.runs.length], [null, 0]);
    const { dialect, runs } = await withLaunchers(alone, world, signal);
    assert.deepEqual([dialect, runs.map(run => run.quantities.microBatchSize.value)], ['hf-trl', [5]]);
  });
});

describe('a config that a program opens by itself', () => {
  const opens = (name: string): string =>
    `${HEAD}${OPTION.replace('other.yaml', name)}    cfg = yaml.safe_load(open(options.config))\n${ITEMS}`;
  const readWith = async (files: Tree, near: readonly string[]) => {
    const launchers = { of: () => Promise.resolve({ files: near, dependencies: [] }) };
    const world = { files: filesOf(files), launchers };
    const signal = { aborted: false };
    const alone = await readConfig('conf/a.yaml', files['conf/a.yaml'] ?? '', world, signal);
    return withLaunchers(alone, world, signal);
  };

  it('has the run of that program', async () => {
    const files = { 'train.py': opens('conf/a.yaml'), 'conf/a.yaml': NESTED };
    const { dialect, runs } = await readWith(files, ['train.py']);
    const found = runs.map(({ quantities: { model, microBatchSize } }) => [
      model.value,
      microBatchSize.value,
    ]);
    assert.deepEqual([dialect, found], ['hf-trl', [['org/m', 5]]]);
  });

  it('takes from a loop of its own what only its code says', async () => {
    const loop = `import torch
import torchvision
import yaml
from torch.utils.data import DataLoader

with open("conf/a.yaml") as file:
    cfg = yaml.safe_load(file)
model = torchvision.models.resnet18().cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=cfg["train"]["lr"])
loader = DataLoader(data(), batch_size=cfg["train"]["batch_size"], shuffle=True)
for x, y in loader:
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss = model(x).sum()
    loss.backward()
    optimizer.step()
`;
    const config = 'train: {batch_size: 16, lr: 1e-3, epochs: 3, num_workers: 2}\nmodel: {name: resnet18}\n';
    const files = { 'train.py': loop, 'conf/a.yaml': config };
    const [run] = (await readWith(files, ['train.py'])).runs;
    const { optimizer, precision, microBatchSize } = run?.quantities ?? {};
    assert.deepEqual(
      [optimizer?.value, precision?.value, microBatchSize?.value],
      ['AdamW', 'bf16-mixed', 16],
    );
    assert.match(JSON.stringify(microBatchSize?.origin), /conf\/a\.yaml/);
    const stated = { ...files, 'conf/a.yaml': `${config}optimizer: sgd\n` };
    assert.equal((await readWith(stated, ['train.py'])).runs[0]?.quantities.optimizer.value, 'sgd');
    const names = { ...files, 'conf/a.yaml': '{a: b}\n' };
    assert.equal((await readWith(names, ['train.py'])).runs.length, 0);
  });

  it('has none where two programs open it, or another is the default', async () => {
    const two = { 'a.py': opens('conf/a.yaml'), 'b.py': opens('conf/a.yaml'), 'conf/a.yaml': NESTED };
    assert.equal((await readWith(two, ['a.py', 'b.py'])).runs.length, 0);
    const other = { 'a.py': opens('conf/b.yaml'), 'conf/a.yaml': NESTED, 'conf/b.yaml': NESTED };
    assert.equal((await readWith(other, ['a.py'])).runs.length, 0);
  });
});

describe('a config that a program with a loop of its own is handed', () => {
  const CONFIG = 'train: {batch_size: 16, lr: 1e-3, epochs: 3, folds: 2}\nmodel: {name: resnet18}\n';
  const loop = (optimizer: string, more = ''): string => `import sys, torch, yaml
from torch.utils.data import DataLoader
from data import folds
def load(path):
    with open(path) as file:
        return yaml.safe_load(file)
def main(cfg):
    for fold in range(cfg["train"]["folds"]):
        model = make(cfg["model"]["name"])
        optimizer = torch.optim.${optimizer}(model.parameters(), lr=cfg["train"]["lr"])
        ${more}
        for x, y in DataLoader(folds(), batch_size=cfg["train"]["batch_size"], shuffle=True):
            for epoch in range(cfg["train"]["epochs"]):
                model(x).sum().backward()
                optimizer.step()
main(load(sys.argv[1]))
`;
  const LIGHTNING = `import argparse, yaml
import pytorch_lightning as pl
import torch
class Net(pl.LightningModule):
    def configure_optimizers(self):
        return torch.optim.RAdam(self.parameters(), lr=1e-3)
parser = argparse.ArgumentParser()
parser.add_argument("--config", required=True)
cfg = yaml.safe_load(open(parser.parse_args().config))
train = cfg["train"]["batch_size"], cfg["train"]["epochs"], cfg["train"]["lr"], cfg["model"]["name"]
pl.Trainer(precision="16-mixed", accumulate_grad_batches=4).fit(Net())
`;
  const told = async (programs: Tree, config = CONFIG): Promise<unknown> => {
    const files = { ...programs, 'conf/a.yaml': config };
    const near = {
      files: [],
      programs: () => Promise.resolve(Object.keys(programs)),
      dependencies: [],
    };
    const world = { files: filesOf(files), launchers: { of: () => Promise.resolve(near) } };
    const signal = { aborted: false };
    const alone = await readConfig('conf/a.yaml', config, world, signal);
    const [run] = (await withLaunchers(alone, world, signal)).runs;
    const { optimizer, precision, gradAccum, microBatchSize } = run?.quantities ?? {};
    return [optimizer, precision, gradAccum, microBatchSize].map(one => one?.value);
  };

  it('has what only the code says', async () => {
    assert.deepEqual(await told({ 'train.py': loop('NAdam') }), ['NAdam', 'fp32', 1, 16]);
    assert.deepEqual(await told({ 'train.py': LIGHTNING }), ['RAdam', 'fp16-mixed', 4, 16]);
    const stated = CONFIG.replace('{batch', '{optimizer: sgd, batch');
    assert.deepEqual(await told({ 'train.py': loop('NAdam') }, stated), ['sgd', 'fp32', 1, 16]);
  });

  it('has what all programs say that know most of its keys', async () => {
    const other = loop('SGD').replaceAll(/cfg\["\w+"\]\["\w+"\]/g, '8');
    assert.deepEqual(await told({ 'a.py': loop('NAdam'), 'b.py': loop('NAdam') }), ['NAdam', 'fp32', 1, 16]);
    assert.deepEqual(await told({ 'a.py': loop('NAdam'), 'b.py': loop('SGD') }), [null, 'fp32', 1, 16]);
    assert.deepEqual(await told({ 'a.py': loop('NAdam'), 'b.py': other }), ['NAdam', 'fp32', 1, 16]);
    assert.deepEqual(await told({ 'b.py': other }), [null, null, 1, 16]);
  });
});

describe('what a program changes in place', () => {
  const stated = async (lines: string): Promise<unknown> => {
    const program = `${HEAD}${lines}
args = SFTConfig(per_device_train_batch_size=cfg["fit"]["size"])
SFTTrainer(model=AutoModelForCausalLM.from_pretrained("org/m"), args=args).train()
`;
    const { quantities } = await runOf({ 'train.py': program }, 'train.py');
    return quantities.microBatchSize.value;
  };

  it('is known for a key of a section', async () => {
    assert.equal(await stated('cfg = {"fit": {"size": 1, "x": 2}}\ncfg["fit"]["size"] = 9'), 9);
    assert.equal(await stated('cfg = {"fit": {"size": 1}}\ncfg["fit"]["x"] = 9'), 1);
  });

  it('leaves modules what they are', async () => {
    assert.equal(
      await stated(
        'import torch\ntorch.backends.cuda.allow = True\ncfg = {"fit": {"size": 3 if torch.cuda.is_available() else 1}}',
      ),
      3,
    );
  });

  it('takes only what a test of the values lets through', async () => {
    const loop =
      'new = {"size": None, "x": 4}\nfit = {"size": 6}\nfor k, v in new.items():\n    if v is not None:\n        fit[k] = v\ncfg = {"fit": fit}';
    assert.equal(await stated(loop), 6);
    assert.equal(await stated(loop.replace('None, "x"', '8, "x"')), 8);
  });

  it('is unknown where a loop sets what only the run knows', async () => {
    const loop =
      'fit = {"size": 6}\nfor k, v in {"size": 2}.items():\n    fit[k] = convert(v)\ncfg = {"fit": fit}';
    assert.equal(await stated(loop), null);
  });
});
