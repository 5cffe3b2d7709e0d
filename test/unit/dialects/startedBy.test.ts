import assert from 'node:assert/strict';
import { launchOf } from '../../../src/core/launch/launch';
import { analyze } from '../../../src/core/analyse/analyse';
import type { Analysis } from '../../../src/core/rules/analysis';
import { lensTexts, lensTooltip } from '../../../src/core/render/lens';
import { checkText } from '../../../src/core/render/text';
import { plainPaint } from '../../../src/core/text/terminal';
import { Launchers } from '../../../src/world/launchers';
import { running, worldOf } from './support';

const TUNE =
  'base_model: a/b\nmicro_batch_size: 1\nsequence_len: 512\ngradient_accumulation_steps: 2\ndatasets: [{path: d, type: alpaca}]\n';
const JOB = (gpus: number, more = ''): string =>
  `#!/bin/bash\n#SBATCH --gres=gpu:${gpus} --job-name=llama\nsrun axolotl train configs/tune.yaml${more}\n`;

async function analyzed(
  files: Readonly<Record<string, string>>,
  opened = 'configs/tune.yaml',
): Promise<Analysis> {
  const text: string = files[opened] ?? '';
  const world = worldOf(files);
  const launchers = new Launchers(
    { ...world.files, list: folder => Promise.resolve(namesIn(files, folder)) },
    () => '',
  );
  return analyze(opened, text, { ...world, launchers }, { target: null, severities: {} }, running);
}

/** Names of files and folders in a folder. */
const namesIn = (files: Readonly<Record<string, string>>, folder: string): string[] => [
  ...new Set(
    Object.keys(files)
      .filter(path => folder === '' || path.startsWith(`${folder}/`))
      .map(path => path.slice(folder === '' ? 0 : folder.length + 1).split('/')[0] ?? ''),
  ),
];

