import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ScalarValue, YamlNode } from '../../../../src/core/yaml/node';
import { parseYaml } from '../../../../src/core/yaml/parse';
import { find, parsePath } from '../../../../src/core/yaml/path';
import { plainOf } from '../../../../src/core/yaml/scalars';
import type { Plain } from '../../../../src/core/yaml/scalars';
import { parseToml } from '../../../../src/core/yaml/toml/parse';
import { tomlKey, tomlText } from '../../../../src/core/yaml/toml/edit';
import { tries } from '../../../tries';

function valueOf(text: string): Plain {
  const { documents, problems } = parseToml(text);
  assert.deepEqual(problems, []);
  return documents[0]?.root ? plainOf(documents[0].root, 'pyyaml') : null;
}

const problemsOf = (text: string): readonly string[] =>
  parseToml(text).problems.map(({ message, span }) => `${String(span.start)} ${message}`);

/** Cases of toml-test (MIT) and of the specification, by what they show. */
const VALID: readonly (readonly [title: string, text: string, value: Plain])[] = [
  ['nothing', '', {}],
  ['comments, blank lines and CRLF', '# one\r\n\r\na = 1 # two\r\n', { a: 1 }],
  ['a byte order mark', '\uFEFFa = 1', { a: 1 }],
  [
    'keys of digits and dashes',
    '1234 = 1\n-x_ = 2\n"a b" = 3\n\'c"d\' = 4',
    { 1234: 1, '-x_': 2, 'a b': 3, 'c"d': 4 },
  ],
  ['dotted keys with blanks', 'a . b = 1\na."c.d" = 2\n3.14 = 3', { a: { b: 1, 'c.d': 2 }, 3: { 14: 3 } }],
  [
    'integers',
    'a = [+99, 0, -17, 1_000, 0xdead_BEEF, 0o755, 0b1101]',
    { a: [99, 0, -17, 1000, 3735928559, 493, 13] },
  ],
  [
    'floats',
    'a = [1.0, -0.01, 5e+22, 1e06, -2E-2, 6.626e-34, 1e-4]',
    { a: [1, -0.01, 5e22, 1e6, -0.02, 6.626e-34, 1e-4] },
  ],
  ['what is not finite', 'a = [inf, -inf, nan]', { a: [Infinity, -Infinity, Number.NaN] }],
  ['truth values', 'a = true\nb = false', { a: true, b: false }],
  [
    'words that PyYAML would take for others',
    'a = "on"\nb = "1e-4"\nc = \'null\'',
    { a: 'on', b: '1e-4', c: 'null' },
  ],
  [
    'dates, as text',
    'a = 1979-05-27T07:32:00Z\nb = 1979-05-27 07:32:00.5\nc = 1979-05-27\nd = 07:32:00',
    { a: '1979-05-27T07:32:00Z', b: '1979-05-27 07:32:00.5', c: '1979-05-27', d: '07:32:00' },
  ],
  ['escapes', String.raw`a = "\t\"\\é\U0001F600\e\x41"`, { a: '\t"\\é😀\u001BA' }],
  ['literal strings', String.raw`a = 'C:\n'`, { a: String.raw`C:\n` }],
  [
    'strings of several lines',
    'a = """\none \\\n   two"""\nb = \'\'\'\nx\ny\'\'\'\nc = """"q""""',
    { a: 'one two', b: 'x\ny', c: '"q"' },
  ],
  [
    'arrays over lines, with comments',
    'a = [\n 1, # one\n 2,\n]\nb = [[1], ["x"]]',
    { a: [1, 2], b: [[1], ['x']] },
  ],
  ['inline tables', 'a = { b = 1, c.d = "x" }\ne = {}', { a: { b: 1, c: { d: 'x' } }, e: {} }],
  [
    'tables, also from below',
    '[a.b.c]\nx = 1\n[a]\ny = 2\n[ d . e ]',
    { a: { b: { c: { x: 1 } }, y: 2 }, d: { e: {} } },
  ],
  [
    'lists of tables',
    '[[a]]\nx = 1\n[[a]]\n[a.b]\ny = 2\n[[a.c]]\nz = 3',
    { a: [{ x: 1 }, { b: { y: 2 }, c: [{ z: 3 }] }] },
  ],
  ['a table below dotted keys', '[f]\na.b = 1\n[f.a.c]\nd = 2', { f: { a: { b: 1, c: { d: 2 } } } }],
];

/** Texts that are not TOML, what is told of them, and what is still read. */
const BROKEN: readonly (readonly [title: string, text: string, problem: string, value: Plain])[] = [
  [
    'a value without quotes',
    'a = adamw\nb = 1',
    '4 TOML: adamw is not a value; text needs quotes.',
    { b: 1 },
  ],
  ['no value', 'a =\nb = 1', '3 TOML: a value is missing.', { b: 1 }],
  ['no equals sign', 'a: 1\nb = 1', '1 TOML: an equals sign is missing.', { b: 1 }],
  ['two keys on a line', 'a = 1 b = 2\nc = 3', '5 TOML: nothing may follow on this line.', { c: 3 }],
  ['a string without its end', 'a = "x\nb = 1', '4 TOML: the closing quote is missing.', { b: 1 }],
  ['a bracket that is never closed', 'b = 1\na = [1, 2\n', '10 TOML: ] or a comma is missing.', { b: 1 }],
  ['an escape that is none', String.raw`a = "\q"`, String.raw`5 TOML: \\q is not an escape.`, {}],
  ['half a surrogate', String.raw`a = "\ud800"`, '5 TOML: this is not a character.', {}],
  ['a key twice', 'a = 1\na = 2', '6 TOML: Key "a" is repeated.', { a: 2 }],
  ['a table twice', '[a]\nx = 1\n[a]\ny = 2', '11 TOML: a is there already.', { a: { x: 1 } }],
  [
    'a header without its end',
    '[a\nx = 1\n[b]\ny = 2',
    '2 TOML: a closing bracket is missing.',
    { b: { y: 2 } },
  ],
  ['a table over a value', 'a = 1\n[a.b]\nc = 2', '7 TOML: a is not a table.', { a: 1 }],
  ['more in an inline table', 'a = {b = 1}\n[a.c]', '13 TOML: a is not a table.', { a: { b: 1 } }],
  ['a leading zero', 'a = 042', '4 TOML: 042 is not a value; text needs quotes.', {}],
  ['no such day', 'a = 2023-02-29', '4 TOML: 2023-02-29 is not a value; text needs quotes.', {}],
  ['a control character', 'a = 1 # \u0001', '8 TOML: a control character is not allowed here.', { a: 1 }],
];

