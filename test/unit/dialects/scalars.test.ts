import assert from 'node:assert/strict';
import { loaded, plainOf } from '../../../src/core/yaml/scalars';
import type { Loader } from '../../../src/core/yaml/scalars';
import type { ScalarValue } from '../../../src/core/yaml/node';
import { parseYaml } from '../../../src/core/yaml/parse';
import { find } from '../../../src/core/yaml/path';

/** A loader's value of `k: TEXT`. */
function value(text: string, loader: Loader): ScalarValue {
  const found = find(parseYaml(`k: ${text}\n`).documents[0]?.root ?? null, ['k']);
  assert.ok(found?.node.kind === 'scalar');
  return loaded(found.node, loader);
}

// Values from PyYAML 6.0.3 and OmegaConf 2.4.0.
const cases: [text: string, pyyaml: ScalarValue, omegaconf: ScalarValue][] = [
  ['4', 4, 4],
  ['1_000', 1000, 1000],
  ['-3', -3, -3],
  ['010', 8, 8],
  ['0x1F', 31, 31],
  ['0b101', 5, 5],
  ['1:30', 90, 90],
  ['1:30.5', 90.5, 90.5],
  ['08', '08', '08'],
  ['08:30', '08:30', '08:30'],
  ['0o17', '0o17', '0o17'],
  ['1e+5', '1e+5', 1e5],
  ['.5e-3', 5e-4, 5e-4],
  ['1e-4', '1e-4', 1e-4],
  ['2.0e-04', 2e-4, 2e-4],
  ['1.0e5', '1.0e5', 1e5],
  ['5e8', '5e8', 5e8],
  ['1.', 1, 1],
  ['.5', 0.5, 0.5],
  ['.inf', Infinity, Infinity],
  ['-.inf', -Infinity, -Infinity],
  ['yes', true, true],
  ['off', false, false],
  ['True', true, true],
  ['y', 'y', 'y'],
  ['~', null, null],
  ['', null, null],
  ['None', 'None', 'None'],
  ['"4"', '4', '4'],
  ["'yes'", 'yes', 'yes'],
  ['1.5.2', '1.5.2', '1.5.2'],
  ['bf16', 'bf16', 'bf16'],
];

describe('scalars as the framework gets them', () => {
  for (const [text, pyyaml, omegaconf] of cases) {
    it(text || 'an empty value', () => {
      assert.equal(value(text, 'pyyaml'), pyyaml);
      assert.equal(value(text, 'omegaconf'), omegaconf);
    });
  }

  it('.nan is not a number', () => assert.ok(Number.isNaN(value('.nan', 'pyyaml'))));
  it('JSON keeps its own numbers', () => assert.equal(value('5e8', 'json'), 5e8));

  it('lists, maps and aliases are read whole', () => {
    const { root } = parseYaml('a: &x [on, 1_0]\nb: {c: *x, d: 1e-4}\n').documents[0] ?? { root: null };
    assert.ok(root);
    assert.deepEqual(plainOf(root, 'pyyaml'), { a: [true, 10], b: { c: [true, 10], d: '1e-4' } });
  });
});
