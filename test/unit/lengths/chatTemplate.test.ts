import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { chatTemplateIn } from '../../../src/core/lengths/chatTemplate';
import type { Turn } from '../../../src/core/lengths/rowText';
import { jinjaWriter, strftime } from '../../../src/lengths/jinja';

const fixture = (name: string): string => readFileSync(`test/fixtures/lengths/${name}.jinja`, 'utf8');
const tokens = { bos_token: '<s>', eos_token: '</s>' };
const day = new Date(2026, 2, 7, 9, 5);

function written(text: string, messages: readonly Turn[]): string {
  const answer = jinjaWriter({ text, tokens }, day.getTime())(messages);
  return 'text' in answer ? answer.text : `NOT: ${answer.why}`;
}

const user = (content: string): Turn => ({ role: 'user', content });
const assistant = (content: string, more?: Turn['more']): Turn => ({
  role: 'assistant',
  content,
  ...(more && { more }),
});
const system = (content: string): Turn => ({ role: 'system', content });

describe('lengths: the chat template of a tokenizer', () => {
  it('is that of the file of its own, else of the config, of several the default', () => {
    const config = (chat_template: unknown) => JSON.stringify({ chat_template });
    const text = (config: string | null, template: string | null = null) =>
      chatTemplateIn({ config, special: null, template })?.text ?? null;
    assert.equal(text(config('a')), 'a');
    assert.equal(text(config('a'), 'b'), 'b');
    const several = [
      { name: 'tool_use', template: 't' },
      { name: 'default', template: 'd' },
    ];
    assert.equal(text(config(several)), 'd');
    assert.equal(text(config(several.slice(0, 1))), null);
    for (const none of [null, '{', '[]', '3', config(null), config(7)]) assert.equal(text(none), null);
  });

  it('has its tokens from the config, else from their own file, as texts', () => {
    const read = chatTemplateIn({
      config: JSON.stringify({ bos_token: { content: '<s>' }, eos_token: null, chat_template: 'x' }),
      special: JSON.stringify({ bos_token: 'other', pad_token: '<pad>' }),
      template: null,
    });
    assert.deepEqual(read?.tokens, { bos_token: '<s>', pad_token: '<pad>' });
  });

  it('writes what it writes by itself: a system prompt, a day, tokens at the ends', () => {
    assert.equal(
      written(fixture('chatml'), [user('Hi'), assistant('Ho')]),
      '<|im_start|>system\nYou are the assistant that somebody trained.<|im_end|>\n' +
        '<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHo<|im_end|>\n',
    );
    assert.equal(
      written(fixture('dated'), [system(' Be brief. '), user('Hi\n')]),
      '<s><|start_header_id|>system<|end_header_id|>\n\nToday Date: 07 Mar 2026\n\nBe brief.<|eot_id|>' +
        '<|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>',
    );
    assert.equal(written(fixture('strict'), [user('a'), assistant('b')]), '<s>[INST] a [/INST] b</s>');
  });

  it('writes calls of tools and thoughts, where messages have them', () => {
    const call = { function: { name: 'add', arguments: { a: 1, b: ['x', null, true] } } };
    assert.match(
      written(fixture('chatml'), [user('Hi'), assistant('', { tool_calls: [call] })]),
      /<tool_call>\n\{"name": "add", "arguments": \{"a": 1, "b": \["x", null, true\]\}\}\n<\/tool_call><\|im_end\|>\n$/,
    );
    const thought = [user('Hi'), assistant('Ho', { reasoning_content: 'Hm' })];
    assert.match(
      written(fixture('thinking'), thought),
      /assistant\n<think>\nHm\n<\/think>\n\nHo<\|im_end\|>\n$/,
    );
  });

  it('says why it does not write a conversation, or any', () => {
    assert.equal(
      written(fixture('strict'), [system('Be brief.'), user('a')]),
      'NOT: System role not supported',
    );
    assert.match(written('{% if %}', [user('a')]), /^NOT: it could not be parsed: /);
    assert.match(written('{{ messages | nothing_of_it }}', [user('a')]), /^NOT: /);
    assert.equal(
      written('{% for a in range(10000000000) %}x{% endfor %}', [user('a')]),
      'NOT: its loop is too long',
    );
    const doubling =
      '{% set ns = namespace(x="x") %}{% for a in range(24) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ ns.x }}';
    assert.equal(written(doubling, [user('a')]), 'NOT: it produces too much text');
  });

  it('cannot reach what is around it', () => {
    const reach = '{{ messages.constructor.constructor("return process")() }}';
    assert.match(written(reach, [user('a')]), /^NOT: /);
  });

  it('has days as Python writes them, in English', () => {
    assert.equal(
      strftime(day, '%A, %d %B %Y; %a %b %y %m %H:%M:%S %% %Q'),
      'Saturday, 07 March 2026; Sat Mar 26 03 09:05:00 % %Q',
    );
  });
});
