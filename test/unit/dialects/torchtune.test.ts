import assert from 'node:assert/strict';
import { runOf } from './support';

const TUNE = `tokenizer: {_component_: torchtune.models.llama3.llama3_tokenizer, path: /tmp/tokenizer.model}
model: {_component_: torchtune.models.llama3_1.lora_llama3_1_8b, lora_rank: 8}
checkpointer: {_component_: torchtune.utils.FullModelHFCheckpointer, checkpoint_dir: /tmp/m}
batch_size: 2
gradient_accumulation_steps: 32
`;

describe('torchtune', () => {
  it('takes the length of rows from the tokenizer, or from the dataset as older releases do', async () => {
    const older = await runOf(
      `${TUNE}dataset: {_component_: torchtune.datasets.alpaca_dataset, max_seq_len: 512}\n`,
    );
    assert.deepEqual([older.quantities.seqLen.value, older.details.unlimitedLength?.value], [512, false]);
    const none = await runOf(`${TUNE}dataset: {_component_: torchtune.datasets.alpaca_dataset}\n`);
    assert.deepEqual([none.quantities.seqLen.value, none.details.unlimitedLength?.value], [null, true]);
  });
});
