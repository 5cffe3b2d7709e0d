import assert from 'node:assert/strict';
import type { RunSpec } from '../../../src/core/spec/runSpec';
import { read } from './support';

const JOB = '#!/bin/bash\n#SBATCH --gres=gpu:2\n';
const TUNE = 'base_model: a/b\nmicro_batch_size: 1\nsequence_len: 512\ndatasets: [{path: d, type: alpaca}]\n';

async function only(files: Readonly<Record<string, string>>): Promise<RunSpec> {
  const { runs } = await read(files);
  return runs[0] ?? assert.fail('no run');
}

describe('what only the environment says', () => {
  it('leaves a DeepSpeed file’s facts open, and is not a missing file', async () => {
    const files = { 'tune.yaml': `${TUNE}deepspeed: \${DS_CONFIG}\n` };
    const { runs, notes } = await read(files);
    assert.equal(runs[0]?.quantities.zeroStage.origin.kind, 'unresolved');
    assert.deepEqual(notes, []);
  });

  it('leaves open what a config beneath would say', async () => {
    const run = await only({
      'train.sh': 'set -e\npython main.py fit --config base.yaml --config $MORE\n',
      'base.yaml':
        'trainer: {precision: bf16-mixed}\nmodel: {class_path: m.Net}\ndata: {class_path: d.I, init_args: {batch_size: 8}}\n',
    });
    assert.equal(run.quantities.gradAccum.origin.kind, 'unresolved');
  });

  it('leaves open a flag, a number of GPUs, an option of Hydra', async () => {
    const flag = await only({
      'job.sbatch': `${JOB}axolotl train tune.yaml --micro-batch-size $B\n`,
      'tune.yaml': TUNE,
    });
    assert.equal(flag.quantities.microBatchSize.origin.kind, 'unresolved');
    const gpus = await only({
      'job.sbatch': `#!/bin/bash\n#SBATCH --gres=gpu:$N\naxolotl train tune.yaml\n`,
      'tune.yaml': TUNE,
    });
    assert.equal(gpus.quantities.devices.origin.kind, 'unresolved');
    const option = await only({
      'configs/train.yaml': 'defaults:\n  - _self_\n  - data: ${oc.env:DATA}\n  - trainer: gpu\nname: x\n',
      'configs/trainer/gpu.yaml':
        '_target_: lightning.pytorch.trainer.Trainer\ndevices: 2\naccelerator: gpu\n',
      'configs/data/a.yaml': '_target_: x.D\nbatch_size: 4\n',
    });
    assert.equal(option.quantities.microBatchSize.origin.kind, 'unresolved');
    assert.equal(option.quantities.devices.value, 2);
  });

  it('leaves open Compose’s model, and Kubernetes’', async () => {
    const service =
      'services:\n  llm:\n    image: vllm/vllm-openai\n    gpus: 1\n    command: --model ${MODEL} --max-model-len 512\n';
    assert.equal((await only({ 'compose.yaml': service })).quantities.model.origin.kind, 'unresolved');
    const pod =
      'apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec:\n  containers:\n    - name: llm\n      image: vllm/vllm-openai\n      args: [--model, $(MODEL)]\n      env: [{name: MODEL, valueFrom: {secretKeyRef: {name: s, key: m}}}]\n      resources: {limits: {nvidia.com/gpu: 1}}\n';
    assert.equal((await only({ 'pod.yaml': pod })).quantities.model.origin.kind, 'unresolved');
  });
});

describe('files that lead to themselves', () => {
  it('are findings: bases, defaults, extended services', async () => {
    const codes = async (files: Readonly<Record<string, string>>): Promise<string[]> =>
      (await read(files)).notes.map(({ code }) => code);
    const bases = {
      'a.yaml':
        '_BASE_: b.yaml\nMODEL: {META_ARCHITECTURE: GeneralizedRCNN, WEIGHTS: x}\nSOLVER: {IMS_PER_BATCH: 2, BASE_LR: 0.1}\nDATASETS: {TRAIN: [a]}\n',
      'b.yaml': '_BASE_: a.yaml\n',
    };
    assert.ok((await codes(bases)).includes('circular-files'));
    const tree = {
      'configs/train.yaml': 'defaults:\n  - _self_\n  - trainer: gpu\nname: x\n',
      'configs/trainer/gpu.yaml':
        'defaults:\n  - more\n_target_: lightning.pytorch.trainer.Trainer\ndevices: 2\n',
      'configs/trainer/more.yaml': 'defaults:\n  - gpu\naccelerator: gpu\n',
    };
    assert.ok((await codes(tree)).includes('circular-files'));
    const service =
      'services:\n  a:\n    extends: a\n    image: vllm/vllm-openai\n    gpus: 1\n    command: --model a/b\n';
    assert.ok((await codes({ 'compose.yaml': service })).includes('circular-files'));
  });
});
