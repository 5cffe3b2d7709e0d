import assert from 'node:assert/strict';
import {
  isNull,
  isOff,
  isOn,
  isStated,
  keysBelow,
  numberOf,
  holdsBoolean,
  textOf,
  textsOf,
} from '../../../src/core/rules/raw';
import type { Keys } from '../../../src/core/rules/raw';
import { listed, quoted } from '../../../src/core/rules/when';
import { ruleContext } from '../../../src/core/rules/check';
import { runsOf } from './findings';
import { english } from '../../../src/core/text/say';

async function keysOf(lines: string): Promise<Keys> {
  const [run] = await runsOf(`base_model: m/m\nmicro_batch_size: 2\n${lines}`);
  assert.ok(run);
  return ruleContext({ run, model: null, target: null, estimate: null, missing: [] });
}

describe('keys as Python reads them', () => {
  const truths: [value: string, on: boolean, off: boolean][] = [
    ['true', true, false],
    ['yes', true, false],
    ['False', false, true],
    ['off', false, true],
    ['0', false, true],
    ['0.0', false, true],
    ['1', true, false],
    ['', false, true],
    ['~', false, true],
    ["''", false, true],
    ['auto', true, false],
    ['[]', false, true],
    ['[a]', true, false],
    ['{}', false, true],
    ['{a: 1}', true, false],
    // Set elsewhere: neither.
    ['${FLAG}', false, false],
    ['!env FLAG', false, false],
    // Text that spells a negative: parsers differ, so nothing follows.
    ['"false"', false, false],
  ];
  for (const [value, on, off] of truths) {
    it(`reads ${value || 'nothing'} as ${on ? 'true' : off ? 'false' : 'unknown'}`, async () => {
      const keys = await keysOf(`key: ${value}\n`);
      assert.deepEqual([isOn(keys, 'key'), isOff(keys, 'key')], [on, off]);
    });
  }

  it('takes what is absent for false', async () => {
    const keys = await keysOf('');
    assert.deepEqual(
      [isOn(keys, 'key'), isOff(keys, 'key'), isStated(keys, 'key'), isNull(keys, 'key')],
      [false, true, false, false],
    );
  });

  it('tells null from absence, and a boolean from something like it', async () => {
    const keys = await keysOf('nothing: null\nword: auto\nflag: yes\nunknown: ${X}\n');
    assert.deepEqual([isNull(keys, 'nothing'), isStated(keys, 'nothing')], [true, false]);
    assert.deepEqual([holdsBoolean(keys, 'word', true), holdsBoolean(keys, 'flag', true)], [false, true]);
    assert.ok(isStated(keys, 'unknown'));
  });

  it('reads numbers as frameworks cast them', async () => {
    const keys = await keysOf("a: 1e-4\nb: '8'\nc: 500_000\nd: eight\ne: .nan\nf: 2.\n");
    assert.deepEqual(
      ['a', 'b', 'c', 'd', 'e', 'f'].map(key => numberOf(keys, key)),
      [0.0001, 8, 500000, null, null, 2],
    );
  });

  it('reads texts, lists and names of keys', async () => {
    const keys = await keysOf('list: [a, b]\none: a\nmixed:\n  - a\n  - ${B}\nmap:\n  x: 1\n  y: 2\n');
    assert.deepEqual(textsOf(keys, 'list'), ['a', 'b']);
    assert.deepEqual(textsOf(keys, 'one'), ['a']);
    assert.deepEqual(textsOf(keys, 'gone'), []);
    assert.equal(textsOf(keys, 'mixed'), null);
    assert.equal(textOf(keys, 'list'), null);
    assert.deepEqual(keysBelow(keys, 'map'), ['x', 'y']);
    assert.deepEqual(keysBelow(keys, '').slice(0, 3), ['base_model', 'micro_batch_size', 'list']);
  });

  it('quotes keys with what stands there, never a wall of text', async () => {
    const keys = await keysOf(`short: 1 # why\nlong: ${'x'.repeat(60)}\nmap: {a: 1}\nempty:\n`);
    assert.equal(quoted(keys, 'short'), '`short: 1`');
    assert.equal(quoted(keys, 'long'), `\`long: ${'x'.repeat(40)}…\``);
    assert.deepEqual(
      ['map', 'empty', 'gone'].map(key => quoted(keys, key)),
      ['`map`', '`empty`', '`gone`'],
    );
  });

  it('lists as people do', () => {
    assert.deepEqual(
      [
        listed(english, []),
        listed(english, ['a']),
        listed(english, ['a', 'b']),
        listed(english, ['a', 'b', 'c']),
      ],
      ['', 'a', 'a and b', 'a, b and c'],
    );
  });
});
