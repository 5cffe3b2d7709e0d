import assert from 'node:assert/strict';
import type { RunSpec } from '../../../src/core/spec/runSpec';
import { read } from './support';

async function runsOf(script: string): Promise<readonly RunSpec[]> {
  return (await read({ 'run.sh': script })).runs;
}

async function onlyRun(script: string): Promise<RunSpec['quantities']> {
  const [run, ...others] = await runsOf(script);
  assert.ok(run && others.length === 0);
  return run.quantities;
}

const FLAGS = '--base_model /models/llama-7b-hf --micro_batch_size 8 --lora_r 16 --cutoff_len 512';

describe('scripts of people’s own', () => {
  it('train if their name says so: how fast and how long may be their own defaults', async () => {
    for (const program of ['finetune.py', 'src/main_pretrain.py', '-m pkg.train.lora', 'train/run_sft.py']) {
      const { model, microBatchSize, seqLen, method, lora } = await onlyRun(
        `#!/bin/bash\npython ${program} ${FLAGS}\n`,
      );
      assert.deepEqual(
        [model.value, microBatchSize.value, seqLen.value, method.value, lora.value?.r],
        ['/models/llama-7b-hf', 8, 512, 'lora', 16],
        program,
      );
    }
  });

  it('do not train with any other name', async () => {
    for (const program of ['evaluate.py', 'generate.py', 'trainable_params.py', '-m pkg.infer']) {
      assert.deepEqual(await runsOf(`#!/bin/bash\npython ${program} ${FLAGS}\n`), [], program);
    }
  });

  it('do not train where they only use the config of what trains', async () => {
    const config = `model: { name: bert-base-uncased }
training: { batch_size: 16, learning_rate: 1e-4, epochs: 3 }
`;
    const loads = `import argparse, yaml, torch
from transformers import AutoModel

def main():
    p = argparse.ArgumentParser()
    p.add_argument('--config')
    cfg = yaml.safe_load(open(p.parse_args().config))
    model = AutoModel.from_pretrained(cfg['model']['name'])
    BODY

main()
`;
    const idle = loads.replace('BODY', 'print(model)');
    const trains = loads.replace('BODY', 'loss(model).backward()');
    const started = async (command: string, program: string): Promise<number> => {
      const files = {
        'run.sh': `#!/bin/bash\n${command} --config train.yaml\n`,
        'train.yaml': config,
        'evaluate.py': program,
        'bench.py': program,
        'main.py': program,
      };
      return (await read(files)).runs.length;
    };
    for (const command of ['python evaluate.py', 'python -m evaluate', 'python test_model.py']) {
      assert.equal(await started(command, idle), 0, command);
    }
    assert.equal(await started('python main.py', idle), 1);
    assert.equal(await started('python bench.py', trains), 1);
    for (const flag of ['--mode eval', '--mode=test', '--eval_only', '--test-only true']) {
      assert.equal(await started(`python main.py ${flag}`, trains), 0, flag);
    }
    assert.equal(await started('python main.py --mode train --eval-only false', trains), 1);
  });

  it('may have flags that are known only when they start', async () => {
    assert.deepEqual(
      await runsOf(`#!/bin/bash\nMODE=$(cat mode)\npython train_grpo.py ${FLAGS} $MODE\n`),
      [],
    );
    const either =
      'if [ "$LORA" = false ]; then\n  MODE="--micro_batch_size 1"\nelse\n  MODE="--micro_batch_size 4"\nfi';
    assert.deepEqual(await runsOf(`#!/bin/bash\n${either}\npython train_grpo.py ${FLAGS} $MODE\n`), []);
    const [run] = await runsOf(`#!/bin/bash\npython finetune.py ${FLAGS} --data_path $1 "$@"\n`);
    assert.equal(run?.quantities.microBatchSize.value, 8);
  });

  it('are not started by what copies them', async () => {
    const script = `cp pretrain_gpt.py ./Megatron-LM/
GPT_ARGS="--num-layers 24 \\
  --hidden-size 1024 --num-attention-heads 16 --seq-length 1024 --micro-batch-size 8 --fp16"
cd Megatron-LM
python -m torch.distributed.launch --nproc_per_node 8 pretrain_gpt.py $GPT_ARGS
`;
    const { microBatchSize, precision, gpus } = await onlyRun(script);
    assert.deepEqual([microBatchSize.value, precision.value, gpus.value], [8, 'fp16', 8]);
  });

  it('are shell whatever their first command is', async () => {
    const { model, seqLen } = await onlyRun(
      'nohup vllm serve Qwen/Qwen3-14B --max-model-len 16384 > server.log 2>&1 &\n',
    );
    assert.deepEqual([model.value, seqLen.value], ['Qwen/Qwen3-14B', 16384]);
  });

  it('are not the Python files that flags name', async () => {
    const { model, task } = await onlyRun(
      `#!/bin/bash
swift rlhf --rlhf_type grpo --model Qwen/Qwen2.5-7B-Instruct --external_plugins my/plugin.py --train_type full
`,
    );
    assert.deepEqual([model.value, task.value], ['Qwen/Qwen2.5-7B-Instruct', 'grpo']);
  });

  it('run on one node where DeepSpeed is told its GPUs', async () => {
    const { gpus } = await onlyRun(
      '#!/bin/bash\ndeepspeed --include="localhost:2,3" train_sft.py --model_name_or_path a/b --per_device_train_batch_size 2 --learning_rate 1e-5 --num_train_epochs 5 --output_dir o\n',
    );
    assert.equal(gpus.value, 2);
  });
});

describe('a script of one’s own with a DeepSpeed file', () => {
  const FILE =
    '{"zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}}, "bf16": {"enabled": true}}';

  for (const flags of ['--deepspeed ds.json', '--deepspeed --deepspeed_config ds.json']) {
    it(`shares its states as that file says: ${flags}`, async () => {
      const line = `deepspeed --num_gpus 4 train.py ${flags} --model_name_or_path facebook/opt-1.3b --batch_size 8\n`;
      const { runs } = await read({ 'run.sh': line, 'ds.json': FILE });
      const { zeroStage, precision, offload, gpus, microBatchSize } = runs[0]?.quantities ?? assert.fail();
      assert.deepEqual(
        [zeroStage.value, precision.value, offload.value?.optimizer, gpus.value, microBatchSize.value],
        [2, 'bf16', 'cpu', 4, 8],
      );
      const gone = await read({ 'run.sh': line });
      assert.equal(gone.runs[0]?.quantities.zeroStage.value, null);
      assert.ok(gone.notes.some(({ code }) => code === 'missing-file'));
    });
  }
});
