import assert from 'node:assert/strict';
import { CHAT_MARKS, PLAIN_MARKS } from '../../../src/core/lengths/chatMarks';
import type { RowColumns, RowTemplate } from '../../../src/core/spec/dataset';
import { datasetFromRegistry } from '../../../src/core/lengths/registry';
import { sequencesOf, textToTokenize } from '../../../src/core/lengths/rowText';

const [CHATML = PLAIN_MARKS] = CHAT_MARKS;

function textsOf(
  fields: Readonly<Record<string, unknown>>,
  template: RowTemplate = 'none',
  columns: RowColumns = {},
): readonly string[] | null {
  return sequencesOf(fields, { columns })?.map(one => textToTokenize(one, { template }, CHATML)) ?? null;
}

describe('lengths: what a row is made of', () => {
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: [{ type: 'text', text: 'Ho' }, { type: 'image' }] },
  ];

  it('is messages with the marks of their template', () => {
    assert.deepEqual(textsOf({ messages }, 'chat'), [
      '<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHo<|im_end|>\n',
    ]);
  });

  it('is ShareGPT’s conversation, its roles by their names in templates', () => {
    const conversations = [
      { from: 'human', value: 'Hi' },
      { from: 'gpt', value: 'Ho' },
    ];
    assert.deepEqual(textsOf({ conversations }, 'chat'), textsOf({ messages }, 'chat'));
  });

  it('is an instruction with its input and answer, in Alpaca’s words where the framework says so', () => {
    const row = { instruction: 'Add', input: '1 + 1', output: '2' };
    assert.deepEqual(textsOf(row), ['Add\n1 + 12']);
    assert.match(
      textsOf(row, 'alpaca')?.[0] ?? '',
      /^Below is an instruction[^]*### Instruction:\nAdd\n1 \+ 1\n\n### Response:\n2$/,
    );
  });

  it('is a prompt and its completion, as texts or as messages', () => {
    assert.deepEqual(textsOf({ prompt: 'a', completion: 'b' }), ['ab']);
    assert.deepEqual(
      textsOf({ prompt: messages.slice(0, 1), completion: messages.slice(1) }, 'chat'),
      textsOf({ messages }, 'chat'),
    );
    assert.deepEqual(textsOf({ prompt: 'only this' }), ['only this']);
  });

  it('is two sequences where answers are compared', () => {
    assert.deepEqual(textsOf({ prompt: 'q', chosen: 'yes', rejected: 'never' }), ['qyes', 'qnever']);
    assert.deepEqual(textsOf({ chosen: messages, rejected: messages })?.length, 2);
  });

  it('is each text by itself where texts are embedded', () => {
    assert.deepEqual(textsOf({ anchor: 'a', positive: 'b', negative: 'c' }), ['a', 'b', 'c']);
    assert.deepEqual(textsOf({ query: 'a', pos: ['b', 'bb'], neg: ['c'] }), ['a', 'b', 'bb', 'c']);
  });

  it('is the column that a config names, or a text; nothing where there is none', () => {
    assert.deepEqual(textsOf({ body: 'x', text: 'y' }, 'none', { text: 'body' }), ['x']);
    assert.deepEqual(textsOf({ text: 'y' }), ['y']);
    assert.equal(textsOf({ image: 'x.png', label: 3 }), null);
  });

  it('keeps what looks like a mark in a message as it is', () => {
    const [text] = textsOf({ messages: [{ role: 'user', content: '$& {role}' }] }, 'chat') ?? [];
    assert.equal(text, '<|im_start|>user\n$& {role}<|im_end|>\n');
  });
});

describe('lengths: a dataset of LLaMA-Factory', () => {
  const ref = {
    path: 'mine',
    files: [],
    registry: 'data/dataset_info.json',
    template: 'chat',
    columns: {},
  } as const;
  const info = {
    mine: {
      file_name: 'mine.json',
      formatting: 'sharegpt',
      columns: { messages: 'talk' },
      tags: { role_tag: 'who', content_tag: 'said' },
    },
    hub: { hf_hub_url: 'org/name' },
    script: { script_url: 'x.py' },
  };

  it('is the file beside the list, with the columns that it names', () => {
    const found = datasetFromRegistry(ref, JSON.stringify(info));
    assert.ok('ref' in found);
    assert.equal(found.ref.path, 'data/mine.json');
    assert.deepEqual(found.ref.columns, { messages: 'talk', role: 'who', content: 'said' });
    const row = { talk: [{ who: 'human', said: 'Hi' }] };
    assert.deepEqual(sequencesOf(row, found.ref), [[{ role: 'user', content: 'Hi' }]]);
  });

  it('is a name of the hub, or nothing that can be read', () => {
    const hub = datasetFromRegistry({ ...ref, path: 'hub' }, JSON.stringify(info));
    assert.equal('ref' in hub && hub.ref.path, 'org/name');
    assert.deepEqual(datasetFromRegistry({ ...ref, path: 'script' }, JSON.stringify(info)), {
      why: 'script is made by a script, or lies in a cloud',
    });
    assert.deepEqual(datasetFromRegistry({ ...ref, path: 'other' }, 'no JSON'), {
      why: 'data/dataset_info.json has no other',
    });
  });
});
