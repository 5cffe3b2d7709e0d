import assert from 'node:assert/strict';
import { datasetsOf } from '../../../src/core/dialects/datasetsOf';
import type { DatasetRef } from '../../../src/core/spec/dataset';
import { runsOf } from '../rules/findings';

async function dataOf(...lines: readonly string[]): Promise<readonly DatasetRef[]> {
  const [run] = await runsOf(lines.join('\n'));
  assert.ok(run, 'it is no run');
  return datasetsOf(run);
}

const AXOLOTL = [
  'base_model: a/b',
  'sequence_len: 2048',
  'micro_batch_size: 1',
  'adapter: lora',
  'datasets:',
];
const FACTORY = [
  'model_name_or_path: a/b',
  'finetuning_type: lora',
  'template: qwen',
  'cutoff_len: 512',
  'stage: sft',
];
const TRL = [
  'model_name_or_path: a/b',
  'use_peft: true',
  'max_length: 512',
  'per_device_train_batch_size: 1',
  'gradient_accumulation_steps: 2',
  'learning_rate: 1e-5',
];

const SWIFT = [
  'model: a/b',
  'train_type: lora',
  'max_length: 512',
  'lora_rank: 8',
  'target_modules: all-linear',
];

describe('lengths: the data that a config names', () => {
  it('are Axolotl’s list, with the template and the columns of each type', async () => {
    const found = await dataOf(
      ...AXOLOTL,
      '  - path: data/a.jsonl',
      '    type: chat_template',
      '    field_messages: talk',
      '    message_property_mappings: {role: who, content: said}',
      '  - path: json',
      '    data_files: [b.jsonl, c.jsonl]',
      '    type: alpaca',
      '  - path: org/name',
      '    type: completion',
      '    field: body',
    );
    assert.deepEqual(found, [
      {
        path: 'data/a.jsonl',
        files: [],
        template: 'chat',
        columns: { messages: 'talk', role: 'who', content: 'said' },
      },
      { path: 'json', files: ['b.jsonl', 'c.jsonl'], template: 'alpaca', columns: {} },
      { path: 'org/name', files: [], template: 'none', columns: { text: 'body' } },
    ]);
  });

  it('are LLaMA-Factory’s names in its list of datasets', async () => {
    const found = await dataOf(...FACTORY, 'dataset: mine, other', 'dataset_dir: sets/');
    assert.deepEqual(
      found.map(({ path, registry, template }) => [path, registry, template]),
      [
        ['mine', 'sets/dataset_info.json', 'chat'],
        ['other', 'sets/dataset_info.json', 'chat'],
      ],
    );
  });

  it('are TRL’s name, with the column of texts where it is another', async () => {
    const [named] = await dataOf(...TRL, 'dataset_name: ./data');
    assert.deepEqual(named, { path: './data', files: [], template: 'chat', columns: {} });
    const [text] = await dataOf(...TRL, 'dataset_name: ./data', 'dataset_text_field: body');
    assert.deepEqual(text?.columns, { text: 'body' });
    const mixed = await dataOf(...TRL, 'datasets:', '  - {path: json, data_files: x.jsonl}');
    assert.deepEqual(mixed[0]?.files, ['x.jsonl']);
  });

  it('have a chat template that is not the tokenizer’s where the framework takes another', async () => {
    const own = async (...lines: readonly string[]) => (await dataOf(...lines))[0]?.ownTemplate ?? null;
    const data = (words: string) => `  - {path: a.jsonl, ${words}}`;
    assert.equal(await own(...AXOLOTL, data('type: chat_template')), null);
    const fallback = 'chat_template: tokenizer_default_fallback_chatml';
    assert.equal(await own(fallback, ...AXOLOTL, data('type: chat_template')), null);
    assert.equal(await own('chat_template: llama3', ...AXOLOTL, data('type: chat_template')), 'llama3');
    const nearer = data('type: chat_template, chat_template: tokenizer_default');
    assert.equal(await own('chat_template: llama3', ...AXOLOTL, nearer), null);
    assert.equal(await own(...AXOLOTL, data('type: chatml.intel')), 'chatml.intel');
    assert.equal(await own(...AXOLOTL, data('type: completion')), null);
    assert.equal(await own(...FACTORY, 'dataset: mine'), 'qwen');
    const unnamed = FACTORY.filter(line => !line.startsWith('template'));
    assert.equal(await own(...unnamed, 'dataset: mine'), null);
    assert.equal(await own(...TRL, 'dataset_name: ./data'), null);
    assert.equal(await own(...TRL, 'dataset_name: ./data', 'chat_template_path: x.jinja'), 'x.jinja');
    assert.equal(await own(...SWIFT, 'dataset: a.jsonl'), 'swift');
    assert.equal(await own(...SWIFT, 'dataset: a.jsonl', 'template_backend: jinja'), null);
  });

  it('are none where only the start of the run says them', async () => {
    assert.deepEqual(await dataOf(...TRL, 'dataset_name: ${DATA}'), []);
    assert.deepEqual(await dataOf(...TRL), []);
  });
});
