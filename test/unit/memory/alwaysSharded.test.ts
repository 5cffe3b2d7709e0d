import assert from 'node:assert/strict';
import { judge } from '../core/support';

const TORCHTUNE = `model:
  _component_: torchtune.models.llama3_1.llama3_1_8b
tokenizer:
  _component_: torchtune.models.llama3.llama3_tokenizer
  max_seq_len: 1024
dataset:
  _component_: torchtune.datasets.alpaca_dataset
optimizer:
  _component_: torch.optim.AdamW
loss:
  _component_: torchtune.modules.loss.CEWithChunkedOutputLoss
batch_size: 1
dtype: bf16
`;

describe('recipes that always shard over several GPUs', () => {
  it('divide weights by the GPUs of the target, where the config does not say how many', async () => {
    const weights = async (gpus: number): Promise<number> => {
      const { runs } = await judge({ 'a.yaml': TORCHTUNE }, `${gpus}x H100 SXM`);
      assert.equal(runs[0]?.run.quantities.fsdp.value, null);
      const terms = runs[0].estimate?.devices[0]?.terms ?? [];
      return terms.find(({ term }) => term === 'weights')?.bytes ?? Number.NaN;
    };
    const [one, eight] = [await weights(1), await weights(8)];
    assert.ok(eight < one / 4, `${eight} of ${one}`);
  });

  it('are of the release that had such classes: before 0.3, with an eager loss over all logits and FSDP 1', async () => {
    const old = TORCHTUNE.replace(
      'torchtune.modules.loss.CEWithChunkedOutputLoss',
      'torch.nn.CrossEntropyLoss',
    );
    const read = async (text: string): Promise<readonly unknown[]> => {
      const { run } = (await judge({ 'a.yaml': text }, '2x H100 SXM')).runs[0] ?? assert.fail('no run');
      return [run.framework.version, run.quantities.loss.value];
    };
    const logger = (folder: string): string =>
      `${old}metric_logger:\n  _component_: torchtune.${folder}.metric_logging.DiskLogger\n`;
    assert.deepEqual(await read(logger('utils')), ['0.2.1', 'shifted-fp32']);
    assert.deepEqual(await read(logger('training')), ['0.7.0', 'whole-fp32']);
    assert.deepEqual(await read(TORCHTUNE), ['0.7.0', 'chunked_output']);
  });
});
