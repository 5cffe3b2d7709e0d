import assert from 'node:assert/strict';
import { changed } from '../../../src/core/dialects/change';
import { parseDefinition } from '../../../src/core/dialects/defined/parse';
import { packShape } from '../../../src/core/dialects/defined/format';
import { editsFor } from '../../../src/core/dialects/write';
import { findingsOf } from '../rules/findings';
import { read } from './support';

const POLICY = `defaults:
  - _self_
  - task: lift
horizon: 10
policy:
  _target_: diffusion_policy.policy.DiffusionUnetPolicy
  crop_shape: [76, 76]
dataloader:
  batch_size: 64
training:
  device: "cuda:0"
  use_ema: True
`;
const NOBODYS = POLICY.replace('diffusion_policy.policy', 'my_project.policy');

const SAM = `launcher:
  num_nodes: 1
  gpus_per_node: 8
scratch:
  train_batch_size: 1
  num_frames: 8
trainer:
  _target_: training.trainer.Trainer
  accelerator: cuda
  model:
    _target_: training.model.sam2.SAM2Train
  optim:
    amp:
      enabled: True
      amp_dtype: bfloat16
`;

const only = async (text: string) => {
  const { runs } = await read({ 'train.yaml': text }, 'train.yaml');
  return runs[0] ?? assert.fail('there is no run');
};

describe('packs', () => {
  it('read a project’s own keys where the config shows that it is the project’s', async () => {
    const run = await only(POLICY);
    assert.deepEqual(run.packs, ['diffusion-policy']);
    assert.equal(run.quantities.seqLen.value, 10);
    assert.deepEqual(run.quantities.imageSize.value, [76, 76]);
    assert.equal(run.quantities.task.value, 'imitation_learning');
    assert.equal(run.quantities.microBatchSize.value, 64, 'the general dialect still answers');
  });

  it('are silent on the same keys in anybody else’s config', async () => {
    const run = await only(NOBODYS);
    assert.equal(run.dialect, 'hydra');
    assert.equal(run.packs, undefined);
    assert.equal(run.quantities.seqLen.value, null);
    assert.equal(run.quantities.imageSize.value, null);
    assert.equal(run.quantities.task.value, null);
  });

  it("override what the project's files say with the behavior of its program", async () => {
    const { quantities } = await only(SAM);
    assert.equal(quantities.strategy.value, 'ddp');
    assert.equal(quantities.strategy.origin.kind, 'code');
    assert.equal(quantities.precision.value, 'bf16-mixed');
    assert.equal(quantities.effectiveBatch.value, 8);
  });

  it('write into the project’s own keys, in its words', async () => {
    const run = await only(SAM);
    const changes = [
      { quantity: 'microBatchSize', to: 2 },
      { quantity: 'precision', to: 'fp16-mixed' },
    ] as const;
    const result = editsFor(run, changes);
    assert.ok(result.ok);
    assert.deepEqual(
      result.edits.map(({ path, to }) => [path, to]),
      [
        ['scratch.train_batch_size', '2'],
        ['trainer.optim.amp.amp_dtype', 'float16'],
      ],
    );
    const after = changed(run, changes);
    assert.equal(after.quantities.microBatchSize.value, 2);
    assert.equal(after.quantities.precision.value, 'fp16-mixed');
  });

  it('follow a change of the class that tells them', async () => {
    const run = await only(POLICY);
    const after = changed(run, [{ key: 'policy._target_', to: 'my_project.policy.Mine' }]);
    assert.equal(after.packs, undefined);
    assert.equal(after.quantities.seqLen.value, null);
  });

  it('have facts of their own, told of their configs only', async () => {
    const rulesOf = async (text: string) => (await findingsOf(text)).map(({ rule }) => rule);
    assert.ok((await rulesOf(POLICY)).includes('hydra-weights-averaged'));
    assert.ok(!(await rulesOf(NOBODYS)).includes('hydra-weights-averaged'));
  });

  it('are files with a shape of their own, whose mistakes are told', () => {
    const pack = 'id: mine\nproject: me/mine\nextends: hydra\nevidence: {modules: mine}\n';
    const { definition, problems } = parseDefinition('mine.yaml', pack, packShape);
    assert.deepEqual(problems, []);
    assert.deepEqual(definition?.pack?.evidence, { modules: ['mine'] });
    const wrong = parseDefinition('mine.yaml', pack.replace('evidence', 'evidense'), packShape).problems;
    assert.deepEqual(
      wrong.map(({ path }) => path),
      [[], ['evidense']],
    );
    // A workspace dialect is not a pack.
    assert.ok(parseDefinition('mine.yaml', pack).problems.some(({ path }) => path[0] === 'extends'));
  });
});
