import assert from 'node:assert/strict';
import fc from 'fast-check';
import { setKey, setNewKeys } from '../../../../src/core/yaml/edit';
import type { ScalarValue } from '../../../../src/core/yaml/node';
import { find, parsePath } from '../../../../src/core/yaml/path';
import { plainOf } from '../../../../src/core/yaml/scalars';
import { parseToml } from '../../../../src/core/yaml/toml/parse';
import type { EditResult } from '../../../../src/core/text/textEdit';
import { tries } from '../../../tries';

function after(text: string, result: EditResult): string {
  if (!result.ok) return `refused: ${result.why}`;
  const { span, text: inserted } = result.edit;
  return text.slice(0, span.start) + inserted + text.slice(span.end);
}

/** The text after setting one key, or the refusal. */
function set(text: string, path: string, value: ScalarValue, neighbor: string | null = null): string {
  const document = parseToml(text).documents[0];
  assert.ok(document);
  return after(text, setKey(text, document, parsePath(path), value, neighbor));
}

describe('setting a key of TOML', () => {
  const cases: [title: string, text: string, path: string, value: ScalarValue, expected: string][] = [
    ['a number, with its comment', 'a = 4  # rows\nb = 1\n', 'a', 2, 'a = 2  # rows\nb = 1\n'],
    ['a float stays one', 'lr = 1.0\n', 'lr', 2, 'lr = 2.0\n'],
    ['a word in its quotes', 'a = \'fp16\'\nb = "no"\n', 'a', 'bf16', 'a = \'bf16\'\nb = "no"\n'],
    ['a quote in single quotes', "a = 'x'\n", 'a', "it's", 'a = "it\'s"\n'],
    ['a word over a number', 'a = 1\n', 'a', 'auto', 'a = "auto"\n'],
    ['minus zero', 'a = 1.5\n', 'a', -0, 'a = -0.0\n'],
    ['what is not finite', 'a = 1.5\n', 'a', -Infinity, 'a = -inf\n'],
    ['all digits of a large integer', 'a = 1\n', 'a', 2 ** 60, 'a = 1152921504606846976\n'],
    ['a number beyond integers', 'a = 1\n', 'a', 1e20, 'a = 100000000000000000000.0\n'],
    ['a small number', 'a = 1.5\n', 'a', 1e-7, 'a = 1e-7\n'],
    ['in a table', '[a]\nb = 4\n[c]\nb = 5\n', 'c.b', 2, '[a]\nb = 4\n[c]\nb = 2\n'],
    ['by its dotted key', 'a.b = 4\n', 'a.b', 2, 'a.b = 2\n'],
    ['in an inline table', 'a = { b = 4, c = 1 }\n', 'a.b', 2, 'a = { b = 2, c = 1 }\n'],
    ['in a list of tables', '[[d]]\nr = 4\n[[d]]\nr = 5\n', 'd[1].r', 2, '[[d]]\nr = 4\n[[d]]\nr = 2\n'],
    ['CRLF and no final newline', 'a = 4\r\nb = 1', 'b', 2, 'a = 4\r\nb = 2'],
    [
      'a new key of a table',
      '[a]\n  b = 4 # x\n\n[c]\nd = 1\n',
      'a.e',
      2,
      '[a]\n  b = 4 # x\n  e = 2\n\n[c]\nd = 1\n',
    ],
    ['a new key of an empty table', '[a] # x\n[c]\n', 'a.e', true, '[a] # x\ne = true\n[c]\n'],
    [
      'a new key behind an array of lines',
      'a = [\n  1,\n] # x\n[b]\n',
      'c',
      2,
      'a = [\n  1,\n] # x\nc = 2\n[b]\n',
    ],
    [
      'a new key of the root, before all tables',
      '# top\n\n# of a\n[a]\nb = 1\n',
      'c',
      2,
      '# top\n\nc = 2\n\n# of a\n[a]\nb = 1\n',
    ],
    ['a new key of nothing', '', 'a', 2, 'a = 2\n'],
    ['a new table', '[a]\nb = 1\n', 'c.d', 'x', '[a]\nb = 1\n\n[c]\nd = "x"\n'],
    ['a new table, no final newline', '[a]\nb = 1', 'a.c.d', 2, '[a]\nb = 1\n\n[a.c]\nd = 2'],
    ['a table that has only others', '[a.b]\nc = 1\n', 'a.d', 2, '[a.b]\nc = 1\n\n[a]\nd = 2\n'],
    ['beside a dotted key', '[x]\na.b = 1\n', 'x.a.c', 2, '[x]\na.b = 1\na.c = 2\n'],
    ['a new key of an inline table', 'a = { b = 4 }\n', 'a.c.d', 2, 'a = { b = 4, c.d = 2 }\n'],
    ['a new key of an empty inline table', 'a = {}\n', 'a.c', 2, 'a = { c = 2 }\n'],
    [
      'a new section of a list item',
      '[[d]]\nr = 4\n[[d]]\n',
      'd[0].s.t',
      2,
      '[[d]]\nr = 4\ns.t = 2\n[[d]]\n',
    ],
    ['a key that needs quotes', '[a]\nb = 1\n', 'a["c d"]', 2, '[a]\nb = 1\n"c d" = 2\n'],
    ['one item more', 'l = ["x"]\n', 'l[1]', 'y', 'l = ["x", "y"]\n'],
    [
      'one item more on its line',
      'l = [\n  "x", # one\n]\n',
      'l[1]',
      'y',
      'l = [\n  "x",\n  "y", # one\n]\n',
    ],
    ['a new list', 'a = 1\n', 'l[0]', 'y', 'a = 1\nl = ["y"]\n'],
    ['no null', 'a = 1\n', 'a', null, 'refused: a would be null, which TOML does not have'],
    ['no text of several lines', "a = '''x\n'''\n", 'a', 'y', 'refused: a is a block of text'],
    ['no table over a value', 'a = 1\n', 'a.b', 2, 'refused: a is not a table'],
  ];
  for (const [title, text, path, value, expected] of cases) {
    it(title, () => {
      assert.equal(set(text, path, value), expected);
    });
  }

  it('goes behind its neighbor', () => {
    assert.equal(set('a = 1\nb = 2\n', 'c', 3, 'a'), 'a = 1\nc = 3\nb = 2\n');
  });

  it('makes one section of several keys', () => {
    const text = 'a = 1\n';
    const document = parseToml(text).documents[0];
    assert.ok(document);
    const keys = [
      { path: ['s', 't'], value: 1 },
      { path: ['s', 'u', 'v'], value: 'x' },
    ];
    assert.equal(after(text, setNewKeys(text, document, keys, null)), 'a = 1\n\n[s]\nt = 1\nu.v = "x"\n');
  });

  it('changes its key and nothing else', () => {
    const TEXT = [
      '# top',
      'epochs = 10 # ten',
      "name = 'x'",
      '',
      '[model]',
      'type = "flux"',
      'opts = { dtype = "bf16", sub.x = 1 }',
      '',
      '  [model.lora] # adapters',
      '  rank = 32',
      '[[data]]',
      'res = [512, 768]',
      'a.b = 1',
      '[[data]]',
      '[deep.er]',
      'x = 1.5',
      '',
    ].join('\n');
    const places = [
      'epochs',
      'name',
      'model.type',
      'model.opts.dtype',
      'model.opts.sub.x',
      'model.lora.rank',
    ];
    const fresh = [
      'new',
      'model.new',
      'model.lora.new',
      'model.opts.new',
      'data[0].new',
      'data[1].new',
      'deep.new',
      'more.new',
      'data[0].a.new',
      'model.x.y',
    ];
    const value = fc.oneof(
      fc.string(),
      fc.boolean(),
      fc.integer(),
      fc.double(),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 62n }).map(Number),
    );
    fc.assert(
      fc.property(fc.constantFrom(...places, ...fresh), value, fc.boolean(), (path, to, crlf) => {
        const text = crlf ? TEXT.replaceAll('\n', '\r\n') : TEXT;
        const changed = set(text, path, to);
        const { problems, documents } = parseToml(changed);
        assert.deepEqual(problems, [], changed);
        const [root] = documents.map(document => document.root);
        const node = find(root ?? null, parsePath(path))?.node;
        // What stands in quotes stays text.
        const kept = node?.kind === 'scalar' && node.style !== 'plain' && typeof to !== 'string';
        const got = node?.kind === 'scalar' ? node.value : null;
        if (kept) assert.equal(typeof got, 'string');
        else assert.ok(Object.is(got, to), `${changed}: ${String(got)} for ${String(to)}`);
        const before = parseToml(text).documents[0]?.root;
        assert.ok(before && root);
        const others = (tree: typeof root): string => without(plainOf(tree, 'json'), path);
        assert.equal(others(root), others(before));
        // Every line of before is there, but the one that holds the value.
        const lines = new Set(changed.split(/\r?\n/));
        assert.ok(text.split(/\r?\n/).filter(line => !lines.has(line)).length <= 1);
      }),
      { numRuns: tries(300) },
    );
  });
});

/** A tree as text, without one key and without tables that are empty then. */
function without(tree: unknown, path: string): string {
  const parts = parsePath(path).map(String);
  const pruned = (value: unknown, left: readonly string[]): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const [key, ...rest] = left;
    const entries = Object.entries(value).flatMap(([name, inner]): (readonly [string, unknown])[] => {
      if (name !== key) return [[name, inner]];
      if (rest.length === 0) return [];
      const kept = pruned(inner, rest);
      return JSON.stringify(kept) === '{}' ? [] : [[name, kept]];
    });
    return Object.fromEntries(entries);
  };
  return JSON.stringify(pruned(tree, parts));
}
