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
});
