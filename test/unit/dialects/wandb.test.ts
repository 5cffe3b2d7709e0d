import assert from 'node:assert/strict';
import { read } from './support';

const SWEEP = `program: train.py
method: grid
metric: {name: eval/loss, goal: minimize}
parameters:
  model_name_or_path: {value: a/b}
  learning_rate: {values: [1e-5, 2e-5]}
  per_device_train_batch_size:
    values: [2, 8]
  max_length: {values: [1024, 4096]}
  warmup: {min: 0, max: 10}
  output_dir: {value: out}
  dataset_name: {value: d}
`;

describe('sweeps of Weights & Biases', () => {
  it('are a run for each cell of what takes memory', async () => {
    const { dialect, runs } = await read({ 'sweep.yaml': SWEEP });
    assert.equal(dialect, 'wandb-sweep');
    const cells = runs.map(({ quantities: { microBatchSize, seqLen } }) => [
      microBatchSize.value,
      seqLen.value,
    ]);
    assert.deepEqual(cells, [
      [2, 1024],
      [2, 4096],
      [8, 1024],
      [8, 4096],
    ]);
    assert.equal(runs[3]?.name, 'per_device_train_batch_size=8 max_length=4096');
    assert.equal(runs[3].quantities.model.value, 'a/b');
  });

  it('lay their values over the config that the command names', async () => {
    const command = 'command: ["${env}", axolotl, train, c.yaml, "${args}"]\n';
    const files = {
      'sweep.yaml': `${command}method: random\nprogram: axolotl\nparameters:\n  micro_batch_size: {values: [1, 4]}\n`,
      'c.yaml':
        'base_model: a/b\nmicro_batch_size: 2\nsequence_len: 512\ndatasets: [{path: d, type: alpaca}]\n',
    };
    const { runs } = await read(files);
    assert.deepEqual(
      runs.map(({ dialect, quantities: { microBatchSize } }) => [dialect, microBatchSize.value]),
      [
        ['axolotl', 1],
        ['axolotl', 4],
      ],
    );
  });

  it('of programs that nobody knows are no runs', async () => {
    const { runs } = await read({
      'sweep.yaml': SWEEP.replace(/ {2}(?:model|per|output|dataset).*\n(?: {4}.*\n)?/g, ''),
    });
    assert.deepEqual(runs, []);
  });
});