describe('who starts a config', () => {
  it('gives it GPUs and overrides, from a script above it that is not open', async () => {
    const analysis = await analyzed({
      'configs/tune.yaml': TUNE,
      'train.sbatch': JOB(4, ' --micro-batch-size 8'),
    });
    const [run] = analysis.runs;
    assert.equal(run?.run.quantities.gpus.value, 4);
    assert.equal(run.run.quantities.microBatchSize.value, 8);
    assert.deepEqual(run.run.startedBy, { files: ['train.sbatch'], agree: true });
    assert.equal(run.run.name, '', 'a job has the name that its script gives it');
    assert.match(lensTexts(analysis.runs)[0]?.title ?? '', / · train\.sbatch$/);
    assert.match(checkText(analysis, plainPaint).raw, /as started by train\.sbatch/);
    assert.ok(analysis.dependencies.includes('train.sbatch'));
    assert.ok(analysis.dependencies.includes('configs/'), 'a new script there may change it');
  });

  it('is read where the commands around it start nothing that is known', async () => {
    const analysis = await analyzed({
      'configs/tune.yaml':
        'model: {steps: 2500, width: 64}\ntraining: {epochs: 10, batch_size: 64, learning_rate: 0.001}\n',
      'README.md':
        '```bash\npython train.py --config configs/tune.yaml\npython train.py --epochs 5 --batch_size 8\n```\n',
      'train.py':
        'import argparse\nimport yaml\np = argparse.ArgumentParser()\np.add_argument("--config", default="configs/tune.yaml")\np.add_argument("--epochs", type=int)\np.add_argument("--batch_size", type=int)\nargs = p.parse_args()\ncfg = yaml.safe_load(open(args.config))\n',
    });
    const found = analysis.runs.map(({ run: { dialect, quantities } }) => [
      dialect,
      quantities.microBatchSize.value,
    ]);
    assert.deepEqual(found, [['generic', 64]]);
  });

  it('is not a command that prepares its data', async () => {
    const prepare = 'CUDA_VISIBLE_DEVICES="" python -m axolotl.cli.preprocess configs/tune.yaml\n';
    const only = await analyzed({ 'configs/tune.yaml': TUNE, 'run.bash': prepare });
    assert.equal(only.runs[0]?.run.startedBy, undefined);
    const train = 'accelerate launch --num_processes 2 -m axolotl.cli.train configs/tune.yaml\n';
    const both = await analyzed({ 'configs/tune.yaml': TUNE, 'run.bash': `${prepare}${train}` });
    assert.deepEqual(
      both.runs.map(({ run }) => [run.quantities.gpus.value, run.startedBy?.agree]),
      [[2, true]],
    );
    const words = await analyzed({
      'configs/tune.yaml': TUNE,
      'a.sh': 'axolotl preprocess configs/tune.yaml\n',
    });
    assert.equal(words.runs[0]?.run.startedBy, undefined);
  });

  it('is found in a folder for scripts beside the config’s', async () => {
    const analysis = await analyzed({ 'configs/tune.yaml': TUNE, 'scripts/run.sh': JOB(2) });
    assert.equal(analysis.runs[0]?.run.quantities.gpus.value, 2);
  });

  it('is named, and nothing is guessed, where several differ', async () => {
    const analysis = await analyzed({
      'configs/tune.yaml': TUNE,
      'a.sbatch': JOB(4),
      'b.sbatch': JOB(8),
    });
    const [run] = analysis.runs;
    assert.equal(run?.run.quantities.gpus.value, null);
    assert.deepEqual(run.run.startedBy, { files: ['a.sbatch', 'b.sbatch'], agree: false });
    assert.match(lensTexts(analysis.runs)[0]?.title ?? '', / · started differently$/);
    assert.match(lensTooltip(run), /started differently by a\.sbatch, b\.sbatch$/);
    assert.match(checkText(analysis, plainPaint).raw, /started differently by a\.sbatch, b\.sbatch/);
  });

  it('may be several that agree', async () => {
    const analysis = await analyzed({ 'configs/tune.yaml': TUNE, 'a.sbatch': JOB(4), 'b.sbatch': JOB(4) });
    assert.equal(analysis.runs[0]?.run.quantities.gpus.value, 4);
    assert.deepEqual(analysis.runs[0].run.startedBy?.files, ['a.sbatch', 'b.sbatch']);
  });

  const README = (...commands: readonly string[]): string =>
    `# Training\n\nUse \`axolotl preprocess configs/tune.yaml\` first.\n\n\`\`\`bash\n$ ${commands.join('\n$ ')}\n\`\`\`\n\n\`\`\`python\nrun("configs/tune.yaml")\n\`\`\`\n`;
  const started = (gpus: number, more = ''): string =>
    `accelerate launch --num_processes ${gpus} -m axolotl.cli.train configs/tune.yaml${more}`;

  it('is a README that has a command for it, from the folder of the README or one above', async () => {
    const { runs } = await analyzed({ 'configs/tune.yaml': TUNE, 'configs/README.md': README(started(4)) });
    assert.equal(runs[0]?.run.quantities.gpus.value, 4);
    assert.deepEqual(runs[0].run.startedBy, { files: ['configs/README.md'], agree: true });
    const launch = launchOf(
      runs[0].run,
      { file: 'configs/tune.yaml', dialect: 'axolotl' },
      { gpus: 4, folder: '' },
    );
    assert.deepEqual(launch.ok && launch.launch.argv, started(4).split(' '));
  });

  it('is not a README whose example changes what the config says', async () => {
    const readme = README(started(2, ' --micro-batch-size 16'));
    const { runs } = await analyzed({ 'configs/tune.yaml': TUNE, 'README.md': readme });
    assert.deepEqual([runs[0]?.run.quantities.microBatchSize.value, runs[0]?.run.startedBy], [1, undefined]);
  });

  it('does by default what the config does not say, and nothing else', async () => {
    const config =
      'training: {per_device_train_batch_size: 8, learning_rate: 1e-5, num_train_epochs: 1}\nmodel: {model_name: a/b-7b, use_lora: true, lora_rank: 16}\n';
    const program = `import yaml
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

def main():
    with open("configs/tune.yaml") as f:
        cfg = yaml.safe_load(f)
    model = AutoModelForCausalLM.from_pretrained(cfg["model"]["model_name"])
    args = TrainingArguments(output_dir="out", **cfg["training"])
    Trainer(model=model, args=args, train_dataset=load()).train()

if __name__ == "__main__":
    main()
`;
    const { runs } = await analyzed({ 'configs/tune.yaml': config, 'train.py': program });
    const { microBatchSize, method, lora } = runs[0]!.run.quantities;
    assert.deepEqual([microBatchSize.value, method.value, lora.value?.r], [8, 'lora', 16]);
  });

  it('is a Makefile', async () => {
    const make = `.PHONY: train\ntrain: data\n\t@${started(2)}\n`;
    const { runs } = await analyzed({ 'configs/tune.yaml': TUNE, Makefile: make });
    assert.equal(runs[0]?.run.quantities.gpus.value, 2);
  });

  it('is not a README that has several ways, and none where a script starts it', async () => {
    const files = { 'configs/tune.yaml': TUNE, 'README.md': README(started(4), started(8)) };
    const several = (await analyzed(files)).runs[0]?.run;
    assert.deepEqual([several?.startedBy?.agree, several?.quantities.gpus.value], [false, null]);
    const twice = await analyzed({ ...files, 'README.md': README(started(4), started(4)) });
    assert.equal(twice.runs[0]?.run.quantities.gpus.value, 4);
    const script = await analyzed({ ...files, 'train.sbatch': JOB(2) });
    assert.deepEqual(script.runs[0]?.run.startedBy, { files: ['train.sbatch'], agree: true });
  });

  it('is not a file that only mentions the name, or another config of that name', async () => {
    const analysis = await analyzed({
      'configs/tune.yaml': TUNE,
      'read.sh': '#!/bin/bash\n# see configs/tune.yaml\npython other.py --config old/tune.yaml\n',
      'old/tune.yaml': TUNE,
    });
    assert.equal(analysis.runs[0]?.run.startedBy, undefined);
  });

  it('starts a list of configs, each of which is then that run', async () => {
    const files = {
      'fit.sh':
        '#!/bin/bash\nCUDA_VISIBLE_DEVICES=0,1 python main.py fit --config configs/base.yaml --config configs/big.yaml\n',
      'configs/base.yaml':
        'trainer: {devices: 1, precision: bf16-mixed}\nmodel: {class_path: m.Net}\ndata: {class_path: d.I, init_args: {batch_size: 8}}\n',
      'configs/big.yaml': 'trainer: {accumulate_grad_batches: 4}\nmodel: {class_path: m.Big}\n',
    };
    const base = await analyzed(files, 'configs/base.yaml');
    assert.equal(base.runs[0]?.run.quantities.gradAccum.value, 4);
    assert.equal(base.runs[0].run.quantities.gpus.value, 2);
    const big = await analyzed(files, 'configs/big.yaml');
    assert.equal(big.runs[0]?.run.quantities.microBatchSize.value, 8);
  });

  it('is a config, of a DeepSpeed file: its run is shown there, with what is wrong in that file', async () => {
    const files = {
      'ds.json':
        '{"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": 4, "bf16": {"enabled": true}}',
      'tune.yaml': `${TUNE}deepspeed: ds.json\nbf16: true\nload_in_8bit: true\n`,
    };
    const { runs } = await analyzed(files, 'ds.json');
    assert.deepEqual(
      runs.map(({ run, judged }) => [run.dialect, judged]),
      [
        ['deepspeed', false],
        ['axolotl', true],
      ],
    );
    assert.equal(runs[1]?.run.quantities.zeroStage.value, 3);
    assert.ok(runs[1].findings.every(({ file }) => file === 'ds.json'));
    assert.match(lensTexts(runs.slice(1))[0]?.title ?? '', / · tune\.yaml$/);
  });

  it('is read anew once its folder is forgotten', async () => {
    const files: Record<string, string> = { 'tune.yaml': TUNE, 'a.sh': '#!/bin/bash\necho\n' };
    const launchers = new Launchers(
      { ...worldOf(files).files, list: folder => Promise.resolve(namesIn(files, folder)) },
      () => '',
    );
    assert.deepEqual((await launchers.of('tune.yaml')).files, []);
    files['a.sh'] = JOB(2).replace('configs/', '');
    launchers.forget('');
    assert.deepEqual((await launchers.of('tune.yaml')).files, ['a.sh']);
  });
});
