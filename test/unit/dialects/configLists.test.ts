import assert from 'node:assert/strict';
import { editsFor } from '../../../src/core/dialects/write';
import { applied, read } from './support';

const JOB = '#!/bin/bash\n#SBATCH --gpus-per-node=4\n';

const LIGHTNING = {
  'job.sbatch': `${JOB}srun python main.py fit --config base.yaml --config big.yaml --trainer.devices 2 --data.batch_size 6\n`,
  'base.yaml':
    'trainer:\n  devices: 1\n  precision: bf16-mixed\n  strategy: {class_path: x.FSDPStrategy}\nmodel: {class_path: m.Net}\ndata:\n  class_path: d.Images\n  init_args: {batch_size: 8, num_workers: 3}\n',
  'big.yaml': 'trainer: {accumulate_grad_batches: 4, strategy: ddp}\ndata: {init_args: {batch_size: 16}}\n',
};

describe('several configs in one command', () => {
  it('lie over each other, and the command’s own words over all', async () => {
    const { runs, dependencies } = await read(LIGHTNING);
    const [run] = runs;
    assert.equal(run?.dialect, 'lightning-cli');
    assert.equal(run.quantities.microBatchSize.value, 6);
    assert.equal(run.quantities.gradAccum.value, 4);
    assert.equal(run.quantities.numWorkers.value, 3);
    assert.equal(run.quantities.precision.value, 'bf16-mixed');
    assert.equal(run.quantities.strategy.value, 'ddp', 'a word replaces the section beneath it');
    assert.ok(dependencies.includes('base.yaml') && dependencies.includes('big.yaml'));
  });

  it('take an edit in the file that owns the value', async () => {
    const [run] = (await read(LIGHTNING)).runs;
    assert.ok(run);
    const result = editsFor(run, [
      { quantity: 'gradAccum', to: 8 },
      { quantity: 'microBatchSize', to: 3 },
      { quantity: 'precision', to: 'fp32' },
    ]);
    assert.ok(result.ok);
    const after = applied(LIGHTNING, result.edits);
    assert.match(after['big.yaml'] ?? '', /accumulate_grad_batches: 8/);
    assert.match(after['job.sbatch'] ?? '', /--data\.batch_size 3/);
    assert.match(after['base.yaml'] ?? '', /precision: 32-true/);
    assert.match(after['base.yaml'] ?? '', /batch_size: 8/, 'what lies beneath stays');
  });

  it('win in the order of the command: a config behind a flag lies over it', async () => {
    const files = {
      ...LIGHTNING,
      'job.sbatch': `${JOB}python main.py fit --data.init_args.batch_size 2 -c base.yaml --model Other\n`,
    };
    const [run] = (await read(files)).runs;
    assert.equal(run?.quantities.microBatchSize.value, 8);
    assert.equal(run.quantities.model.value, 'Other');
  });

  it('may be sections, each in a file of its own', async () => {
    const files = {
      'job.sbatch': `${JOB}python main.py fit --trainer trainer.yaml --data data.yaml --model=model.yaml\n`,
      'trainer.yaml': 'devices: 4\nprecision: 16-mixed\naccelerator: gpu\n',
      'data.yaml': 'class_path: d.Images\ninit_args: {batch_size: 24}\n',
      'model.yaml': 'class_path: m.Net\n',
    };
    const [run] = (await read(files)).runs;
    assert.equal(run?.dialect, 'lightning-cli');
    assert.equal(run.quantities.microBatchSize.value, 24);
    assert.equal(run.quantities.precision.value, 'fp16-mixed');
    assert.equal(run.quantities.model.value, 'm.Net');
  });

  it('leave open what one of them might say that is not there', async () => {
    const files = { 'job.sbatch': LIGHTNING['job.sbatch'], 'base.yaml': LIGHTNING['base.yaml'] };
    const [run] = (await read(files)).runs;
    assert.equal(run?.quantities.microBatchSize.value, 6, 'the command says it');
    assert.equal(run.quantities.gradAccum.origin.kind, 'unresolved');
    const outside = { ...LIGHTNING, 'job.sbatch': LIGHTNING['job.sbatch'].replace('big.yaml', '$EXTRA') };
    const [open] = (await read(outside)).runs;
    assert.equal(open?.quantities.gradAccum.origin.kind, 'unresolved');
  });

  const NEOX = {
    'job.sbatch': `${JOB}python ./deepy.py train.py -d configs small local_setup.yml\n`,
    'configs/small.yml':
      '{"pipe-parallel-size": 1, "model-parallel-size": 2, "num-layers": 12, "hidden-size": 768, "num-attention-heads": 12, "seq-length": 2048, "train_micro_batch_size_per_gpu": 4, "precision": "fp16"}\n',
    'configs/local_setup.yml': '{"data-path": "data/enwik8", "gradient_accumulation_steps": 3}\n',
  };

  it('GPT-NeoX: names files of one folder without their extension', async () => {
    const { runs, notes } = await read(NEOX);
    const [run] = runs;
    assert.equal(run?.dialect, 'gpt-neox');
    assert.equal(run.quantities.microBatchSize.value, 4);
    assert.equal(run.quantities.gradAccum.value, 3);
    assert.equal(run.quantities.gpus.value, 4);
    assert.deepEqual(notes, []);
  });

  it('GPT-NeoX: a key in two of them is a finding at the second one', async () => {
    const files = {
      ...NEOX,
      'configs/local_setup.yml': '{"train_micro_batch_size_per_gpu": 8, "gradient_accumulation_steps": 3}\n',
    };
    const { notes } = await read(files);
    assert.deepEqual(
      notes.map(({ code, at }) => [code, at.file, at.path]),
      [['key-in-two-files', 'configs/local_setup.yml', 'train_micro_batch_size_per_gpu']],
    );
  });

  it('LDM: what stands behind --base is merged', async () => {
    const files = {
      'job.sbatch': `${JOB}python main.py --base a.yaml b.yaml -t model.base_learning_rate=1e-5 data.params.batch_size=3\n`,
      'a.yaml':
        'model:\n  base_learning_rate: 1.0e-06\n  target: ldm.models.diffusion.ddpm.LatentDiffusion\n  params: {image_size: 64}\ndata:\n  target: main.DataModuleFromConfig\n  params: {batch_size: 8, num_workers: 2}\n',
      'b.yaml': 'lightning: {trainer: {accumulate_grad_batches: 2}}\n',
    };
    const [run] = (await read(files)).runs;
    assert.equal(run?.dialect, 'ldm-sgm');
    assert.equal(run.quantities.microBatchSize.value, 3);
    assert.equal(run.quantities.gradAccum.value, 2);
  });
});

describe('arguments of a command', () => {
  it('keep their neighbours at any depth', async () => {
    const files = {
      'job.sbatch': `${JOB}python3 -m verl.trainer.main_ppo data.train_batch_size=64 data.max_prompt_length=512 actor_rollout_ref.model.path=a/b actor_rollout_ref.actor.fsdp_config.offload_policy=True actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=2 trainer.n_gpus_per_node=4\n`,
    };
    const [run] = (await read(files)).runs;
    assert.equal(run?.dialect, 'verl');
    assert.equal(run.quantities.model.value, 'a/b');
    assert.equal(run.quantities.microBatchSize.value, 2);
    assert.equal(run.quantities.offload.value?.param, 'cpu');
  });
});
