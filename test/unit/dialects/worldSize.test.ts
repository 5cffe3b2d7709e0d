import assert from 'node:assert/strict';
import { read } from './support';

const PROGRAM = `import os
import fire
import transformers
from transformers import LlamaForCausalLM

def train(base_model: str = "", batch_size: int = 128, micro_batch_size: int = 4):
    gradient_accumulation_steps = batch_size // micro_batch_size
    world_size = int(os.environ.get("WORLD_SIZE", 1))
    ddp = world_size != 1
    if ddp:
        gradient_accumulation_steps = gradient_accumulation_steps // world_size
    model = LlamaForCausalLM.from_pretrained(base_model)
    trainer = transformers.Trainer(
        model=model,
        args=transformers.TrainingArguments(
            per_device_train_batch_size=micro_batch_size,
            gradient_accumulation_steps=gradient_accumulation_steps,
            output_dir="out",
        ),
    )
    trainer.train()

if __name__ == "__main__":
    fire.Fire(train)
`;

const stepsOf = async (launcher: string): Promise<number | null> => {
  const { runs } = await read({
    'run.sh': `#!/bin/bash\n${launcher} finetune.py --base_model huggyllama/llama-7b --micro_batch_size 8\n`,
    'finetune.py': PROGRAM,
  });
  assert.equal(runs.length, 1);
  return runs[0]?.quantities.gradAccum.value ?? null;
};

describe('programs that divide by the number of processes', () => {
  it('divide by what their launcher starts', async () => {
    assert.equal(await stepsOf('python'), 16);
    assert.equal(await stepsOf('torchrun --nproc_per_node=4'), 4);
    assert.equal(await stepsOf('torchrun --nproc_per_node=1'), 16);
    assert.equal(await stepsOf('deepspeed --num_gpus 2'), 8);
  });

  it('have an unknown accumulation where only the start knows the processes', async () => {
    assert.equal(await stepsOf('deepspeed'), null);
    assert.equal(await stepsOf('torchrun --nproc_per_node=$GPUS'), null);
  });
});
