import assert from 'node:assert/strict';
import { read } from './support';

const TRAIN = `defaults:
  - _self_
  - data: mnist
  - model: null
  - trainer: default
  - experiment: null
  - optional local: default
task_name: train
data:
  batch_size: 1
`;
const tree = {
  'configs/train.yaml': TRAIN,
  'configs/eval.yaml': 'defaults:\n  - data: mnist\n  - trainer: default\nckpt_path: ???\n',
  'configs/data/mnist.yaml': '_target_: x.MyDataModule\nbatch_size: 128\nnum_workers: 0\n',
  'configs/data/other.yaml': '_target_: x.OtherDataModule\nbatch_size: 7\n',
  'configs/trainer/default.yaml':
    '_target_: lightning.pytorch.trainer.Trainer\naccelerator: cpu\ndevices: 1\n',
  'configs/trainer/ddp.yaml': 'defaults:\n  - default\nstrategy: ddp\naccelerator: gpu\ndevices: 4\n',
  'configs/experiment/big.yaml': `# @package _global_
defaults:
  - override /data: other.yaml
  - override /trainer: ddp
trainer:
  accumulate_grad_batches: 2
`,
};

describe('Hydra trees', () => {
  it('are composed of what their defaults choose, in their order', async () => {
    const { runs, dialect } = await read(tree, 'configs/train.yaml');
    const [run] = runs;
    assert.equal(dialect, 'hydra');
    assert.equal(run?.quantities.microBatchSize.value, 128, 'the group comes after _self_');
    assert.equal(run.quantities.accelerator.value, 'cpu');
    const { origin } = run.quantities.microBatchSize;
    assert.ok(origin.kind === 'referenced' && origin.at.file === 'configs/data/mnist.yaml');
    assert.equal(origin.at.path, 'batch_size');
  });

  it('let the body win where _self_ is missing or last', async () => {
    const late = { ...tree, 'configs/train.yaml': TRAIN.replace('  - _self_\n', '') };
    const { runs } = await read(late, 'configs/train.yaml');
    assert.equal(runs[0]?.quantities.microBatchSize.value, 1);
  });

  it('are found from an experiment, whose overrides choose other options', async () => {
    const { runs } = await read(tree, 'configs/experiment/big.yaml');
    assert.deepEqual(
      runs.map(({ name }) => name),
      ['experiment=big'],
    );
    const { microBatchSize, devices, gradAccum, effectiveBatch, strategy } =
      runs[0]?.quantities ?? assert.fail();
    assert.deepEqual(
      [microBatchSize, devices, gradAccum, effectiveBatch, strategy].map(({ value }) => value),
      [7, 4, 2, 56, 'ddp'],
    );
    assert.equal(runs[0]?.sources[0]?.path, 'configs/train.yaml');
  });

  it('are found from an option that they choose, and from one that they might', async () => {
    const used = await read(tree, 'configs/data/mnist.yaml');
    assert.deepEqual(
      used.runs.map(({ name, sources }) => [name, sources[0]?.path]),
      [['', 'configs/train.yaml']],
    );
    const other = await read(tree, 'configs/trainer/ddp.yaml');
    assert.deepEqual(
      other.runs.map(({ name, quantities }) => [name, quantities.devices.value]),
      [['trainer=ddp', 4]],
    );
  });

  it('read an option without its root as what it says by itself', async () => {
    const { runs } = await read({ 'configs/trainer/ddp.yaml': tree['configs/trainer/ddp.yaml'] });
    const { devices, microBatchSize } = runs[0]?.quantities ?? assert.fail();
    assert.equal(devices.value, 4);
    assert.equal(microBatchSize.origin.kind, 'unresolved');
  });

  it('place options in the package that is said', async () => {
    const { runs } = await read({
      'conf/config.yaml': 'defaults:\n  - loaders@dataloader: big\n  - model: net\n  - _self_\n',
      'conf/loaders/big.yaml': 'batch_size: 9\n',
      'conf/model/net.yaml': 'defaults:\n  - /optim@optimizer: adam\n_target_: a.models.Net\n',
      'conf/optim/adam.yaml': '_target_: torch.optim.Adam\n',
    });
    const { microBatchSize, optimizer } = runs[0]?.quantities ?? assert.fail();
    assert.equal(microBatchSize.value, 9);
    assert.equal(optimizer.value, 'torch.optim.Adam');
  });

  it('leave unknown what an option that nobody has would say, and nothing else', async () => {
    const { runs, notes } = await read({
      'conf/config.yaml':
        'defaults:\n  - data: gone\n  - model: ???\n  - _self_\ntrainer:\n  _target_: lightning.Trainer\n  devices: 2\n',
    });
    const { evalBatchSize, devices, model } = runs[0]?.quantities ?? assert.fail();
    assert.equal(devices.value, 2);
    assert.ok(evalBatchSize.origin.kind === 'unresolved' && evalBatchSize.origin.why.includes('data/gone'));
    assert.ok(model.origin.kind === 'unresolved' && model.origin.why.includes('???'));
    assert.deepEqual(notes, []);
  });

  it('report a circle, and end', async () => {
    const { notes } = await read({
      'conf/config.yaml': 'defaults:\n  - model: a\n  - data: x\n',
      'conf/model/a.yaml': 'defaults:\n  - b\n',
      'conf/model/b.yaml': 'defaults:\n  - a\n',
    });
    assert.deepEqual(
      notes.map(({ code }) => code),
      ['circular-files'],
    );
  });

  it('follow interpolations across files, relative ones too', async () => {
    const { runs } = await read({
      'conf/config.yaml':
        'defaults:\n  - data: x\n  - _self_\nmodel:\n  batch_size: 12\ntrainer:\n  _target_: lightning.Trainer\n  devices: 1\n',
      'conf/data/x.yaml':
        'batch_size: ${model.batch_size}\nval_batch_size: ${.batch_size}\nnum_workers: ${oc.env:W,4}\n',
    });
    const { microBatchSize, evalBatchSize, numWorkers } = runs[0]?.quantities ?? assert.fail();
    assert.equal(microBatchSize.value, 12);
    assert.equal(evalBatchSize.value, 12);
    assert.equal(numWorkers.origin.kind, 'unresolved');
  });
});

