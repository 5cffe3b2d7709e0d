import assert from 'node:assert/strict';
import { commands } from '../../../src/core/dialects/command/shell';
import { whole } from '../../../src/core/dialects/command/located';
import { readBatchScript } from '../../../src/core/dialects/envelopes/batchScript';
import { editsFor } from '../../../src/core/dialects/write';
import { resolve } from '../../../src/core/yaml/path';
import { applied, read } from './support';

const JOB = `#!/bin/bash
#SBATCH --job-name=tune
#SBATCH -N 2
#SBATCH --gres=gpu:a100:4   # four each
##SBATCH --nodes=9
set -e
MODEL=a/b
declare -a ARGS=(
  --nproc_per_node=4  # one (each)
  --nnodes=$SLURM_JOB_NUM_NODES
)
: "\${BATCH:=4}"
srun torchrun "\${ARGS[@]}" sft.py --model_name_or_path $MODEL --dataset_name d \\
  --per_device_train_batch_size $BATCH --max_length 2048 --output_dir out --learning_rate 1e-5
`;

const lines = (script: string): string[] =>
  commands(whole(script), new Map()).map(words => words.map(({ text }) => text).join(' '));

describe('batch scripts of Slurm', () => {
  it('give GPUs and nodes; what they start is the run', async () => {
    const { dialect, runs } = await read({ 'job.sbatch': JOB });
    const [run] = runs;
    assert.deepEqual([dialect, run?.name, run?.dialect], ['slurm', 'tune', 'hf-trl']);
    assert.equal(run?.quantities.model.value, 'a/b');
    assert.equal(run.quantities.microBatchSize.value, 4);
    assert.equal(run.quantities.nodes.value, 2);
    assert.equal(run.quantities.gpus.value, 8);
    assert.equal(run.quantities.task.value, 'sft', 'the script’s name says it');
  });

  it('state a value where it stands in the script', async () => {
    const origin = (await read({ 'job.sbatch': JOB })).runs[0]?.quantities.devices.origin;
    assert.ok(origin?.kind === 'file');
    const { start, end } = origin.at.valueSpan;
    assert.equal(JOB.slice(start, end), 'gpu:a100:4');
    assert.equal(origin.at.line, 4);
  });

  it('lay flags over the config that they name', async () => {
    const files = {
      'job.sbatch': '#!/bin/sh\n#SBATCH --gpus-per-node=2\naxolotl train c.yaml --micro-batch-size 8\n',
      'c.yaml':
        'base_model: a/b\nmicro_batch_size: 1\nsequence_len: 512\ndatasets: [{path: d, type: alpaca}]\n',
    };
    const [run] = (await read(files)).runs;
    assert.equal(run?.dialect, 'axolotl');
    assert.equal(run.quantities.microBatchSize.value, 8);
    assert.equal(run.quantities.gpus.value, 2);
  });

  it('take a changed flag in its place and a new one behind it', async () => {
    const files = { 'job.sbatch': JOB };
    const [run] = (await read(files)).runs;
    assert.ok(run);
    const result = editsFor(run, [
      { quantity: 'seqLen', to: 1024 },
      { quantity: 'gradAccum', to: 2 },
    ]);
    assert.ok(result.ok);
    const after = applied(files, result.edits)['job.sbatch'] ?? '';
    assert.match(
      after,
      /--per_device_train_batch_size \$BATCH --gradient_accumulation_steps 2 --max_length 1024/,
    );
    const [again] = (await read({ 'job.sbatch': after })).runs;
    assert.equal(again?.quantities.gradAccum.value, 2);
    assert.equal(again.quantities.seqLen.value, 1024);
  });

  it('without a program of ours are no runs', async () => {
    const { runs } = await read({ 'job.sbatch': '#!/bin/bash\n#SBATCH --gpus=1\n./simulate --steps 10\n' });
    assert.deepEqual(runs, []);
  });

  it('read options until the first command, long and short ones', () => {
    const { documents } = readBatchScript('#!/bin/sh\n#SBATCH -N2\n#SBATCH -G 4\necho\n#SBATCH --nodes=3\n');
    const root = resolve(documents[0]?.root ?? null);
    assert.ok(root?.kind === 'map');
    const options = resolve(root.entries[0]?.value ?? null);
    assert.ok(options?.kind === 'map');
    assert.deepEqual(
      options.entries.map(({ key, value }) => [key, value.kind === 'scalar' && value.value]),
      [
        ['nodes', 2],
        ['gpus', 4],
      ],
    );
  });
});

describe('a shell’s arrays', () => {
  it('stand for their words where they are used', () => {
    assert.deepEqual(lines('A=(--a 1 # one (1)\n  --b "x y")\nA+=(--c)\nrun "${A[@]}" z'), [
      'run --a 1 --b x y --c z',
    ]);
    assert.deepEqual(lines('run "${NOT[@]}"'), ['run ${NOT[@]}']);
  });
});
