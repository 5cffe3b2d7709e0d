import assert from 'node:assert/strict';
import { arithmetic } from '../../../src/core/dialects/engine/arithmetic';
import { parseDefinition } from '../../../src/core/dialects/defined/parse';
import { whole } from '../../../src/core/dialects/command/located';
import { commands } from '../../../src/core/dialects/command/shell';
import { modelFromConfigJson } from '../../../src/core/models/fromConfig';
import { modelOfConfig } from '../../../src/core/models/ownModel';
import { parseYaml } from '../../../src/core/yaml/parse';

const bomb = (levels: number): string =>
  Array.from({ length: levels }, (_, i) =>
    i === 0
      ? 'a0: &a0 {x: 1}'
      : `a${i}: &a${i} {${Array.from({ length: 9 }, (_, k) => `k${k}: *a${i - 1}`).join(', ')}}`,
  ).join('\n');

const problemOf = (text: string): string | undefined => parseYaml(text).problems[0]?.message;

describe('core: budgets', () => {
  it('refuses what aliases and merges come to, and reads the few that people write', () => {
    assert.match(problemOf(bomb(8)) ?? '', /^Aliases make more than 100000 values of this file/);
    assert.deepEqual(parseYaml(bomb(8)).documents, []);
    const merges = `b: &b\n${Array.from({ length: 500 }, (_, i) => `  k${i}: 1\n`).join('')}c:\n${'  - <<: *b\n'.repeat(300)}`;
    assert.match(problemOf(merges) ?? '', /^Aliases make more than/);
    assert.equal(problemOf(bomb(4)), undefined);
  });

  it('refuses more values than any config has, and looks at the first documents', () => {
    assert.match(problemOf('a: 1\n'.repeat(60_000)) ?? '', /^This file has more than 40000 values/);
    assert.match(problemOf('a: 1\n'.repeat(300_000)) ?? '', /^This file has more than 40000 values/);
    const many = parseYaml('---\na: 1\n'.repeat(300));
    assert.equal(many.documents.length, 256);
    assert.match(many.problems[0]?.message ?? '', /^This file has 300 documents; the first 256/);
  });

  it('keeps lists and texts of a shell from doubling with each line', () => {
    const lists = `A=(a b c)\n${'A=("${A[@]}" "${A[@]}" "${A[@]}")\n'.repeat(30)}run "\${A[@]}"\n`;
    const [list] = commands(whole(lists), new Map());
    assert.ok(list && list.length <= 50_001, String(list?.length));
    const [text] = commands(whole(`A=aaaaaaaa\n${'A="$A$A"\n'.repeat(60)}run $A\n`), new Map());
    assert.equal(text?.[1]?.open, true, 'what it grew to is not known');
  });

  it('reads the commands before the data of a long script', () => {
    const long = `run a\n${'echo 0\n'.repeat(60_000)}run b\n`;
    const found = commands(whole(long), new Map()).filter(([first]) => first?.text === 'run');
    assert.deepEqual(
      found.map(words => words.map(({ text }) => text).join(' ')),
      ['run a'],
    );
    assert.equal(commands(whole(`run ${'0'.repeat(300_000)}`), new Map()).length, 1);
  });

  it('adds up no thousands of brackets', () => {
    assert.equal(arithmetic(`${'('.repeat(50_000)}1${')'.repeat(50_000)}`), null);
    assert.equal(arithmetic('((2 + 3)) * 4'), 20);
    const sum = `N=$((${'('.repeat(50_000)}1${')'.repeat(50_000)}))\nrun $N\n`;
    assert.equal(commands(whole(sum), new Map()).length, 1);
  });

  it('refuses sizes that no model has, by their names', () => {
    const config = { model_type: 'llama', hidden_size: 2048, num_hidden_layers: 16, num_attention_heads: 32 };
    const whyNot = (more: object): string => {
      const reading = modelFromConfigJson('m', JSON.stringify({ ...config, ...more }), 'config.json');
      return reading.ok ? '' : reading.why;
    };
    assert.equal(
      whyNot({ num_hidden_layers: 10_000_000 }),
      'num_hidden_layers is 10000000; no model has more than 2000',
    );
    assert.match(whyNot({ num_attention_heads: 1e9 }), /^num_attention_heads is 1000000000; no model/);
    assert.match(whyNot({ vocab_size: 2e9 }), /^vocab_size is 2000000000; no model/);
    assert.match(whyNot({ max_position_embeddings: 2e9 }), /^max_position_embeddings is 2000000000/);
    assert.match(whyNot({ text_config: { num_layers: 1e6 } }), /^num_layers is 1000000/);
    assert.match(
      whyNot({ layer_types: Array(20_000).fill('full_attention') }),
      /^layer_types has 20000 entries/,
    );
    const own = modelOfConfig('m', {
      as: 'megatron',
      family: 'gpt',
      arguments: { 'num-layers': '1e7' },
      tensorRanks: 1,
    });
    assert.deepEqual(own, { ok: false, why: 'num-layers is 10000000; no model has more than 2000' });
  });

  it('takes names of rows that every object has for unknown ones', () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const text = `id: mine\ntitle: M\nrecognise: {strong: [zz], least: 4}\nquantities:\n  ${name}: {keys: zz}\n`;
      const { definition, problems } = parseDefinition('.headroom/dialects/m.yaml', text);
      assert.equal(definition?.id, 'mine');
      assert.match(problems[0]?.message ?? '', new RegExp(`^Unknown key ${name}\\.`));
    }
  });
});