describe('TOML', () => {
  for (const [title, text, value] of VALID) {
    it(`has ${title}`, () => {
      assert.deepEqual(valueOf(text), value);
    });
  }

  for (const [title, text, problem, value] of BROKEN) {
    it(`is read around ${title}`, () => {
      const { documents } = parseToml(text);
      assert.deepEqual(problemsOf(text), [problem]);
      assert.deepEqual(documents[0]?.root && plainOf(documents[0].root, 'pyyaml'), value);
    });
  }

  it('places keys where the text has them, a table where its own header names it', () => {
    const text = '[a.b]\nc = 1\n[a]\nd.e = "x" # y\n';
    const root = parseToml(text).documents[0]?.root ?? null;
    const at = (path: string): string => {
      const found = find(root, parsePath(path));
      const { start, end } = found?.entry?.keySpan ?? { start: 0, end: 0 };
      return `${String(start)} ${text.slice(start, end)} ${text.slice(found?.node.span.start, found?.node.span.end)}`;
    };
    assert.equal(at('a.b.c'), '6 c 1');
    assert.equal(at('a.d.e'), '18 e "x"');
    assert.equal(at('a'), '13 a [a]\nd.e = "x"');
  });

  it('ends at limits and never throws, whatever it is given', () => {
    const deep = `${'a.'.repeat(2000)}a = 1`;
    assert.match(problemsOf(deep)[0] ?? '', /more than 64 levels/);
    assert.match(problemsOf('a = [\n'.repeat(70_000))[0] ?? '', /levels|values/);
    const piece = fc.constantFrom(
      '[',
      ']',
      '[[',
      '{',
      '}',
      '"',
      "'",
      '"""',
      '=',
      '.',
      ',',
      '#',
      '\n',
      '\r',
      'a',
      '1',
      ' ',
      '\\',
      'true',
      '1979-05-27',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 40 }), parts => {
        const { problems } = parseToml(parts.join(''));
        assert.ok(problems.length <= 100);
      }),
      { numRuns: tries(200) },
    );
  });

  it('reads any tree that it can hold as YAML reads its own', () => {
    const scalar: fc.Arbitrary<ScalarValue> = fc.oneof(
      fc.string(),
      fc.boolean(),
      fc.integer(),
      // JSON has no -0.
      fc.double({ noDefaultInfinity: true, noNaN: true }).map(number => number + 0),
    );
    // YAML merges what stands below it; TOML does not.
    const name = fc.string().filter(key => key !== '<<');
    const { tree } = fc.letrec<{ tree: Plain; inner: Plain }>(tie => ({
      tree: fc.dictionary(name, tie('inner'), { maxKeys: 4, noNullPrototype: true }),
      inner: fc.oneof({ maxDepth: 3 }, scalar, fc.array(tie('inner'), { maxLength: 3 }), tie('tree')),
    }));
    fc.assert(
      fc.property(tree, value => {
        const json = parseYaml(JSON.stringify(value)).documents[0]?.root;
        assert.deepEqual(valueOf(asToml(value)), json ? plainOf(json, 'json') : {});
      }),
      { numRuns: tries(200) },
    );
  });
});

/** A tree as tables with headers, its lists inline. */
function asToml(tree: Plain, path: readonly string[] = []): string {
  const entries = Object.entries(tree as Readonly<Record<string, Plain>>);
  const isTable = (value: Plain): boolean =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const lines = entries
    .filter(([, value]) => !isTable(value))
    .map(([key, value]) => `${tomlKey(key)} = ${inline(value)}\n`);
  const tables = entries
    .filter(([, value]) => isTable(value))
    .map(([key, value]) => asToml(value, [...path, key]));
  const header = path.length > 0 ? `[${path.map(tomlKey).join('.')}]\n` : '';
  return header + lines.join('') + tables.join('\n');
}

function inline(value: Plain): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([key, inner]) => `${tomlKey(key)} = ${inline(inner)}`)
      .join(', ')}}`;
  }
  return tomlText(value) ?? '""';
}

/** The kinds of nodes are those of YAML. */
const kindsOf = (node: YamlNode): readonly string[] => [
  node.kind,
  ...(node.kind === 'map' ? node.entries.flatMap(({ value }) => kindsOf(value)) : []),
  ...(node.kind === 'sequence' ? node.items.flatMap(kindsOf) : []),
];

it('TOML makes the nodes that YAML makes', () => {
  const toml = parseToml('a = 1\n[b]\nc = [1, "x"]\n[[d]]\ne = true\n').documents[0]?.root;
  const yaml = parseYaml('a: 1\nb:\n  c: [1, "x"]\nd:\n  - e: true\n').documents[0]?.root;
  assert.ok(toml && yaml);
  assert.deepEqual(kindsOf(toml), kindsOf(yaml));
});
