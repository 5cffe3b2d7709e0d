import assert from 'node:assert/strict';
import { runOf } from './support';

describe('programs of other frameworks', () => {
  it('are read by Unsloth where they import it, with its defaults', async () => {
    const run = await runOf(
      `from unsloth import FastLanguageModel, is_bfloat16_supported
from trl import SFTTrainer
from transformers import TrainingArguments
max_seq_length = 2048
model, tokenizer = FastLanguageModel.from_pretrained(model_name = "unsloth/llama-3-8b-bnb-4bit", max_seq_length = max_seq_length)
model = FastLanguageModel.get_peft_model(model, r = 8, use_gradient_checkpointing = "unsloth")
trainer = SFTTrainer(model = model, max_seq_length = max_seq_length, args = TrainingArguments(
    per_device_train_batch_size = 2,
    bf16 = is_bfloat16_supported(),
    optim = "adamw_8bit",
))
trainer_stats = trainer.train()
`,
      'a.py',
    );
    const { model, method, microBatchSize, seqLen, lora, offload, precision, quantization } = run.quantities;
    assert.deepEqual(
      [run.dialect, model.value, method.value, microBatchSize.value, seqLen.value, precision.value],
      ['unsloth', 'unsloth/llama-3-8b-bnb-4bit', 'qlora', 2, 2048, 'bf16'],
    );
    assert.deepEqual([lora.value?.r, lora.value?.alpha, quantization.value?.bits], [8, 16, 4]);
    assert.equal(offload.value?.activations, 'cpu');
  });

  it('are read by transformers’ Trainer, with the task of the class', async () => {
    const run = await runOf(
      `from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments
model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased")
Trainer(model, TrainingArguments("out", per_device_train_batch_size=32)).train()
`,
      'a.py',
    );
    const { model, task, microBatchSize } = run.quantities;
    assert.deepEqual(
      [run.dialect, model.value, task.value, microBatchSize.value],
      ['hf-trainer', 'bert-base-uncased', 'sequence_classification', 32],
    );
  });

  it('are read by vLLM, whose keys have dashes', async () => {
    const run = await runOf(
      'import vllm\nllm = vllm.LLM("org/m", max_model_len=4096, tensor_parallel_size=2)\n',
      'a.py',
    );
    const { model, seqLen, parallel } = run.quantities;
    assert.deepEqual(
      [run.dialect, model.value, seqLen.value, parallel.value?.tensor],
      ['vllm', 'org/m', 4096, 2],
    );
  });
});
