import assert from 'node:assert/strict';
import { analyze } from '../../../src/core/analyse/analyse';
import { parseDefinition } from '../../../src/core/dialects/defined/parse';
import type { DialectDefinition } from '../../../src/core/dialects/defined/definition';
import type { Finding } from '../../../src/core/rules/rule';
import { slipOf } from '../../../src/core/text/editDistance';
import { running, worldOf } from '../dialects/support';

const SFT = `model_name_or_path: Qwen/Qwen2.5-7B
finetuning_type: lora
template: qwen
cutoff_len: 2048
`;

async function slips(
  text: string,
  file = '/w/train.yaml',
  definitions: readonly DialectDefinition[] = [],
): Promise<readonly Finding[]> {
  const world = { ...worldOf({ [file]: text }), definitions: { near: () => Promise.resolve(definitions) } };
  const { runs, dialect } = await analyze(file, text, world, { target: null, severities: {} }, running);
  assert.notEqual(dialect, null);
  return runs.flatMap(run => run.findings).filter(({ rule }) => rule === 'misspelt-key');
}

describe('a misspelled key', () => {
  it('is named with what was meant, in a config format that is data', async () => {
    const [found] = await slips(`${SFT}per_device_train_batchsize: 1\n`);
    assert.equal(found?.path, 'per_device_train_batchsize');
    assert.equal(found.rename, 'per_device_train_batch_size');
    assert.equal(
      found.message,
      'Unknown key `per_device_train_batchsize`. Did you mean `per_device_train_batch_size`?',
    );
  });

  it('is looked for in its own section only', async () => {
    const trainer = 'seed_everything: 1\nmodel:\n  class_path: a.B\ntrainer:\n  max_epochs: 3\n';
    const [found] = await slips(`${trainer}  accumulate_grad_baches: 2\n`);
    assert.equal(found?.path, 'trainer.accumulate_grad_baches');
    assert.deepEqual(await slips(`${trainer}accumulate_grad_baches: 2\n`), []);
  });

  it('is found in JSON', async () => {
    const json = '{"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpuu": 4}';
    const [found] = await slips(json, '/w/ds.json');
    assert.equal(found?.rename, 'train_micro_batch_size_per_gpu');
  });

  it('is found in a config format of the workspace', async () => {
    const { definition } = parseDefinition(
      '/w/.headroom/dialects/mine.yaml',
      'id: mine\nrecognise: { strong: [my_model] }\nquantities:\n  microBatchSize: { keys: fit.samples }\n',
    );
    assert.ok(definition);
    const [found] = await slips('my_model: x\nfit:\n  smaples: 2\n', '/w/a.yaml', [definition]);
    assert.equal(found?.rename, 'samples');
  });

  it('is no dotted path of a key in sections', async () => {
    const { definition } = parseDefinition(
      '/w/.headroom/dialects/mine.yaml',
      'id: mine\nrecognise: { strong: [my_model] }\nquantities:\n  microBatchSize: { keys: [fit.samples, fit_samples] }\n',
    );
    assert.ok(definition);
    assert.deepEqual(await slips('my_model: x\nfit.samples: 2\n', '/w/a.yaml', [definition]), []);
    const [found] = await slips('my_model: x\nfit.sampels: 2\n', '/w/a.yaml', [definition]);
    assert.equal(found?.rename, 'fit_samples');
  });

  it('is not a key that stands beside what it is like, no other format’s key, and none of a stranger', async () => {
    assert.deepEqual(await slips(`${SFT}lora_rank: 8\nlora_ranks: 8\n`), []);
    assert.deepEqual(await slips(`${SFT}val_set_size: 8\nmy_note: 1\n`), []);
    const stranger =
      'net: {model_name: a/b-7b}\nfit: {batch_size: 4, lr: 1e-4, epochs: 3, bf16: true, lora_rr: 8}\n';
    assert.deepEqual(await slips(stranger), []);
  });

  it('is never one of two names that differ in a short word, a digit or a word of its own', () => {
    const isWord = (word: string): boolean => word === 'encoder' || word === 'val';
    assert.equal(slipOf('tp_size', ['pp_size'], isWord), null);
    assert.equal(slipOf('load_in_8bit', ['load_in_4bit'], isWord), null);
    assert.equal(slipOf('val_batch_size', ['eval_batch_size'], isWord), null);
    assert.equal(slipOf('encoder_layers', ['decoder_layers'], isWord), null);
    assert.equal(slipOf('decodr_layers', ['decoder_layers'], isWord), 'decoder_layers');
    assert.equal(slipOf('batch_siez', ['batch_size'], isWord), 'batch_size');
    assert.equal(slipOf('maxLength', ['max_length'], isWord), 'max_length');
  });
});
