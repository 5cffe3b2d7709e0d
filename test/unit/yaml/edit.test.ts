import assert from 'node:assert/strict';
import { setKey } from '../../../src/core/yaml/edit';
import { parseYaml } from '../../../src/core/yaml/parse';
import { parsePath } from '../../../src/core/yaml/path';
import type { ScalarValue } from '../../../src/core/yaml/node';

/** The text after setting one key, or the refusal. */
function set(text: string, path: string, value: ScalarValue, after: string | null = null): string {
  const document = parseYaml(text).documents[0];
  assert.ok(document);
  const result = setKey(text, document, parsePath(path), value, after);
  if (!result.ok) return `refused: ${result.why}`;
  const { span, text: inserted } = result.edit;
  return text.slice(0, span.start) + inserted + text.slice(span.end);
}

describe('setting a key', () => {
  const cases: [title: string, text: string, path: string, value: ScalarValue, expected: string][] = [
    ['a plain number, with its comment', 'a: 4  # rows\nb: 1\n', 'a', 2, 'a: 2  # rows\nb: 1\n'],
    ['a quoted number', "a: '4'\n", 'a', 2, "a: '2'\n"],
    ['CRLF and no final newline', 'a: 4\r\nb: 1', 'b', 2, 'a: 4\r\nb: 2'],
    ['behind a byte order mark', '\uFEFFa: 4\n', 'a', 2, '\uFEFFa: 2\n'],
    ['an empty value', 'a:\nb: 1\n', 'a', true, 'a: true\nb: 1\n'],
    ['an empty value with a comment', 'a: # none\nb: 1\n', 'a', true, 'a: true # none\nb: 1\n'],
    ['an alias where it stands', 'x: &n 4\na: *n\n', 'a', 2, 'x: &n 4\na: 2\n'],
    [
      'an own key over a merged one',
      'd: &d\n  a: 4\nr:\n  <<: *d\n  b: 1\n',
      'r.a',
      2,
      'd: &d\n  a: 4\nr:\n  <<: *d\n  b: 1\n  a: 2\n',
    ],
    ['in an anchored map nobody shares', 'd: &d\n  a: 4\n', 'd.b', 2, 'd: &d\n  a: 4\n  b: 2\n'],
    ['an anchored value nobody shares', 'a: &n 4\n', 'a', 2, 'a: &n 2\n'],
    ['a value in a flow map', 'm: {a: 4, b: 1}\n', 'm.a', 2, 'm: {a: 2, b: 1}\n'],
    ['a new key in a flow map', 'm: {b: 1}\n', 'm.a', 2, 'm: {b: 1, a: 2}\n'],
    ['a new key in an empty flow map', 'm: {}\n', 'm.a', 2, 'm: {a: 2}\n'],
    ['a new key at the end', 'a: 4 # x\n', 'b', 2, 'a: 4 # x\nb: 2\n'],
    ['a new key, no final newline', 'a: 4', 'b', 2, 'a: 4\nb: 2'],
    ['a new nested key', 'a: 4\n', 'm.n', 2, 'a: 4\nm:\n  n: 2\n'],
    ['a new key below a list', 'l:\n  - 1\n  - 2\n\n# end\n', 'b', 2, 'l:\n  - 1\n  - 2\nb: 2\n\n# end\n'],
    ['a key in JSON', '{\n  "a": 4\n}\n', 'a', 2, '{\n  "a": 2\n}\n'],
    ['a word in JSON over a number', '{"a": 4}', 'a', 'auto', '{"a": "auto"}'],
    ['a number in JSON over a word', '{"a": "auto", "b": 1}', 'a', 2, '{"a": 2, "b": 1}'],
    ['a new key in JSON', '{\n  "a": 4\n}\n', 'b', 'x', '{\n  "a": 4,\n  "b": "x"\n}\n'],
    [
      'a new key in JSON on one line',
      '{"a": 4, "c": {"d": 1}}',
      'c.e',
      true,
      '{"a": 4, "c": {"d": 1, "e": true}}',
    ],
    ['a new key in empty JSON', '{}', 'a.b', 2, '{"a": {"b": 2}}'],
    ['a new section in JSON', '{\r\n\t"a": 4\r\n}', 'b.c', 2, '{\r\n\t"a": 4,\r\n\t"b": {"c": 2}\r\n}'],
    ['a list with its first item', 'a: 4\nb: 1\n', 'l[0]', 'x.y', 'a: 4\nb: 1\nl:\n  - x.y\n'],
    ['a list in JSON', '{\n  "a": 4\n}\n', 'l[0]', 'x', '{\n  "a": 4,\n  "l": ["x"]\n}\n'],
    ['one item more', 'l:\n  - x # one\n\na: 4\n', 'l[1]', 'z', 'l:\n  - x # one\n  - z\n\na: 4\n'],
    ['one item more in brackets', 'l: [x]\n', 'l[1]', 'z', 'l: [x, z]\n'],
    ['one item more in JSON', '{"l": ["x"]}', 'l[1]', 'z', '{"l": ["x", "z"]}'],
    ['no item behind a gap', 'l: [x]\n', 'l[3]', 'y', 'refused: l is not a list to add to'],
    ['no item of a list that is not there', 'a: 4\n', 'l[1]', 'z', 'refused: l is not there'],
    ['no item in a value', 'l: x\n', 'l[0]', 'y', 'refused: l is not a list to add to'],
    ['in a list of maps', '- a: 4\n  b: 1\n- a: 5\n', '[1].a', 2, '- a: 4\n  b: 1\n- a: 2\n'],
  ];
  for (const [title, text, path, value, expected] of cases) {
    it(title, () => assert.equal(set(text, path, value), expected));
  }

  it('adds next to the named key', () => {
    assert.equal(set('{"a": 4, "b": 1}', 'c', 2, 'a'), '{"a": 4, "c": 2, "b": 1}');
    assert.equal(set('a: 4\nb: 1\n', 'c', 2, 'a'), 'a: 4\nc: 2\nb: 1\n');
  });

  it('keeps a block scalar above a new key', () => {
    assert.equal(set('t: |\n  x\n  y\n', 'b', 2), 't: |\n  x\n  y\nb: 2\n');
  });

  it('refuses what a small edit cannot do', () => {
    assert.equal(set('x: &n 4\na: *n\n', 'x', 2), 'refused: x is shared through the anchor &n');
    assert.equal(set('d: &d\n  a: 4\nr: *d\n', 'r.a', 2), 'refused: r is shared through an anchor');
    assert.equal(set('d: &d\n  a: 4\nr: *d\n', 'r.b', 2), 'refused: r is shared through an anchor');
    assert.equal(set('d: &d\n  a: 4\nr:\n  <<: *d\n', 'd.a', 2), 'refused: d is shared through an anchor');
    const merged = 'd: &d\n  s:\n    a: 4\nr:\n  <<: *d\n';
    assert.equal(set(merged, 'r.s.a', 2), 'refused: r.s is shared through an anchor');
    assert.equal(set('a: [1, 2]\n', 'a', 2), 'refused: a holds a sequence, not a single value');
    assert.equal(set('a: !env BATCH\n', 'a', 2), 'refused: a has a tag that only its program understands');
  });
});
