import assert from 'node:assert/strict';
import { parseDefinition } from '../../../src/core/dialects/defined/parse';
import { keysAt } from '../../../src/core/dialects/keyCompletion';
import { keyNoteAt } from '../../../src/core/dialects/keyNotes';
import { readConfig } from '../../../src/core/reading/read';
import { running, worldOf } from './support';

const OWN = `id: mine
recognise: { strong: [my_batch, my_model] }
quantities:
  model: { keys: my_model }
  microBatchSize: { keys: [my_batch, fit.samples] }
  gradientCheckpointing: { keys: fit.recompute, oneOf: { always: true, never: false } }
otherKeys: fit.log_every my_note
`;

/** The names offered at `|`; the text without it is read first. */
async function offered(text: string, name = '/w/train.yaml'): Promise<readonly string[]> {
  const offset = text.indexOf('|');
  const plain = text.replace('|', '');
  const { runs } = await readConfig(name, plain, worldOf({}), running);
  const [run] = runs;
  assert.ok(run, 'a run');
  return keysAt(run, plain, offset)?.keys.map(key => key.name) ?? [];
}

const SFT = `model_name_or_path: Qwen/Qwen2.5-7B
finetuning_type: lora
template: qwen
cutoff_len: 2048
`;

describe('keys that may be typed', () => {
  it('are those of the dialect that are not there yet', async () => {
    const names = await offered(`${SFT}per_|\n`);
    assert.ok(names.includes('per_device_train_batch_size'), String(names));
    assert.ok(names.includes('gradient_accumulation_steps'));
    assert.ok(!names.includes('cutoff_len'));
  });

  it('are those of the section that the cursor is in', async () => {
    const nested = 'trainer:\n  max_epochs: 3\n  accelerator: gpu\n  devices: 1\n';
    const names = await offered(`seed_everything: 1\n${nested}  |\nmodel:\n  class_path: a.B\n`);
    assert.ok(names.includes('accumulate_grad_batches'), String(names));
    assert.ok(!names.includes('max_epochs'));
    assert.ok(!names.includes('seed_everything'));
  });

  it('are offered in JSON, with a quote typed or none', async () => {
    const json = `{
  "zero_optimization": { "stage": 3, "| },
  "train_micro_batch_size_per_gpu": 4,
  "bf16": { "enabled": true }
}
`;
    const names = await offered(json, '/w/ds.json');
    assert.ok(names.includes('offload_optimizer'), String(names));
    assert.ok(!names.includes('stage'));
    const top = await offered(
      json.replace('"|', '"overlap_comm": true').replace('4,', '4,\n  |'),
      '/w/ds.json',
    );
    assert.ok(top.includes('gradient_accumulation_steps'), String(top));
  });

  it('are none where a value is typed', async () => {
    assert.deepEqual(await offered(`${SFT}stage: s|\n`), []);
  });

  it('are what a dialect of the workspace says, with its words for values', async () => {
    const { definition } = parseDefinition('/w/.headroom/dialects/mine.yaml', OWN);
    assert.ok(definition);
    const world = { ...worldOf({}), definitions: { near: () => Promise.resolve([definition]) } };
    const text = 'my_model: a/b-7b\nmy_batch: 2\nfit:\n  \n';
    const { runs } = await readConfig('/w/a.yaml', text, world, running);
    const [run] = runs;
    assert.ok(run);
    const names = keysAt(run, text, text.length - 1)?.keys.map(({ name }) => name);
    assert.deepEqual(names, ['log_every', 'recompute', 'samples']);
    const note = keyNoteAt(definition, 'fit:\n  recompute: \n', 7);
    assert.deepEqual(note?.values, ['always', 'never']);
  });

  it('have words for values wherever a row has them', () => {
    const text = 'sample_packing: \n';
    assert.deepEqual(keyNoteAt('axolotl', text, 0)?.values, ['true', 'false']);
  });
});
