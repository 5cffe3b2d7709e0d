import assert from 'node:assert/strict';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { sniffKeys } from '../../../src/core/yaml/sniff';

const wanted = new Set(['stage', 'base_model', 'lr', 'micro-batch', 'a.b']);
const seen = (text: string): string[] => [...sniffKeys(text, wanted)].sort();

describe('a scan for keys', () => {
  const cases: [title: string, text: string, expected: string[]][] = [
    ['plain keys', 'stage: 1\nlr: 2\nother: 3\n', ['lr', 'stage']],
    ['a key without a value, at the end of the text', 'stage:', ['stage']],
    ['a space before the colon', 'stage : 1\n', ['stage']],
    ['quoted keys', '"stage": 1\n\'lr\' : 2\n', ['lr', 'stage']],
    ['JSON without spaces', '{"stage":3,"lr":[1],"base_model":null}', ['base_model', 'lr', 'stage']],
    ['a flow mapping with an empty value', '{stage:, lr:}', ['lr', 'stage']],
    ['an explicit key', '? stage\n: 1\n? "lr"\n: 2\n', ['lr', 'stage']],
    ['an anchor before a key', '&x stage: 1\n', ['stage']],
    ['dashes and dots', 'micro-batch: 1\na.b: 2\n', ['a.b', 'micro-batch']],
    ['CRLF', 'stage:\r\n  lr: 1\r\n', ['lr', 'stage']],
    ['no word that only looks like one', 'http://stage/lr\n12:30\nbase_model2: x\n', []],
  ];
  for (const [title, text, expected] of cases) {
    it(`finds ${title}`, () => assert.deepEqual(seen(text), expected));
  }

  it('finds every key that a parser finds, however it is written', () => {
    const key = fc.constantFrom(...wanted);
    const value = fc.letrec<{ node: unknown }>(tie => ({
      node: fc.oneof(
        { maxDepth: 3 },
        fc.integer(),
        fc.string(),
        fc.constant(null),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(key, tie('node'), { maxKeys: 4 }),
      ),
    })).node;
    const writers = [
      (tree: unknown) => JSON.stringify(tree),
      (tree: unknown) => JSON.stringify(tree, null, 2),
      (tree: unknown) => stringify(tree),
      (tree: unknown) => stringify(tree, { collectionStyle: 'flow' }),
      (tree: unknown) =>
        stringify(tree, { defaultKeyType: 'QUOTE_SINGLE', defaultStringType: 'BLOCK_FOLDED' }),
    ];
    fc.assert(
      fc.property(fc.dictionary(key, value), fc.constantFrom(...writers), (tree, write) => {
        const there = new Set(keysOf(tree));
        const found = sniffKeys(write(tree), wanted);
        assert.deepEqual(
          [...there].filter(name => !found.has(name)),
          [],
        );
      }),
    );
  });
});

function keysOf(tree: unknown): string[] {
  if (Array.isArray(tree)) return tree.flatMap(keysOf);
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([key, value]) => [key, ...keysOf(value)]);
}
