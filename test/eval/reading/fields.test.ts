import assert from 'node:assert/strict';
import { compare, unknownIn } from './fields';
import type { Expected, Got } from './fields';

const stated = (value: unknown): Got => ({ value, origin: 'file' });

const record: Expected = {
  id: 'r1',
  file: 'a.yaml',
  dialect: 'hydra_omegaconf',
  seq_len: 512,
  model: null,
  precision: 'bf16',
  accept: { precision: ['bf16', null], model: [null, 'bert-base-uncased'] },
};
const FIELDS = ['dialect', 'seq_len', 'model', 'precision'];

const wrongIn = (got: Readonly<Record<string, Got>>): readonly string[] =>
  compare(record, FIELDS, got).map(({ field }) => field);

describe("the comparison with a person's reading", () => {
  const right = {
    dialect: stated('hydra'),
    seq_len: stated(512),
    model: stated(null),
    precision: stated('bf16'),
  };

  it('is right if the value is what the person read', () => assert.deepEqual(wrongIn(right), []));

  it('is right if the record accepts it, and only in that field', () => {
    const other = { ...right, model: stated('bert-base-uncased'), precision: stated(null) };
    assert.deepEqual(wrongIn(other), []);
    assert.deepEqual(wrongIn({ ...other, model: stated('bert-large-uncased'), seq_len: stated(null) }), [
      'seq_len',
      'model',
    ]);
  });

  it('has the dialect as its own field: values count whatever it is called', () => {
    assert.deepEqual(wrongIn({ ...right, dialect: stated('torchtune') }), ['dialect']);
    assert.deepEqual(wrongIn({ ...right, dialect: stated('guide-training') }), []);
    assert.deepEqual(wrongIn({ ...right, dialect: stated(null) }), ['dialect']);
  });

  it('is all unknown if a file is not read', () => {
    assert.deepEqual(wrongIn(unknownIn(FIELDS)), ['dialect', 'seq_len']);
  });

  it('is wrong if a default is presented as stated', () => {
    const defaulted = { ...record, defaulted: ['seq_len'] };
    assert.deepEqual(
      compare(defaulted, ['seq_len'], { seq_len: stated(512) }).map(({ field }) => field),
      ['seq_len'],
    );
    assert.deepEqual(compare(defaulted, ['seq_len'], { seq_len: { value: 512, origin: 'default' } }), []);
  });
});
