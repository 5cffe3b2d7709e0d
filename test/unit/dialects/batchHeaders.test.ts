import assert from 'node:assert/strict';
import { askedByHeader } from '../../../src/core/dialects/envelopes/batchHeaders';
import { read } from './support';

const gpus = (...lines: readonly string[]): number | null | undefined => {
  const devices = askedByHeader(['#!/bin/bash', ...lines, 'python train.py'].join('\n')).devices?.value;
  return devices === 'auto' ? null : devices;
};

describe('heads of scripts for LSF and PBS', () => {
  it('give the GPUs of one machine', () => {
    assert.equal(gpus('#BSUB -gpu "num=2:mode=exclusive_process"'), 2);
    assert.equal(gpus('#BSUB -gpu num=4/host'), 4);
    assert.equal(gpus('#BSUB -R "rusage[ngpus_excl_p=1,mem=2GB]"'), 1);
    assert.equal(gpus('#PBS -l select=1:ncpus=8:ngpus=2:mem=32gb'), 2);
    assert.equal(gpus('#PBS -l nodes=1:ppn=4:gpus=1,walltime=1:00:00'), 1);
  });

  it('give none where a scheduler spreads them, or nothing asks for them', () => {
    assert.equal(gpus('#BSUB -gpu "num=1/task"'), undefined);
    assert.equal(gpus('#BSUB -gpu "num=2"', '#BSUB -R "span[ptile=4]"'), undefined);
    assert.equal(gpus('#PBS -l select=2:ncpus=8:ngpus=4'), undefined);
    assert.equal(gpus('#PBS -l select=1:ngpus=1+1:ngpus=2'), undefined);
    assert.equal(gpus('##BSUB -gpu "num=2"', '# num=3'), undefined);
    assert.equal(gpus('#BSUB -q gpuv100', '#BSUB -n 4'), undefined);
  });

  it('are those of what the script trains', async () => {
    const job = `#!/bin/sh
#BSUB -gpu "num=2:mode=exclusive_process"
python sft.py --model_name_or_path a/b --dataset_name d --per_device_train_batch_size 4 --output_dir o
`;
    const [run] = (await read({ 'job.sh': job }, 'job.sh')).runs;
    assert.equal(run?.quantities.devices.value, 2);
  });
});
