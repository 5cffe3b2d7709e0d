import assert from 'node:assert/strict';
import { readConfig } from '../../../src/core/reading/read';
import { withLaunchers } from '../../../src/core/reading/startedBy';
import type { RunSpec } from '../../../src/core/spec/runSpec';
import { Launchers } from '../../../src/world/launchers';
import { running, worldOf } from './support';

type Tree = Readonly<Record<string, string>>;

/** Names of files and folders in a folder. */
const namesIn = (files: Tree, folder: string): string[] => {
  const start = folder === '' ? '' : `${folder}/`;
  const inside = Object.keys(files).filter(path => path.startsWith(start));
  return [...new Set(inside.map(path => path.slice(start.length).split('/')[0] ?? ''))];
};

/** The run of a file, as those that its project has around it start it. */
async function runIn(files: Tree, opened: string): Promise<RunSpec> {
  const world = worldOf(files);
  const listed = { ...world.files, list: (folder: string) => Promise.resolve(namesIn(files, folder)) };
  const around = { ...world, files: listed, launchers: new Launchers(listed, () => '') };
  const alone = await readConfig(opened, files[opened] ?? '', around, running);
  const [run] = (await withLaunchers(alone, around, running)).runs;
  assert.ok(run, 'no run');
  return run;
}

const valueOf = (run: RunSpec, name: keyof RunSpec['quantities']): unknown => {
  const { value, origin } = run.quantities[name];
  return origin.kind === 'unresolved' ? 'unknown' : value;
};

const CONFIG = 'base_model: org/m\ntraining: {epochs: 3, batch_size: 4, learning_rate: 1e-4}\n';
const LOADS = 'import yaml\nfrom transformers import AutoModelForCausalLM\n';

/** A program that names its config in a text only: what it does with it is not found out. */
const naming = (name: string, more: string): string =>
  `${LOADS}def build(method):\n    config = yaml.safe_load(open(${name}))\n    model = AutoModelForCausalLM.from_pretrained(config["base_model"])\n${more}`;

