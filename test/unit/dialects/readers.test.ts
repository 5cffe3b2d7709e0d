import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  count,
  countOrNone,
  flag,
  number,
  oneOf,
  unlessAuto,
  word,
  words,
} from '../../../src/core/dialects/engine/readers';
import type { ValueReader } from '../../../src/core/dialects/engine/readers';
import type { Plain } from '../../../src/core/yaml/scalars';

describe('value readers', () => {
  const readers: Readonly<Record<string, ValueReader<unknown>>> = {
    count,
    countOrNone,
    number,
    flag,
    word,
    words,
  };
  const cases: [reader: keyof typeof readers, value: Plain, result: unknown][] = [
    ['count', 4, { ok: 4 }],
    ['count', '4', { ok: 4 }],
    ['count', '1_024', { ok: 1024 }],
    ['count', 4.5, { unfit: 'is not a positive whole number' }],
    ['count', 0, { unfit: 'is not a positive whole number' }],
    ['count', Number.NaN, { unfit: 'is not a positive whole number' }],
    ['count', Infinity, { unfit: 'is not a positive whole number' }],
    ['count', '1e3', { unfit: 'is not a number to Python' }],
    ['count', true, { unfit: 'is not a number to Python' }],
    ['count', null, null],
    ['count', { a: 1 }, { unfit: 'is not a positive whole number' }],
    ['count', [1, 2], { unfit: 'is not a positive whole number' }],
    ['countOrNone', 0, { ok: 0 }],
    ['number', '0.05', { ok: 0.05 }],
    ['number', 'x', { unfit: 'is not a number' }],
    ['flag', true, { ok: true }],
    ['flag', 'yes', { ok: true }],
    ['flag', '0', { ok: false }],
    ['flag', 'maybe', { unfit: 'is neither true nor false' }],
    ['flag', ['a'], null],
    ['word', 'adamw_torch', { ok: 'adamw_torch' }],
    ['word', 16, { ok: '16' }],
    ['word', Number.NaN, { unfit: 'is not a name' }],
    ['word', '<model>', { unfit: 'is still to be filled in' }],
    ['word', '???', { unfit: 'is still to be filled in' }],
    ['word', 'None', { unfit: 'is the word "None" to YAML: nothing is written null' }],
    ['words', 'q_proj', { ok: ['q_proj'] }],
    ['words', ['q_proj', 'v_proj'], { ok: ['q_proj', 'v_proj'] }],
    ['words', { a: 1 }, null],
    ['words', [{ toString: 1 }, ['a', 2]], { ok: ['{"toString":1}', '["a",2]'] }],
  ];
  for (const [name, value, result] of cases) {
    it(`${name} of ${JSON.stringify(value)}`, () => assert.deepEqual(readers[name]?.(value), result));
  }

  it('auto leaves it to the trainer', () => {
    assert.deepEqual(unlessAuto(count)('auto'), { left: 'is auto: the trainer fills it in' });
    assert.deepEqual(unlessAuto(count)(8), { ok: 8 });
  });

  it('one of some words, in any case', () => {
    const reader = oneOf({ no: 1, bf16: 2 });
    assert.deepEqual(reader('BF16'), { ok: 2 });
    assert.deepEqual(reader('fp9'), { unfit: 'is not one of no, bf16' });
    assert.deepEqual(reader('constructor'), { unfit: 'is not one of no, bf16' });
  });

  it('never throws and never gives what is not a positive whole number', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const result = count(value as Plain);
        assert.ok(!result || !('ok' in result) || (Number.isSafeInteger(result.ok) && result.ok > 0));
      }),
    );
  });
});
