import assert from 'node:assert/strict';
import { readConfig } from '../../../src/core/reading/read';
import { pythonRuns } from '../../../src/core/reading/program/runs';
import { setKey } from '../../../src/core/yaml/edit';
import { Project } from '../../../src/core/python/project';
import type { RunSpec } from '../../../src/core/spec/runSpec';

/** The run of the program `train.py` among other files of its project. */
async function runIn(files: Readonly<Record<string, string>>, program = 'train.py'): Promise<RunSpec> {
  const text = files[program] ?? '';
  const names = Object.keys(files);
  const world = {
    files: {
      read: (path: string) =>
        Promise.resolve(
          files[path] === undefined ? ({ absence: 'missing' } as const) : { text: files[path] },
        ),
      list: (folder: string) =>
        Promise.resolve(
          [
            ...new Set(
              names
                .filter(name => folder === '' || name.startsWith(`${folder}/`))
                .map(name => (folder === '' ? name : name.slice(folder.length + 1)).split('/')[0] ?? ''),
            ),
          ].sort(),
        ),
    },
  };
  const { runs } = await readConfig(program, text, world, { aborted: false });
  const [run] = runs;
  assert.ok(run, 'no run');
  return run;
}

const TRAIN = (head: string, args: string): string => `from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer
${head}
args = SFTConfig(${args})
trainer = SFTTrainer(model=AutoModelForCausalLM.from_pretrained(MODEL), args=args)
trainer.train()
`;

describe('programs of a project', () => {
  it('take constants and dictionaries from modules beside them', async () => {
    const run = await runIn({
      'train.py': TRAIN('from config import MODEL, ARGS', '**ARGS'),
      'config.py':
        'MODEL = "org/m"\nSIZE = 2\nARGS = dict(per_device_train_batch_size=SIZE * 2, max_length=256)\n',
    });
    const { model, microBatchSize, seqLen } = run.quantities;
    assert.deepEqual([model.value, microBatchSize.value, seqLen.value], ['org/m', 4, 256]);
  });

  it('take them from packages, by relative and by full names', async () => {
    const run = await runIn(
      {
        'src/job/train.py': TRAIN(
          'from .settings import Settings\nfrom src.names import MODEL\ncfg = Settings()',
          'per_device_train_batch_size=cfg.batch, bf16=cfg.bf16',
        ),
        'src/job/settings.py':
          'from dataclasses import dataclass, field\n@dataclass\nclass Settings:\n    batch: int = 3\n    bf16: bool = field(default_factory=lambda: True)\n',
        'src/names.py': 'OWNER = "org"\nMODEL = f"{OWNER}/m"\n',
      },
      'src/job/train.py',
    );
    const { model, microBatchSize, precision } = run.quantities;
    assert.deepEqual([model.value, microBatchSize.value, precision.value], ['org/m', 3, 'bf16']);
  });

  it('take values from a YAML file that they open', async () => {
    const run = await runIn({
      'train.py': TRAIN(
        'import yaml\nwith open("configs/a.yaml") as f:\n    cfg = yaml.safe_load(f)\nMODEL = cfg["model"]["name"]',
        'per_device_train_batch_size=cfg["batch"], gradient_accumulation_steps=cfg.get("steps", 8)',
      ),
      'configs/a.yaml': 'model: { name: org/m }\nbatch: 5\n',
    });
    const { model, microBatchSize, gradAccum } = run.quantities;
    assert.deepEqual([model.value, microBatchSize.value, gradAccum.value], ['org/m', 5, 8]);
  });

  it('take lengths from tokenizers of helpers, and none from those of metrics', async () => {
    const encode = (name: string): string =>
      `def encode(rows, tokenizer, limit):\n    ${name} = tokenizer(rows, truncation=True, padding="max_length", max_length=limit)\n    return ${name}\n`;
    const lengthWith = async (name: string): Promise<unknown> => {
      const run = await runIn({
        'train.py':
          'from transformers import AutoModelForCausalLM, Trainer, TrainingArguments\nfrom helpers import encode\n' +
          'rows = encode(texts, tokenizer, 300)\nargs = TrainingArguments("out", per_device_train_batch_size=2)\n' +
          'Trainer(model=AutoModelForCausalLM.from_pretrained("org/m"), args=args, train_dataset=rows).train()\n',
        'helpers.py': encode(name),
      });
      return run.quantities.seqLen.value;
    };
    assert.equal(await lengthWith('encoded'), 300);
    assert.equal(await lengthWith('tokenized_hyp'), null);
  });

  it('take a config of Hydra by its path in a container', async () => {
    const run = await runIn(
      {
        'jobs/train.py':
          TRAIN(
            'import hydra\nMODEL = "org/m"\n@hydra.main(config_path="/app/config", config_name="main")\ndef main(cfg):\n    args = SFTConfig(per_device_train_batch_size=cfg.batch)\n    SFTTrainer(model=MODEL, args=args).train()\nmain()',
            '',
          ).split('\nargs = ')[0] ?? '',
        'config/main.yaml': 'batch: 3\n',
      },
      'jobs/train.py',
    );
    assert.equal(run.quantities.microBatchSize.value, 3);
  });

  it('change no argument that another file states', () => {
    const text = TRAIN('from config import MODEL, ARGS', 'output_dir="out", **ARGS');
    const project = new Project('train.py', {
      texts: new Map([['config.py', 'MODEL = "org/m"\nARGS = dict(per_device_train_batch_size=4)\n']]),
      folders: new Map([['/', ['config.py', 'train.py']]]),
    });
    const [run] = pythonRuns('train.py', text, project);
    const document = run?.composition.layers[0].yaml.documents[0];
    assert.ok(document);
    const { root } = document;
    const isMerged = (name: string): boolean | undefined =>
      root?.kind === 'map' ? root.entries.find(({ key }) => key === name)?.merged : undefined;
    assert.deepEqual([isMerged('per_device_train_batch_size'), isMerged('output_dir')], [true, false]);
    assert.equal(setKey(text, document, ['per_device_train_batch_size'], 1).ok, false);
  });

  it('end where modules import each other', async () => {
    const run = await runIn({
      'train.py': TRAIN('from a import MODEL, N', 'per_device_train_batch_size=N'),
      'a.py': 'from b import MODEL\nfrom b import N\n',
      'b.py': 'from a import MODEL\nN = 7\n',
    });
    assert.deepEqual([run.quantities.model.value, run.quantities.microBatchSize.value], [null, 7]);
  });

  it('know nothing of a value that a file replaces while it runs', async () => {
    const run = await runIn({
      'train.py': TRAIN(
        'from cfg import load\ncfg = load("x.yaml")\nMODEL = cfg.model',
        'per_device_train_batch_size=cfg.batch',
      ),
      'cfg.py':
        'class C:\n    model: str = "org/m"\n    batch: int = 2\ndef load(path):\n    c = C()\n    for k, v in read(path).items():\n        setattr(c, k, v)\n    return c\n',
    });
    assert.deepEqual([run.quantities.model.value, run.quantities.microBatchSize.value], [null, null]);
  });
});
