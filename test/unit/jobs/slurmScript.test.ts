import assert from 'node:assert/strict';
import { slurmOptions, slurmScript } from '../../../src/jobs/slurm/script';
import type { SlurmAsk } from '../../../src/jobs/slurm/script';

const LIMITS = { timeMinutes: null, cpus: null, memoryMiB: null, array: null, requeue: false };

const ask = (gpus: Partial<SlurmAsk['gpus']>, limits: Partial<SlurmAsk['limits']> = {}): SlurmAsk => ({
  id: 'ID',
  partition: null,
  gpus: { count: 1, uuids: [], needBytes: null, ...gpus },
  limits: { ...LIMITS, ...limits },
  argv: ['true'],
});

describe('a request to Slurm', () => {
  const gres = (gpus: Partial<SlurmAsk['gpus']>) =>
    slurmOptions(ask(gpus)).filter(option => option.startsWith('--gres'));

  it('names a GPU type if one was chosen, else any', () => {
    assert.deepEqual(gres({ count: 2 }), ['--gres=gpu:2']);
    assert.deepEqual(gres({ count: 2, type: 'a100_1g.10gb' }), ['--gres=gpu:a100_1g.10gb:2']);
    assert.deepEqual(gres({ count: 0, type: 'a100' }), []);
  });

  it('contains nothing more than a type', () => {
    for (const type of ['a100:1,license', 'a 100', '', 'a100\n#SBATCH --uid=0']) {
      assert.throws(() => gres({ type }), { message: /isn't a valid GPU type/ });
    }
  });

  it("watches the job's GPUs, with a marker per array task, and none if there are no GPUs", () => {
    const mark = /export HEADROOM_JOB="\$HEADROOM_JOB\/\$SLURM_ARRAY_TASK_ID\/"/;
    assert.doesNotMatch(slurmScript(ask({})), mark);
    assert.match(slurmScript(ask({})), /nvidia-smi/);
    assert.match(slurmScript(ask({}, { array: 4 })), mark);
    assert.doesNotMatch(slurmScript(ask({ count: 0 }, { array: 4 })), /nvidia-smi/);
  });
});
