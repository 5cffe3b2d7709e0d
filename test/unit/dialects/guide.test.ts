import assert from 'node:assert/strict';
import { editsFor } from '../../../src/core/dialects/write';
import type { RunSpec } from '../../../src/core/spec/runSpec';
import { applied, read } from './support';

const config = `defaults:
  - _self_
  - curriculum: default
experiment_name: \${curriculum.name}
data_loader:
  batch_size: 4
  tokenization:
    tokenizer_name: \${model.base_model_name}
    max_length: 512
model:
  base_model_name: sentence-transformers/all-MiniLM-L6-v2
  lora: {r: 8, alpha: 16, dropout: 0.1}
training:
  trainer:
    devices: 1
    precision: "16-mixed"
    accumulate_grad_batches: 4
`;
const stage = (name: string, negatives: number): string =>
  `name: ${name}\n\nn_positives: 64\nn_negatives: ${negatives}`;

const files = {
  'conf/config.yaml': config,
  'conf/curriculum/01_stage.yaml': stage('01_stage', 24),
  'conf/curriculum/02_stage.yaml': stage('02_stage', 8),
  'conf/curriculum/default.yaml': stage('default', 32),
  'conf/curriculum/chain_default.yaml': 'chain_name: x\nstages:\n  - name: 01_stage\n',
};

const first = (runs: readonly RunSpec[]): RunSpec => runs[0] ?? assert.fail('no run');

describe('a config of the training guide', () => {
  it('is one run for each of its stages', async () => {
    const { runs, dependencies } = await read(files);
    assert.deepEqual(
      runs.map(({ name, details }) => [name, details.sequencesPerSample?.value]),
      [
        ['01_stage', 26],
        ['02_stage', 10],
      ],
    );
    assert.deepEqual(
      first(runs).sources.map(({ path }) => path),
      ['conf/config.yaml', 'conf/curriculum/01_stage.yaml'],
    );
    assert.ok(dependencies.includes('conf/curriculum/'), 'a new stage changes the reading');
    const { effectiveBatch, precision, loadDtype, gradientCheckpointing } = first(runs).quantities;
    assert.equal(effectiveBatch.value, 16);
    assert.equal(precision.value, 'fp16-mixed');
    assert.equal(loadDtype.value, 'fp32');
    assert.equal(gradientCheckpointing.origin.kind, 'code');
  });

  it('is found from a stage that is opened alone', async () => {
    const fromConfig = await read(files);
    const fromStage = await read(files, 'conf/curriculum/02_stage.yaml');
    assert.equal(fromStage.dialect, 'guide-training');
    assert.deepEqual(fromStage.runs, fromConfig.runs);
    const fromDefault = await read(files, 'conf/curriculum/default.yaml');
    assert.deepEqual(
      fromDefault.runs.map(({ name }) => name),
      ['01_stage', '02_stage', 'default'],
    );
  });

  it('takes the stage that its defaults name when there are no others', async () => {
    const { runs } = await read({
      'conf/config.yaml': config,
      'conf/curriculum/default.yaml': stage('default', 32),
    });
    assert.deepEqual(
      runs.map(({ name, details }) => [name, details.sequencesPerSample?.value]),
      [['default', 34]],
    );
  });

  it('does not guess the negatives without a stage', async () => {
    const { runs } = await read({ 'conf/config.yaml': config });
    assert.equal(runs.length, 1);
    assert.equal(first(runs).details.sequencesPerSample?.origin.kind, 'unresolved');
  });

  it('reads a stage without a config as far as it goes', async () => {
    const { dialect, runs } = await read({ 'x/curriculum/01_stage.yaml': stage('01_stage', 24) });
    assert.equal(dialect, 'guide-training');
    assert.equal(first(runs).name, '01_stage');
    assert.equal(first(runs).details.sequencesPerSample?.value, 26);
  });

  it('follows plain references inside the file', async () => {
    const reference = config
      .replace('batch_size: 4', 'batch_size: ${sizes.micro}')
      .concat('sizes:\n  micro: 6\n');
    const { runs } = await read({ 'conf/config.yaml': reference });
    assert.deepEqual(first(runs).quantities.microBatchSize, {
      value: 6,
      unit: 'samples',
      origin: { kind: 'derived', from: ['sizes.micro'], formula: 'data_loader.batch_size is ${sizes.micro}' },
    });
    const refused = editsFor(first(runs), [{ quantity: 'microBatchSize', to: 2 }]);
    assert.deepEqual(refused, { ok: false, why: 'data_loader.batch_size takes its value from sizes.micro.' });
  });

  it('leaves other interpolations unresolved', async () => {
    const { runs } = await read({
      'conf/config.yaml': config.replace('batch_size: 4', 'batch_size: ${oc.env:B,4}'),
    });
    assert.equal(first(runs).quantities.microBatchSize.origin.kind, 'unresolved');
  });

  it('writes batch and negatives into the files that own them', async () => {
    const { runs } = await read(files);
    const written = editsFor(first(runs), [
      { quantity: 'microBatchSize', to: 2 },
      { quantity: 'gradAccum', to: 8 },
      { key: 'n_negatives', to: 16 },
    ]);
    assert.ok(written.ok);
    assert.deepEqual(
      written.edits.map(({ file, path, from, to }) => [file, path, from, to]),
      [
        ['conf/config.yaml', 'data_loader.batch_size', '4', '2'],
        ['conf/config.yaml', 'training.trainer.accumulate_grad_batches', '4', '8'],
        ['conf/curriculum/01_stage.yaml', 'n_negatives', '24', '16'],
      ],
    );
    const again = await read(applied(files, written.edits));
    assert.equal(again.runs[0]?.details.sequencesPerSample?.value, 18);
    assert.equal(again.runs[1]?.details.sequencesPerSample?.value, 10);
  });
});
