import assert from 'node:assert/strict';
import { editsFor } from '../../../src/core/dialects/write';
import { runOf } from './support';

const MODEL = 'model_name_or_path: Qwen/Qwen3-4B\ntemplate: qwen3\n';

describe('LLaMA-Factory', () => {
  it('has a key for the batch of a training, stated or not, and none for that of an engine', async () => {
    const halved = async (text: string) =>
      editsFor(await runOf(MODEL + text), [{ quantity: 'microBatchSize', to: 4 }]);
    const training = 'stage: sft\ndo_train: true\n';
    const stated = await halved(`${training}per_device_train_batch_size: 8\n`);
    const [edit] = stated.ok ? stated.edits : [];
    assert.deepEqual([edit?.path, edit?.from, edit?.to], ['per_device_train_batch_size', '8', '4']);
    const unstated = await halved(training);
    const [added] = unstated.ok ? unstated.edits : [];
    assert.deepEqual([added?.path, added?.from, added?.to], ['per_device_train_batch_size', null, '4']);
    assert.equal((await halved('infer_backend: vllm\n')).ok, false);
  });

  it('chats with one conversation at a time, and writes what it answers', async () => {
    const { quantities, details } = await runOf(`${MODEL}infer_backend: huggingface\n`);
    assert.deepEqual(
      [quantities.task.value, quantities.microBatchSize.value, quantities.seqLen.value],
      ['infer', 1, 3072],
    );
    assert.equal(details.generatedTokens?.value, 1024);
  });

  it('hands a chat to the engine of infer_backend, with the share and length that it passes on', async () => {
    const { framework, quantities, details } = await runOf(`${MODEL}infer_backend: vllm\n`);
    assert.deepEqual([framework.id, framework.name], ['vllm', 'llamafactory']);
    assert.deepEqual(
      [quantities.seqLen.value, quantities.microBatchSize.value, quantities.lora.value],
      [4096, null, null],
    );
    assert.deepEqual([details.memoryShare?.value, details.generatedTokens?.value], [0.7, null]);
    const more =
      'vllm_gpu_util: 0.9\nvllm_maxlen: 8192\nvllm_config:\n  max_num_seqs: 16\n  max_model_len: 2048\n';
    const stated = await runOf(`${MODEL}infer_backend: vllm\ninfer_dtype: float16\n${more}`);
    assert.deepEqual(
      [stated.details.memoryShare?.value, stated.details.maxSequences?.value, stated.quantities.seqLen.value],
      [0.9, 16, 2048],
    );
    assert.equal(stated.quantities.loadDtype.value, 'fp16');
    const sglang = await runOf(
      `${MODEL}infer_backend: sglang\nsglang_tp_size: 2\nsglang_mem_fraction: 0.8\nsglang_maxlen: 1024\n`,
    );
    assert.deepEqual(
      [sglang.framework.id, sglang.details.memoryShare?.value, sglang.quantities.seqLen.value],
      ['sglang', 0.8, 1024],
    );
    assert.equal(sglang.quantities.parallel.value?.tensor, 2);
  });

  it('trains and predicts with its own code whatever infer_backend says', async () => {
    for (const key of ['do_train', 'do_predict']) {
      const { framework, details } = await runOf(
        `${MODEL}stage: sft\n${key}: true\nfinetuning_type: lora\ndataset: a\ninfer_backend: vllm\n`,
      );
      assert.deepEqual([framework.id, details.memoryShare], ['llamafactory', undefined], key);
    }
    const { framework } = await runOf(`${MODEL}infer_backend: \${oc.env:BACKEND}\n`);
    assert.equal(framework.id, 'llamafactory');
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
