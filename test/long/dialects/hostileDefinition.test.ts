import assert from 'node:assert/strict';
import { analyze } from '../../../src/core/analyse/analyse';
import { parseDefinition } from '../../../src/core/dialects/defined/parse';
import { Definitions } from '../../../src/world/definitions';
import { NEVER } from '../../../src/core/signal';
import { worldWithModels } from '../../unit/core/support';
import { worldOf } from '../../unit/dialects/support';

const BASE = `id: zz
recognise: {strong: [zz_model, zz_batch]}
quantities:
  model: {keys: zz_model}
`;
const CONFIG = 'zz_model: a/b\nzz_batch: 1\nconstructor: 2\n__proto__: 3\n';
const GOOD = 'base_model: a/b\nmicro_batch_size: 1\nsequence_len: 8\nadapter: lora\n';

const batch = (fields: string): string => `${BASE}  microBatchSize: {${fields}}\n`;
const named = (name: string): Readonly<Record<string, string>> => ({
  row: `${BASE}  ${name}: {keys: zz_batch}\n`,
  detail: `${BASE}details: {${name}: {keys: zz_batch}}\n`,
  of: batch(`of: ${name}`),
  rule: batch(`keys: zz_batch, rule: ${name}`),
  inner: batch(
    `keys: zz_none, orElse: {rule: ${name}}, with: {a: {rule: ${name}, read: ${name}}}, formula: x * a`,
  ),
  read: batch(`keys: zz_batch, read: ${name}, scope: ${name}, unit: ${name}`),
  value: batch(`keys: zz_batch, value: {${name}: 1}`),
  when: batch(`keys: zz_batch, when: {${name}: {zz_batch: 1}, equals: {${name}: [1]}}`),
  words: batch(`keys: zz_batch, note: '{${name}} {model.${name}}'`),
  loader: `${BASE}loader: ${name}\n`,
  like: `${BASE}like: {${name}: x}\n`,
  logs: `${BASE}logs: [${name}]\n`,
  help: `${BASE}help: {${name}: {text: a}}\n`,
  writer: `${BASE}writers: {${name}: {rule: ${name}, keys: a}, microBatchSize: {rule: ${name}, keys: a}}\n`,
  id: BASE.replace('id: zz', `id: ${name}`),
  finding: `${BASE}rules: [{id: ${name}, when: {is: {${name}: [1]}}, at: [${name}], message: '{${name}}.'}]\n`,
  severity: `${BASE}rules: [{id: a-b, severity: ${name}, when: {${name}: {a: 1}}, at: [a], message: x.}]\n`,
});

const PATTERNS: Readonly<Record<string, string>> = {
  signature: BASE.replace('zz_model,', "'zz_model~((',"),
  mentions: BASE.replace('{strong', "{mentions: '/((/', strong"),
  map: batch("keys: zz_batch, map: {'/((/': 1}"),
  matches: batch("keys: zz_batch, when: {matches: {zz_batch: '(('}}"),
  lists: batch("keys: zz_batch, when: {any: [{lists: {zz_batch: '(('}}]}"),
  path: batch("keys: zz_batch, when: {not: {path: '(('}}"),
  program: `${BASE}program: {words: '((', source: x}\n`,
  logs: `${BASE}logs: [{pattern: '((', fields: [step], example: x, source: y}]\n`,
};

const PLACE = '/w/.headroom/dialects/zz.yaml';

/** The outputs for a config of the dialect and for one of another, with the dialect's file above both. */
async function both(dialect: string): Promise<readonly (string | null)[]> {
  const world = worldOf({ '/w/z.yaml': CONFIG, '/w/g.yaml': GOOD, [PLACE]: dialect });
  const near = { ...world, definitions: new Definitions(world.files) };
  const options = { target: null, severities: {} };
  const said = [];
  for (const [file, text] of [
    ['/w/z.yaml', CONFIG],
    ['/w/g.yaml', GOOD],
  ] as const) {
    said.push((await analyze(file, text, near, options, NEVER)).dialect);
  }
  return said;
}

describe('a dialect file of a stranger', () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    it(`may have ${name} wherever a name stands`, async () => {
      for (const [place, dialect] of Object.entries(named(name))) {
        const [, other] = await both(dialect).catch((error: unknown) => {
          throw new Error(`${place}: ${(error as Error).stack ?? ''}`);
        });
        assert.equal(other, 'axolotl', place);
      }
    });
  }

  it('may have a broken regular expression, of which it is told', async () => {
    for (const [place, dialect] of Object.entries(PATTERNS)) {
      const [, other] = await both(dialect);
      assert.equal(other, 'axolotl', place);
      const messages = parseDefinition(PLACE, dialect).problems.map(({ message }) => message);
      assert.ok(
        messages.some(text => text.includes('regular expression')),
        `${place}: ${messages.join(' ')}`,
      );
    }
  });

  it('may have arithmetic that is nested without end', async () => {
    const formula = `${'('.repeat(50_000)}x${')'.repeat(50_000)}`;
    assert.deepEqual(await both(batch(`keys: zz_batch, formula: '${formula}'`)), ['zz', 'axolotl']);
    assert.deepEqual(await both(batch(`keys: zz_batch, formula: '${'-'.repeat(50_000)}x'`)), [
      'zz',
      'axolotl',
    ]);
  });

  it('may say a number where a word has to stand, and a word where a number has to', async () => {
    const said = [
      ...['precision: {default: 5}', 'precision: {keys: zz_batch, map: {1: 7}}', 'optimizer: {default: 5}'],
      ...[
        'optimizer: {keys: zz_batch, map: {1: 7}}',
        'seqLen: {default: long}',
        'precision: {always: {a: 1}}',
      ],
      ...['quantization: {default: 4}', 'method: {default: [1]}', 'gpus: {keys: zz_batch, map: {1: many}}'],
    ];
    for (const row of said) {
      const text = `${BASE}  microBatchSize: {keys: zz_batch}\n  ${row}\n`;
      const world = worldWithModels({
        '/w/z.yaml': CONFIG.replace('a/b', 'meta-llama/Llama-3.1-8B'),
        [PLACE]: text,
      });
      const near = { ...world, definitions: new Definitions(world.files) };
      const config = await near.files.read('/w/z.yaml');
      assert.ok('text' in config);
      const { dialect, runs } = await analyze(
        '/w/z.yaml',
        config.text,
        near,
        { target: null, severities: {} },
        NEVER,
      );
      assert.equal(dialect, 'zz', row);
      assert.equal(runs.length, 1, row);
    }
  });
});