describe('sweeps of Hydra', () => {
  const SEARCH = `# @package _global_
defaults:
  - override /hydra/sweeper: optuna
hydra:
  sweeper:
    params:
      model.optimizer.lr: interval(0.0001, 0.1)
      data.batch_size: choice(32, 64)
      model.width: 128,256
`;
  const TREE = {
    'configs/hparams_search/wide.yaml': SEARCH,
    'configs/train.yaml':
      'defaults:\n  - _self_\n  - data: mnist\n  - hparams_search: null\ntrainer: {devices: 1}\n',
    'configs/data/mnist.yaml': 'batch_size: 8\nnum_workers: 0\n',
  };

  it('are a run for each cell, at the values that are tried', async () => {
    const { runs } = await read(TREE);
    assert.deepEqual(
      runs.map(({ name }) => name),
      [
        'hparams_search=wide data.batch_size=32 model.width=128',
        'hparams_search=wide data.batch_size=32 model.width=256',
        'hparams_search=wide data.batch_size=64 model.width=128',
        'hparams_search=wide data.batch_size=64 model.width=256',
      ],
    );
    const batches = runs.map(
      ({ quantities: { globalBatchSize, microBatchSize } }) => globalBatchSize.value ?? microBatchSize.value,
    );
    assert.deepEqual(batches, [32, 32, 64, 64]);
    const origin = [runs[2]?.quantities.globalBatchSize, runs[2]?.quantities.microBatchSize]
      .map(quantity => quantity?.origin)
      .find(one => one?.kind === 'file' || one?.kind === 'referenced');
    assert.ok(origin && 'at' in origin);
    assert.equal(SEARCH.slice(origin.at.valueSpan.start, origin.at.valueSpan.end), '64');
  });

  it('of many cells hold the last axes at their largest', async () => {
    const params = ['a', 'b', 'c'].map(key => `      model.${key}: choice(1, 3, 2, 9, 4)\n`).join('');
    const text = SEARCH.replace('      model.width: 128,256\n', params);
    const { runs } = await read({ ...TREE, 'configs/hparams_search/wide.yaml': text });
    assert.equal(runs.length, 10);
    assert.ok(
      runs.every(({ name }) => !name.includes('model.b')),
      'axes that are held are not in the names',
    );
  });
});