describe('what is only usual where no key says it', () => {
  it('is what the one trainer says that must be handed the config of a library', async () => {
    const config = `base_model: org/m
max_seq_length: 1024
load_in_4bit: true
bf16: false
lora: {r: 8, alpha: 16, target_modules: [q_proj]}
train: {per_device_train_batch_size: 2, gradient_accumulation_steps: 4, learning_rate: 2e-4, output_dir: out}
`;
    const program = `import argparse, yaml
from trl import SFTConfig, SFTTrainer
parser = argparse.ArgumentParser()
parser.add_argument("--config", required=True)
args = parser.parse_args()
cfg = yaml.safe_load(open(args.config))
t = SFTConfig(
    optim="adamw_8bit",
    max_length=cfg["max_seq_length"],
    bf16=cfg["bf16"],
    learning_rate=cfg["train"]["learning_rate"],
    output_dir=cfg["train"]["output_dir"],
    gradient_accumulation_steps=cfg["train"]["gradient_accumulation_steps"],
    per_device_train_batch_size=cfg["train"]["per_device_train_batch_size"],
)
trainer = SFTTrainer(model=cfg["base_model"], args=t)
trainer.train()
`;
    const run = await runIn({ 'configs/a.yaml': config, 'src/train.py': program }, 'configs/a.yaml');
    assert.equal(valueOf(run, 'optimizer'), 'adamw_8bit');
    assert.equal(valueOf(run, 'microBatchSize'), 2);
  });

  it('is open where the program that names the config mentions it', async () => {
    const doubts = ['method', 'gradientCheckpointing', 'zeroStage'] as const;
    const found = async (more: string): Promise<readonly unknown[]> => {
      const files = { 'configs/a.yaml': CONFIG, 'train.py': naming('"configs/a.yaml"', more) };
      const run = await runIn(files, 'configs/a.yaml');
      return doubts.map(name => valueOf(run, name));
    };
    assert.deepEqual(await found(''), ['full', false, null]);
    assert.deepEqual(await found('    model.gradient_checkpointing_enable(**settings())\n'), [
      ...['full', 'unknown', null],
    ]);
    assert.deepEqual(await found('    model = get_peft_model(model, settings())\n'), [
      ...['unknown', false, null],
    ]);
    assert.equal((await found('    deepspeed.initialize(**settings())\n'))[2], 'unknown');
  });

  it('is open for a name that the program makes, too', async () => {
    const program = naming('f"configs/{method}.yaml"', '    model = get_peft_model(model)\n');
    const run = await runIn({ 'configs/a.yaml': CONFIG, 'train.py': program }, 'configs/a.yaml');
    assert.equal(valueOf(run, 'method'), 'unknown');
  });

  it('is what the config says of it', async () => {
    const program = naming('"configs/a.yaml"', '    q = BitsAndBytesConfig(**settings())\n');
    for (const [more, bits] of [
      ['lora: {r: 8}\n', 'unknown'],
      ['lora: {r: 8}\nquantization: {load_in_4bit: false}\n', null],
    ] as const) {
      const files = { 'configs/a.yaml': `${CONFIG}${more}`, 'train.py': program };
      assert.equal(valueOf(await runIn(files, 'configs/a.yaml'), 'quantization'), bits);
    }
  });

  it('is a trainer’s only in a program that has one', async () => {
    const config =
      'model: {name_or_path: org/m}\ntrain: {per_device_train_batch_size: 1, num_train_epochs: 2, learning_rate: 1e-4, weight_decay: 0.0, warmup_ratio: 0.03, logging_steps: 5}\n';
    const loop = naming('"configs/a.yaml"', '    optimizer = make(model)\n    run(model).backward()\n');
    const own = await runIn({ 'configs/a.yaml': config, 'train.py': loop }, 'configs/a.yaml');
    assert.deepEqual(
      [own.dialect, valueOf(own, 'optimizer'), valueOf(own, 'gradAccum')],
      [...['hf-trainer', 'unknown', 'unknown']],
    );
    const trainer = naming('"configs/a.yaml"', '    make(Trainer, model).train()\n');
    const theirs = await runIn({ 'configs/a.yaml': config, 'train.py': trainer }, 'configs/a.yaml');
    assert.equal(valueOf(theirs, 'gradAccum'), 1);
  });

  it('is open for precision, and for adapters of weights that the program quantizes', async () => {
    const config =
      'model_name: org/m\nlora: {r: 8}\ntraining: {per_device_train_batch_size: 4, num_train_epochs: 2, learning_rate: 1e-4, logging_steps: 5, save_steps: 9}\n';
    const found = async (more: string, ofConfig = ''): Promise<readonly unknown[]> => {
      const files = {
        'configs/a.yaml': `${config}${ofConfig}`,
        'train.py': naming('"configs/a.yaml"', more),
      };
      const run = await runIn(files, 'configs/a.yaml');
      return (['method', 'precision', 'gradientCheckpointing'] as const).map(name => valueOf(run, name));
    };
    assert.deepEqual(await found('    make(Trainer, get_peft_model(model))\n'), ['lora', 'fp32', false]);
    assert.deepEqual(await found('    TrainingArguments(fp16=cuda(), **rest())\n'), [
      'lora',
      'unknown',
      false,
    ]);
    const quantized =
      '    q = BitsAndBytesConfig(load_in_4bit=True)\n    model = prepare_model_for_kbit_training(model)\n';
    assert.deepEqual(await found(quantized), ['unknown', 'fp32', 'unknown']);
    assert.deepEqual((await found(quantized, 'load_in_4bit: true\n'))[0], 'qlora');
  });

  it('is open where the program takes the arguments of a library on top of Transformers', async () => {
    const config =
      'model: {name_or_path: org/m}\ntrain: {per_device_train_batch_size: 1, num_train_epochs: 2, learning_rate: 1e-4, logging_steps: 5, save_steps: 9}\n';
    const found = async (more: string): Promise<readonly unknown[]> => {
      const program = naming('"configs/a.yaml"', `    from trl import SFTTrainer\n${more}`);
      const run = await runIn({ 'configs/a.yaml': config, 'train.py': program }, 'configs/a.yaml');
      return [valueOf(run, 'precision'), valueOf(run, 'gradientCheckpointing'), valueOf(run, 'gradAccum')];
    };
    assert.deepEqual(await found('    make(SFTTrainer, model).train()\n'), ['unknown', 'unknown', 1]);
    assert.deepEqual(await found('    make(SFTTrainer, TrainingArguments(**rest()))\n'), ['fp32', false, 1]);
  });

  it('is open where a class of one’s own, called like TRL’s, takes its arguments', async () => {
    const files = {
      'configs/a.yaml':
        'model: {name_or_path: org/m}\ntrain: {per_device_train_batch_size: 1, num_train_epochs: 2, learning_rate: 1e-4, logging_steps: 5, save_steps: 9}\n',
      'run.py':
        'import yaml\nfrom own.sft import SFTConfig, SFTTrainer\n\ndef main():\n    raw = yaml.safe_load(text("configs/a.yaml"))\n    config = SFTConfig(raw["train"])\n    SFTTrainer(config).run()\n\nif __name__ == "__main__":\n    main()\n',
      'own/sft.py':
        'class SFTConfig:\n    pass\n\nclass SFTTrainer:\n    def __init__(self, config):\n        self.config = config\n    def run(self):\n        from trl import SFTConfig as Arguments, SFTTrainer as Trainer\n        Trainer(model=load(), args=Arguments(**self.config)).train()\n',
    };
    assert.equal(valueOf(await runIn(files, 'configs/a.yaml'), 'precision'), 'unknown');
  });

  it('is open for what a project of Hydra trains, if its program freezes', async () => {
    const files = {
      'conf/train.yaml':
        'defaults: [_self_]\nhydra: {run: {dir: out}}\nmodel: {path: org/m}\nbatch_size: 4\nlr: 1e-3\nepochs: 2\noptim: adam\n',
      'train.py': `import hydra\n${LOADS}@hydra.main(config_path="conf", config_name="train.yaml")\ndef main(cfg):\n    model = AutoModelForCausalLM.from_pretrained(cfg.model.path)\n    model.requires_grad_(False)\n    run(model, cfg.batch_size, cfg.optim, cfg.lr, cfg.epochs)\n\nmain()\n`,
    };
    assert.equal(valueOf(await runIn(files, 'conf/train.yaml'), 'method'), 'unknown');
  });

  it('is open for a program that only knows the keys of the config', async () => {
    const files = {
      'configs/a.yaml': CONFIG,
      'train.py':
        'import argparse, yaml\nfrom tool import fit\nparser = argparse.ArgumentParser()\nparser.add_argument("--config")\nfit.train(yaml.safe_load(open(parser.parse_args().config)))\n',
      'tool/fit.py': `${LOADS}def train(cfg):\n    model = get_peft_model(cfg["base_model"], cfg["training"]["learning_rate"])\n    run(model, cfg["training"]["batch_size"])\n`,
    };
    assert.equal(valueOf(await runIn(files, 'configs/a.yaml'), 'method'), 'unknown');
    const others = { ...files, 'tool/fit.py': `${LOADS}def train(cfg):\n    get_peft_model(cfg["rows"])\n` };
    assert.equal(valueOf(await runIn(others, 'configs/a.yaml'), 'method'), 'full');
  });
});

