import assert from 'node:assert/strict';
import type { Quantities } from '../../../src/core/spec/runSpec';
import { read } from './support';

const SETTINGS = `#!/bin/bash
: "\${NPROC_PER_NODE:=8}"
BATCH=4
export NPROC_PER_NODE BATCH
`;

const CONFIG = `model: {base_model_name: FacebookAI/roberta-base}
data: {batch_size: 50, max_length: 512}
train: {lr: 2.0e-5, max_epochs: 1, num_devices: 3, strategy: ddp_find_unused_parameters_true}
`;

/** The values of the only run of a script. */
async function valuesOf(files: Readonly<Record<string, string>>, opened: string): Promise<Quantities> {
  const { runs } = await read(files, opened);
  const [run] = runs;
  assert.ok(run && runs.length === 1, opened);
  return run.quantities;
}

describe('what lies around a script', () => {
  for (const folder of [
    '"$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"',
    '$(dirname "$0")',
    '$(dirname "$(readlink -f "$0")")',
    '"$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" >/dev/null 2>&1 && pwd -P)"',
  ]) {
    it(`is found from its own folder: ${folder}`, async () => {
      const script = `#!/bin/bash
HERE=${folder}
source "$HERE/../settings.sh"
torchrun --nproc_per_node $NPROC_PER_NODE train.py --model_name_or_path gpt2 --per_device_train_batch_size $BATCH \\
  --learning_rate 1e-4 --num_train_epochs 3
`;
      const values = await valuesOf(
        { 'a/settings.sh': SETTINGS, 'a/run/train.sh': script },
        'a/run/train.sh',
      );
      assert.equal(values.microBatchSize.value, 4);
      assert.equal(values.gpus.value, 8);
    });
  }

  it('is the config of a program of one’s own, by any of the flags that name one', async () => {
    for (const flag of ['--config', '--config_path', '--config-file-path', '--train_config=', '--cfg']) {
      const script = `#!/bin/bash\npython train.py ${flag}${flag.endsWith('=') ? '' : ' '}configs/train.yml\n`;
      const values = await valuesOf({ 'configs/train.yml': CONFIG, 'train.sh': script }, 'train.sh');
      assert.deepEqual(
        [values.model.value, values.microBatchSize.value, values.seqLen.value, values.gpus.value],
        ['FacebookAI/roberta-base', 50, 512, 3],
        flag,
      );
    }
  });

  it('is nothing where that config trains nothing', async () => {
    const script = '#!/bin/bash\npython serve.py --config app.yml\n';
    const { runs } = await read({ 'app.yml': 'host: localhost\nport: 8080\n', 'a.sh': script }, 'a.sh');
    assert.equal(runs.length, 0);
  });

  it('is accelerate’s file, which says how many GPUs there are', async () => {
    const files = {
      'two.yaml':
        'compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nnum_machines: 2\nnum_processes: 16\n',
      'configs/train.yml': CONFIG,
      'a.sh':
        '#!/bin/bash\naccelerate launch --config_file two.yaml train.py --config-file-path configs/train.yml\n',
    };
    const values = await valuesOf(files, 'a.sh');
    assert.deepEqual([values.gpus.value, values.nodes.value, values.devices.value], [16, 2, 8]);
    assert.equal(values.zeroStage.value, null);
    assert.equal(values.zeroStage.origin.kind, 'unresolved', 'that file decides it');
  });

  it('is the script that it starts', async () => {
    const files = {
      'job.sbatch': '#!/bin/bash\n#SBATCH --gres=gpu:2\n#SBATCH --nodes=1\n./scripts/train.sh\n',
      'scripts/train.sh':
        '#!/bin/bash\ntorchrun train.py --model_name_or_path gpt2 --per_device_train_batch_size 2 --learning_rate 1e-4 --num_train_epochs 1\n',
    };
    const values = await valuesOf(files, 'job.sbatch');
    assert.deepEqual([values.model.value, values.gpus.value], ['gpt2', 2]);
  });

  it('gets variables before its command, and those that are exported', async () => {
    const inner =
      '#!/bin/bash\nSIZE="${SIZE:-2}"\nMODEL="${MODEL:-gpt2}"\ntorchrun train.py --model_name_or_path $MODEL --per_device_train_batch_size $SIZE --learning_rate 1e-4 --num_train_epochs 1\n';
    const started = async (line: string): Promise<readonly unknown[]> => {
      const values = await valuesOf(
        { 'a.sh': `#!/bin/bash\n#SBATCH --gres=gpu:2\n${line}\n`, 'train.sh': inner },
        'a.sh',
      );
      return [values.model.value, values.microBatchSize.value];
    };
    assert.deepEqual(await started('SIZE=8 bash train.sh'), ['gpt2', 8]);
    assert.deepEqual(await started('export MODEL=gpt2-large SIZE=4\nbash train.sh'), ['gpt2-large', 4]);
    assert.deepEqual(await started('MODEL=gpt2-large\nbash train.sh'), ['gpt2', 2]);
  });

  it('ends with two scripts that start each other', async () => {
    const { runs } = await read({ 'a.sh': '#!/bin/bash\nbash b.sh\n', 'b.sh': '#!/bin/bash\nbash a.sh\n' });
    assert.equal(runs.length, 0);
  });
});

describe('variables that a branch sets', () => {
  const script = (before: string, flags: string): string => `#!/bin/bash
${before}
torchrun train.py --model_name_or_path \${MODEL:-gpt2} --per_device_train_batch_size 2 --learning_rate 1e-4 --num_train_epochs 1 ${flags}
`;

  it('have the value that they get where they have none', async () => {
    const text = script('if [ -z "$MODEL" ]; then\n  export MODEL=gpt2-large\nfi', '');
    assert.equal((await valuesOf({ 'a.sh': text }, 'a.sh')).model.value, 'gpt2-large');
    const other = script('if [ -n "$MODEL" ]; then\n  MODEL=gpt2-large\nfi', '');
    assert.equal((await valuesOf({ 'a.sh': other }, 'a.sh')).model.value, null);
  });

  it('are flags that may be there: what they say is unknown, and no default', async () => {
    const text = script('CKPT=""\nif [ "$A" = 1 ]; then CKPT="--gradient_checkpointing"; fi', '${CKPT}');
    const values = await valuesOf({ 'a.sh': text }, 'a.sh');
    const { value, origin } = values.gradientCheckpointing;
    assert.deepEqual([value, origin.kind], [null, 'unresolved']);
  });
});