describe('Hydra trees of other shapes', () => {
  const VERL = {
    'examples/config/mine.yaml':
      'hydra:\n  searchpath:\n    - file://verl/trainer/config\ndefaults:\n  - ppo_trainer\n  - _self_\ndata:\n  train_batch_size: 256\nactor_rollout_ref:\n  hybrid_engine: true\n  rollout: {name: vllm}\n',
    'verl/trainer/config/ppo_trainer.yaml':
      'defaults:\n  - actor@actor_rollout_ref.actor: dp_actor\n  - _self_\ndata:\n  train_batch_size: 1024\n  max_prompt_length: 512\n  max_response_length: 512\nactor_rollout_ref:\n  model:\n    path: a/b\ntrainer:\n  n_gpus_per_node: 4\n  nnodes: 2\n',
    'verl/trainer/config/actor/dp_actor.yaml':
      'defaults:\n  - ../engine@fsdp_config: fsdp\n  - actor\n  - _self_\nppo_mini_batch_size: 128\n',
    'verl/trainer/config/actor/actor.yaml': 'ppo_micro_batch_size_per_gpu: 3\n',
    'verl/trainer/config/engine/fsdp.yaml': 'model_dtype: bfloat16\n',
  };

  it('verl: defaults are found where hydra.searchpath says, and in the folders beside theirs', async () => {
    const { runs, dependencies } = await read(VERL, 'examples/config/mine.yaml');
    const { model, microBatchSize, gpus, loadDtype } = runs[0]?.quantities ?? assert.fail();
    assert.deepEqual(
      [model, microBatchSize, gpus, loadDtype].map(({ value }) => value),
      ['a/b', 3, 8, 'bf16'],
    );
    assert.ok(dependencies.includes('verl/trainer/config/actor/actor.yaml'));
    assert.ok(loadDtype.origin.kind === 'referenced');
    assert.equal(loadDtype.origin.at.file, 'verl/trainer/config/engine/fsdp.yaml');
  });

  const SOLVER = `# @package __global__
defaults:
  - musicgen/default
  - _self_
autocast: true
compression_model_checkpoint: //x
dataset:
  batch_size: 192
optim:
  epochs: 5
`;
  const AUDIO = {
    'config/solver/musicgen/base.yaml': SOLVER,
    'config/solver/musicgen/default.yaml':
      '# @package __global__\ndefaults:\n  - /solver/default\n  - _self_\ndataset:\n  segment_duration: 30\n',
    'config/solver/default.yaml': '# @package __global__\ndataset:\n  num_workers: 7\n',
  };

  it('AudioCraft: defaults count from the group, which a root config chooses or not', async () => {
    const [alone] = (await read(AUDIO)).runs;
    assert.equal(alone?.quantities.seqLen.value, 30);
    assert.equal(alone.quantities.numWorkers.value, 7);
    const root = {
      ...AUDIO,
      'config/config.yaml': 'defaults:\n  - _self_\n  - solver: default\nlogging: {}\n',
    };
    const [run] = (await read(root)).runs;
    assert.equal(run?.name, 'solver=musicgen/base');
    assert.equal(run.quantities.seqLen.value, 30);
  });
});