describe('a config whose keys nobody knows', () => {
  const program = (file: string): string =>
    `import torch\nfrom omegaconf import OmegaConf\n\ndef run(config):\n    model = Net()\n    optimizer = torch.optim.Adam(model.parameters())\n    for rows in torch.utils.data.DataLoader(data, batch_size=config.batch_size, shuffle=True):\n        model(rows).loss.backward()\n        optimizer.step()\n\nif __name__ == "__main__":\n    config = OmegaConf.load("${file}")\n    run(config)\n`;

  it('is that of the loop that opens it, if it says the batch', async () => {
    const own = {
      'p/configs/base.yaml': 'seq_len: 300\nbatch_size: 32\n',
      'p/train.py': program('configs/base.yaml'),
    };
    const run = await runIn(own, 'p/configs/base.yaml');
    assert.deepEqual([valueOf(run, 'microBatchSize'), valueOf(run, 'optimizer')], [32, 'Adam']);
    const labels = { 'p/labels.json': '{"cat": 0, "dog": 1}', 'p/train.py': program('labels.json') };
    await assert.rejects(runIn(labels, 'p/labels.json'), /no run/);
  });
});

describe('a program in a package of the project', () => {
  const opens = `${LOADS}from trl import SFTConfig, SFTTrainer

def main():
    with open("configs/a.yaml") as file:
        cfg = yaml.safe_load(file)
    args = SFTConfig(per_device_train_batch_size=cfg["training"]["batch_size"], gradient_accumulation_steps=6)
    SFTTrainer(model=cfg["base_model"], args=args).train()

main()
`;

  it('is found below a folder for sources, and where the project lists packages', async () => {
    for (const more of [
      { 'src/tool/training/train.py': opens },
      { 'tool/training/train.py': opens, 'pyproject.toml': '[project]\nname = "tool"\n' },
    ]) {
      const run = await runIn({ 'configs/a.yaml': CONFIG, ...more }, 'configs/a.yaml');
      assert.equal(valueOf(run, 'gradAccum'), 6, Object.keys(more)[0]);
    }
    const elsewhere = { 'configs/a.yaml': CONFIG, 'tool/training/train.py': opens };
    assert.equal(valueOf(await runIn(elsewhere, 'configs/a.yaml'), 'gradAccum'), 1);
  });

  const LOOP = `import argparse, deepspeed, torch, yaml
from transformers import AutoModelForCausalLM

parser = argparse.ArgumentParser()
parser.add_argument("--config")
parser.add_argument("--ds_config")
args = parser.parse_args()
cfg = yaml.safe_load(open(args.config))
model = AutoModelForCausalLM.from_pretrained(cfg["model"]["name_or_path"])
model.gradient_checkpointing_enable()
optimizer = torch.optim.AdamW(model.parameters())
engine, *_ = deepspeed.initialize(model=model, optimizer=optimizer, config=args.ds_config)
for batch in batches(cfg):
    engine.backward(engine(batch).loss)
    engine.step()
`;

  it('is started as a module of it; its own loop has no trainer’s defaults, and the engine’s settings of its file', async () => {
    const files = {
      'scripts/run.sh':
        'deepspeed --num_gpus 2 --module tool.train --config configs/a.yaml --ds_config ds.json\n',
      'src/tool/train.py': LOOP,
      'configs/a.yaml':
        'model: {name_or_path: org/m}\ntrain: {per_device_train_batch_size: 1, num_train_epochs: 2, learning_rate: 1e-4, weight_decay: 0.0, warmup_ratio: 0.03, logging_steps: 5}\n',
      'ds.json':
        '{"gradient_accumulation_steps": 8, "zero_optimization": {"stage": 2}, "bf16": {"enabled": true}}',
    };
    const run = await runIn(files, 'scripts/run.sh');
    const { gradAccum, zeroStage, gradientCheckpointing, optimizer, fsdp } = run.quantities;
    assert.deepEqual(
      [gradAccum.value, zeroStage.value, gradientCheckpointing.value, optimizer.value],
      [...[8, 2, true, 'AdamW']],
    );
    assert.deepEqual([fsdp.value, fsdp.origin.kind], [null, 'derived'], 'one of the two shards');
  });
});

