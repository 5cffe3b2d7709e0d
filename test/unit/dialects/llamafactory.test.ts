import assert from 'node:assert/strict';
import { runOf } from './support';

const MODEL = 'model_name_or_path: Qwen/Qwen3-4B\ntemplate: qwen3\n';

describe('LLaMA-Factory', () => {
  it('chats with one conversation at a time, and writes what it answers', async () => {
    const { quantities, details } = await runOf(`${MODEL}infer_backend: huggingface\n`);
    assert.deepEqual(
      [quantities.task.value, quantities.microBatchSize.value, quantities.seqLen.value],
      ['infer', 1, 3072],
    );
    assert.equal(details.generatedTokens?.value, 1024);
  });

  it('predicts in batches of evaluation, and writes only where it generates', async () => {
    const predict = `${MODEL}stage: sft\ndo_predict: true\neval_dataset: a\nper_device_eval_batch_size: 2\n`;
    const scored = await runOf(predict);
    assert.deepEqual(
      [scored.quantities.microBatchSize.value, scored.details.generatedTokens?.value],
      [2, null],
    );
    const written = await runOf(`${predict}predict_with_generate: true\nmax_new_tokens: 512\n`);
    assert.deepEqual([written.quantities.seqLen.value, written.details.generatedTokens?.value], [2560, 512]);
  });

  it('loads a reference model for the losses that compare with one', async () => {
    const of = async (loss: string, more = '') =>
      (await runOf(`${MODEL}stage: dpo\ndo_train: true\nfinetuning_type: full\npref_loss: ${loss}\n${more}`))
        .details.referenceModel?.value;
    assert.deepEqual(
      [await of('sigmoid'), await of('orpo'), await of('simpo'), await of('orpo', 'ref_model: a/b\n')],
      [true, false, false, false],
    );
  });

  it('takes the batch of a benchmark', async () => {
    const { quantities } = await runOf(
      `${MODEL}lang: en\nn_shot: 5\ntask: mmlu_test\nfinetuning_type: lora\nsave_dir: saves/eval\nbatch_size: 4\n`,
    );
    assert.deepEqual([quantities.task.value, quantities.microBatchSize.value], ['infer', 4]);
  });

  it('trains in its own batch', async () => {
    const { quantities, details } = await runOf(
      `${MODEL}stage: sft\ndo_train: true\ndataset: a\nper_device_train_batch_size: 3\n`,
    );
    assert.deepEqual([quantities.microBatchSize.value, details.generatedTokens?.value ?? null], [3, null]);
  });
});
