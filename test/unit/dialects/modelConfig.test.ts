import assert from 'node:assert/strict';
import { keyNoteAt } from '../../../src/core/dialects/keyNotes';
import { readConfig } from '../../../src/core/reading/read';
import { worldOf } from './support';

const CONFIG = `{
  "architectures": ["LlamaForCausalLM"],
  "model_type": "llama",
  "hidden_size": 4096,
  "num_attention_heads": 32,
  "num_hidden_layers": 32,
  "num_key_value_heads": 8,
  "torch_dtype": "bfloat16",
  "transformers_version": "4.45.0",
  "vocab_size": 128256
}
`;
const read = (file: string, text: string) =>
  readConfig(file, text, worldOf({ [file]: text }), { aborted: false });

describe('the config.json of a checkpoint', () => {
  it('is known, a part of runs and none by itself', async () => {
    const { dialect, runs } = await read('model/config.json', CONFIG);
    assert.equal(dialect, 'model-config');
    assert.deepEqual(
      runs.map(({ role, quantities }) => [role, quantities.loadDtype.value]),
      [['part', 'bf16']],
    );
  });

  it('has help on what its keys do to memory', () => {
    const note = keyNoteAt('model-config', CONFIG, CONFIG.indexOf('num_key_value_heads'));
    assert.match(note?.text ?? '', /cache of generation/);
  });

  it('is not seen in what only shares some words with it', async () => {
    const own = 'model_type: mamba\nhidden_size: 512\nvocab_size: 1000\n';
    assert.notEqual((await read('conf/model.yaml', own)).dialect, 'model-config');
    const tokenizer = '{"model_type": "bert", "tokenizer_class": "BertTokenizer", "vocab_size": 30522}\n';
    assert.equal((await read('tokenizer_config.json', tokenizer)).dialect, null);
  });
});