describe('keys of a program of one’s own', () => {
  it('train adapters where the weights are quantized', async () => {
    const head =
      'model_name_or_path: org/m\nload_in_4bit: true\nmax_length: 512\nper_device_train_batch_size: 1\ngradient_accumulation_steps: 4\nlearning_rate: 1e-4\nnum_train_epochs: 1\nlogging_steps: 5\n';
    const ranked = await runIn({ 'a.yaml': `${head}dataset_text_field: text\nlora_r: 16\n` }, 'a.yaml');
    assert.equal(ranked.dialect, 'hf-trl');
    assert.deepEqual([valueOf(ranked, 'method'), ranked.quantities.lora.value?.r], ['qlora', 16]);
    const run = await runIn({ 'a.yaml': head.replace(/load_in_4bit.*\nmax_length.*/, 'bits: 4') }, 'a.yaml');
    assert.deepEqual(
      [run.dialect, valueOf(run, 'method'), valueOf(run, 'lora')],
      [...['hf-trainer', 'unknown', 'unknown']],
    );
  });

  it('are of no server where they train, whatever engine writes the answers', async () => {
    const config =
      'model: {name_or_path: org/m}\nrollout: {vllm: {tensor_parallel_size: 1, gpu_memory_utilization: 0.8, max_num_seqs: 64}}\n';
    assert.equal((await runIn({ 'a.yaml': config }, 'a.yaml')).dialect, 'vllm');
    const world = worldOf({});
    const { runs } = await readConfig('a.yaml', `${config}train: {learning_rate: 1e-6}\n`, world, running);
    assert.deepEqual(runs, []);
  });

  it('are of no diffusion where the rows are tokens', async () => {
    const flat =
      'vocab_size: 32000\nd_model: 512\nnum_layers: 8\nnum_heads: 8\nd_ff: 2048\nmax_seq_len: 512\nbatch_size: 16\ngradient_accumulation_steps: 2\nlearning_rate: 0.0003\nnum_epochs: 5\noptimizer: adamw\nmixed_precision: bf16\n';
    const run = await runIn({ 'a.yaml': flat }, 'a.yaml');
    assert.deepEqual(
      [run.dialect, valueOf(run, 'seqLen'), valueOf(run, 'microBatchSize')],
      [...['generic', 512, 16]],
    );
    assert.notEqual(run.quantities.task.value, 'denoising');
  });

  const OWN = 'training: {epochs: 3, batch_size: 4, learning_rate: 1e-4, gradient_checkpointing: true}\n';
  const looping = (more: string): string =>
    `${naming('"configs/own.yaml"', more)}    for step in range(config["training"]["epochs"]):\n        model(step).loss.backward()\n`;
  for (const [more, value] of [
    ['', 'unknown'],
    ['    model.gradient_checkpointing_enable()\n', true],
    ['    setup(model, **config["training"])\n', true],
    ['    if config["training"]["gradient_checkpointing"]:\n        enable(model)\n', true],
  ] as const) {
    it(`is not what a key says that nothing reads: ${more.trim()}`, async () => {
      const files = { 'configs/own.yaml': `base_model: org/m\n${OWN}`, 'train.py': looping(more) };
      assert.equal(valueOf(await runIn(files, 'configs/own.yaml'), 'gradientCheckpointing'), value);
    });
  }

  const LENGTH =
    'base_model: org/m\ntraining: {epochs: 3, batch_size: 4, learning_rate: 1e-4, max_seq_length: 512}\n';
  const TUNES = `import yaml
from transformers import TrainingArguments
from trl import SFTTrainer
from own.data import rows_of

def main():
    config = yaml.safe_load(open("configs/own.yaml"))
    t = config["training"]
    args = TrainingArguments(per_device_train_batch_size=t["batch_size"], learning_rate=t["learning_rate"], num_train_epochs=t["epochs"])
    print("length", t["max_seq_length"])
    SFTTrainer(model=config["base_model"], train_dataset=rows_of(config), args=args).train()

main()
`;
  for (const [title, rows, value] of [
    ['nowhere: TRL’s own', 'def rows_of(config):\n    return load(config["rows"])\n', 1024],
    ['in a module', 'def rows_of(config):\n    return load(config["training"]["max_seq_length"])\n', 512],
    ['among all', 'def rows_of(config):\n    return load(**config["training"])\n', 512],
    ['by a loop', 'def rows_of(config):\n    return [config[key] for key in keys()]\n', 512],
  ] as const) {
    it(`is not a length that the trainer does not get: used ${title}`, async () => {
      const files = { 'configs/own.yaml': LENGTH, 'train.py': TUNES, 'own/data.py': rows };
      assert.equal(valueOf(await runIn(files, 'configs/own.yaml'), 'seqLen'), value);
    });
  }

  it('are of the model beneath where the program loads a folder of adapters', async () => {
    const config =
      'sft_adapter: outputs/sft\nbase_model: org/m\nlearning_rate: 1e-4\nnum_train_epochs: 1\nwarmup_ratio: 0.1\ngradient_accumulation_steps: 4\nper_device_train_batch_size: 2\nmax_seq_len: 512\n';
    const program = `import yaml
from trl import DPOConfig, DPOTrainer
from unsloth import FastLanguageModel

cfg = yaml.safe_load(open("configs/a.yaml"))
model, tokenizer = FastLanguageModel.from_pretrained(model_name=cfg["sft_adapter"], max_seq_length=cfg["max_seq_len"])
args = DPOConfig(per_device_train_batch_size=cfg["per_device_train_batch_size"], learning_rate=cfg["learning_rate"])
DPOTrainer(model=model, args=args).train()
`;
    const found = async (text: string): Promise<unknown> =>
      valueOf(await runIn({ 'configs/a.yaml': text, 'train.py': program }, 'configs/a.yaml'), 'model');
    assert.equal(await found(config), 'org/m');
    assert.equal(await found(config.replace('base_model: org/m\n', '')), 'outputs/sft');
  });

  it('is no value of a module that is not there', async () => {
    const files = { 'configs/own.yaml': LENGTH, 'train.py': TUNES.replace('own.data', '.data') };
    assert.equal(valueOf(await runIn(files, 'configs/own.yaml'), 'seqLen'), 512);
  });

  const TUNE =
    'model_name_or_path: org/m\nlearning_rate: 1e-4\nper_device_train_batch_size: 2\nmax_seq_length: 512\nlora: {r: 8}\n';
  for (const [trainer, task] of [
    ['SFTTrainer(model)', 'sft'],
    ['CPOTrainer(model)', 'unknown'],
    ['grpo_loss(model)', 'unknown'],
  ] as const) {
    it(`is not to continue texts where the program compares answers: ${trainer}`, async () => {
      const program = naming('"configs/a.yaml"', `    ${trainer}.backward()\n`);
      const run = await runIn({ 'configs/a.yaml': TUNE, 'train.py': program }, 'configs/a.yaml');
      assert.equal(valueOf(run, 'task'), task);
    });
  }

  it('is no default of verl in a fork that has other sections', async () => {
    const config = `data: {max_prompt_length: 1024, max_response_length: 512, rollout_batch_size: 32}
algorithm: {adv_estimator: grpo}
worker: {actor: {MODEL}}
trainer: {n_gpus_per_node: 2, nnodes: 1, total_epochs: 2}
`;
    const runOf = (actor: string) => runIn({ 'a.yaml': config.replace('MODEL', actor) }, 'a.yaml');
    const stated = await runOf('model: {model_path: org/m}, micro_batch_size_per_device_for_update: 2');
    assert.deepEqual([stated.quantities.model.value, stated.quantities.microBatchSize.value], ['org/m', 2]);
    assert.equal(valueOf(await runOf('strategy: fsdp'), 'model'), 'unknown');
  });
});
