import { definitionOf } from '../../../src/core/dialects/defined/definition';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { analyze } from '../../../src/core/analyse/analyse';
import { DIALECTS, nearby } from '../../../src/core/text/paths';
import { suggestionsAt } from '../../../src/core/dialects/defined/complete';
import { parseDefinition } from '../../../src/core/dialects/defined/parse';
import { dialectSchema } from '../../../src/core/dialects/defined/schema';
import { definitionText, dialectName } from '../../../src/core/dialects/defined/text';
import { definitionNoteAt, keyNoteAt } from '../../../src/core/dialects/keyNotes';
import { readConfig } from '../../../src/core/reading/read';
import type { World } from '../../../src/core/analyse/world';
import { Definitions } from '../../../src/world/definitions';
import { NodeFiles } from '../../../src/world/nodeFiles';
import { running, worldOf } from './support';

const DIALECT = `id: our-trainer
recognise:
  strong: [trainer.micro_bs]
quantities:
  model: {keys: net.name}
  microBatchSize: {keys: trainer.micro_bs, scope: global}
  devices: {keys: trainer.cards}
  nodes: {always: 1, source: one machine}
  precision: {keys: trainer.amp, map: {true: bf16-mixed, false: fp32}}
  seqLen: {keys: trainer.blocks, formula: x * 128}
  optimizer: {default: adamw, source: train.py L12}
rules:
  - id: odd-batch
    severity: error
    when: {notMultiple: [[trainer.micro_bs, trainer.cards]]}
    at: [trainer.micro_bs]
    message: '{trainer.micro_bs} is shared by {trainer.cards}.'
    set: {key: trainer.micro_bs, to: 8}
`;

const CONFIG = 'net: {name: a/b}\ntrainer: {micro_bs: 8, cards: 4, amp: true, blocks: 4}\n';

function worldWith(files: Readonly<Record<string, string>>): World {
  const world = worldOf(files);
  return { ...world, definitions: new Definitions(world.files) };
}

const PLACE = '/w/.headroom/dialects/ours.yaml';

const runIn = async (config: string, dialect = DIALECT) => {
  const files = { '/w/conf/run.yaml': config, [PLACE]: dialect };
  return readConfig('/w/conf/run.yaml', config, worldWith(files), running);
};

describe('a dialect of the workspace', () => {
  it('reads its configs as it says', async () => {
    const { dialect, runs } = await runIn(CONFIG);
    assert.equal(dialect, 'our-trainer');
    const quantities = runs[0]?.quantities;
    assert.ok(quantities);
    const { model, microBatchSize, precision, seqLen, optimizer, gpus } = quantities;
    assert.deepEqual(
      [model, microBatchSize, precision, seqLen, optimizer, gpus].map(({ value }) => value),
      ['a/b', 2, 'bf16-mixed', 512, 'adamw', 4],
    );
    assert.deepEqual(seqLen.origin, {
      kind: 'derived',
      from: ['trainer.blocks'],
      formula: 'x * 128 with trainer.blocks for x',
    });
    assert.equal(optimizer.origin.kind === 'default' && optimizer.origin.source, 'train.py L12');
  });

  it('takes braces in its keys for all that they stand for', () => {
    const { definition } = parseDefinition(
      'a.yaml',
      `id: a
recognise: {strong: ['{train,fit}.{bs,lr}'], medium: ['x~^a{2,3}$']}
quantities: {microBatchSize: {keys: ['{,train.}bs', size]}}
`,
    );
    assert.deepEqual(definition?.signature.strong, ['train.bs', 'train.lr', 'fit.bs', 'fit.lr']);
    assert.deepEqual(definition.signature.medium, ['x~^a{2,3}$']);
    assert.deepEqual(definition.rows['microBatchSize']?.keys, ['bs', 'train.bs', 'size']);
  });

  it('wins over the dialects that come with Headroom', async () => {
    const { dialect } = await runIn(`${CONFIG}base_model: x\nmicro_batch_size: 2\nsequence_len: 4\n`);
    assert.equal(dialect, 'our-trainer');
  });

  it('reports what its rules say, with their fix', async () => {
    const config = CONFIG.replace('micro_bs: 8', 'micro_bs: 6');
    const files = { '/w/run.yaml': config, [PLACE]: DIALECT };
    const options = { target: null, severities: {} };
    const { runs } = await analyze('/w/run.yaml', config, worldWith(files), options, running);
    const finding = runs[0]?.findings.find(({ rule }) => rule === 'odd-batch');
    assert.equal(finding?.severity, 'error');
    assert.equal(finding.message, '`trainer.micro_bs: 6` is shared by `trainer.cards: 4`.');
    assert.equal(finding.remedies[0]?.edits[0]?.to, '8');
  });

  it('is looked for beside a file and in the folders above it', () => {
    assert.deepEqual(nearby('/w/a/b.yaml', DIALECTS), [
      '/w/a/.headroom/dialects',
      '/w/.headroom/dialects',
      '/.headroom/dialects',
    ]);
    assert.equal(nearby('a/b.yaml', DIALECTS).at(2), '../.headroom/dialects');
  });

  it('holds nearest to the file where two have one name', async () => {
    const near = DIALECT.replace('always: 1', 'always: 3');
    const files = { [PLACE]: DIALECT, '/w/conf/.headroom/dialects/ours.yaml': near };
    const [first, ...others] = await new Definitions(worldOf(files).files).near('/w/conf/run.yaml');
    assert.equal(others.length, 0);
    assert.equal(first?.rows['nodes']?.always?.value, 3);
  });
});

describe('errors in a dialect’s file', () => {
  it('are known to each file near it, and change nothing else', async () => {
    const config = 'base_model: a/b\nadapter: lora\nmicro_batch_size: 2\n';
    const options = { target: null, severities: {} };
    const analysisWith = (dialect: string) =>
      analyze('/w/conf/a.yaml', config, worldWith({ [PLACE]: dialect }), options, running);
    const [good, slip, none] = await Promise.all(
      [DIALECT, DIALECT.replace('seqLen:', 'seqLenn:'), 'id: [x\n y: z'].map(analysisWith),
    );
    assert.deepEqual(good?.nearby, []);
    assert.deepEqual(
      slip?.nearby?.map(({ file, rule, line }) => [file, rule, line]),
      [[PLACE, 'dialect-definition', 10]],
    );
    assert.ok((none?.nearby?.length ?? 0) > 0);
    for (const one of [slip, none]) {
      assert.deepEqual([one?.dialect, one?.runs.length, one?.findings], ['axolotl', 1, good.findings]);
    }
  });

  const problems: [title: string, text: string, message: RegExp, at: string][] = [
    [
      'a row that there is none of',
      DIALECT.replace('seqLen:', 'seqLenn:'),
      /Unknown key seqLenn\. Did you mean seqLen/,
      'seqLenn',
    ],
    ['a slip of a key', DIALECT.replace('always: 1', 'alwais: 1'), /Unknown key alwais/, 'alwais'],
    [
      'a scope that there is none of',
      DIALECT.replace('global', 'everywhere'),
      /not one of device, node, global/,
      'scope',
    ],
    [
      'a meaning that is none',
      DIALECT.replace('bf16-mixed', 'half-ish'),
      /half-ish is not allowed. Use one of fp32/,
      'true',
    ],
    ['arithmetic that is none', DIALECT.replace('x * 128', 'x times two'), /not a formula of x/, 'formula'],
    ['a row of nothing', DIALECT.replace('{keys: net.name}', '{}'), /needs keys/, 'model'],
    [
      'a row without its own',
      DIALECT.replace('{keys: net.name}', 'net.name'),
      /takes keys of its own/,
      'model',
    ],
    ['a name that is none', DIALECT.replace('our-trainer', 'Our Trainer'), /not a dialect id/, 'id'],
    [
      'a score out of reach',
      DIALECT.replace('[trainer.micro_bs]\n', '[trainer.micro_bs]\n  least: 9\n'),
      /score 4 of 9 points/,
      'recognise',
    ],
    [
      'no regular expression',
      DIALECT.replace('true: bf16', "'/(/': bf16"),
      /not a regular expression/,
      "'/(/'",
    ],
    ['a rule without a sentence', DIALECT.replace(/ {4}message.*\n/, ''), /message is missing/, '- id'],
  ];
  for (const [title, text, message, at] of problems) {
    it(`tells ${title}, at its place`, () => {
      const found = parseDefinition(PLACE, text).problems;
      assert.equal(found.length, 1, JSON.stringify(found));
      assert.match(found[0]?.message ?? '', message);
      const place = text.slice(found[0]?.span.start, found[0]?.span.end);
      assert.ok(at === '- id' ? place.startsWith('id') : place === at, place);
    });
  }

  it('are none in a formula on a name of any length', () => {
    const text = DIALECT.replace('x * 128', `'${'a:'.repeat(20_000)}b'`);
    assert.deepEqual(parseDefinition(PLACE, text).problems, []);
  });

  it('are one in a file that no person wrote, before it is looked at', () => {
    const { problems: found } = parseDefinition(PLACE, `${DIALECT}\n# ${'$'.repeat(300_000)}\n`);
    assert.deepEqual(
      found.map(({ message }) => message),
      ['This file has 0.3 MB; Headroom reads configs up to 0.25 MB.'],
    );
  });

  it('are none in what is right', () => {
    assert.deepEqual(parseDefinition(PLACE, DIALECT).problems, []);
    for (const name of ['embedding-import', 'naics-embedder']) {
      const text = readFileSync(`media/sample/.headroom/dialects/${name}.yaml`, 'utf8');
      assert.deepEqual(parseDefinition(`/w/.headroom/dialects/${name}.yaml`, text).problems, [], name);
    }
  });

  it('leave the rest of the dialect as it is', async () => {
    const { dialect, runs } = await runIn(CONFIG, DIALECT.replace('x * 128', 'x times two'));
    assert.equal(dialect, 'our-trainer');
    assert.equal(runs[0]?.quantities.model.value, 'a/b');
    assert.equal(runs[0].quantities.seqLen.origin.kind, 'unresolved');
  });

  it('are findings of the file', async () => {
    const text = DIALECT.replace('global', 'everywhere');
    const { dialect, findings } = await analyze(
      PLACE,
      text,
      worldOf({}),
      { target: null, severities: {} },
      running,
    );
    assert.equal(dialect, null);
    assert.deepEqual(
      findings.map(({ rule, line, path }) => [rule, line, path]),
      [['dialect-definition', 6, 'quantities.microBatchSize.scope']],
    );
  });

  it('stop nothing, whatever is written', () => {
    for (let length = 0; length < DIALECT.length; length += 3) {
      parseDefinition(PLACE, DIALECT.slice(0, length));
    }
    for (const text of [
      '',
      '- a',
      'id: {}',
      'id: [a]\nquantities: 3',
      'rules: [1, {}, {id: x}]',
      'quantities: {model: [1]}',
    ]) {
      assert.ok(parseDefinition(PLACE, text).problems.length > 0, text);
    }
  });
});

describe('a dialect’s file being typed', () => {
  const labels = (text: string): readonly string[] =>
    suggestionsAt(text, text.length).map(({ label }) => label);

  it('is offered the keys and words that may stand there', () => {
    assert.ok(labels('id: a\n').includes('quantities'));
    assert.ok(labels('quantities:\n  micro').includes('microBatchSize'));
    assert.ok(labels('quantities:\n  seqLen:\n    ').includes('keys'));
    assert.deepEqual(labels('quantities:\n  seqLen:\n    scope: '), ['device', 'node', 'global']);
    assert.deepEqual(labels('quantities:\n  seqLen: { keys: a, scope: '), ['device', 'node', 'global']);
    assert.ok(labels('quantities:\n  method: { always: ').includes('qlora'));
    assert.ok(labels('rules:\n  - id: a\n    sev').includes('severity'));
    assert.ok(labels('rules:\n  - id: a\n    when:\n      no').includes('notMultiple'));
    assert.deepEqual(labels('quantities:\n  seqLen:\n    keys: '), []);
    assert.deepEqual(labels('nonsense:\n  a'), []);
  });

  it('says of each of its keys what it means', () => {
    const at = (words: string) => definitionNoteAt(DIALECT, DIALECT.indexOf(words) + 1);
    assert.match(at('micro_bs]')?.text ?? '', /4 each/);
    assert.match(at('  optimizer')?.text ?? '', /The optimizer/);
  });

  it('has the schema that ships', () => {
    const shipped: unknown = JSON.parse(readFileSync('media/dialect.schema.json', 'utf8'));
    assert.deepEqual(shipped, JSON.parse(JSON.stringify(dialectSchema())), 'node scripts/dialect-schema.mjs');
  });

  it('is made of a keys guessed by name, and reads its config as that did', async () => {
    const own =
      'net: {model_name: a/b-7b}\nfit: {batch_size: 4, lr: 1e-4, epochs: 3, bf16: true, lora_r: 8, optimizer: adamw}\n';
    const { runs } = await readConfig('/w/fit.yaml', own, worldOf({}), running);
    const read = runs[0];
    assert.equal(read?.definition?.file, '');
    const id = dialectName('My Project!');
    assert.equal(id, 'my-project-training');
    const made = definitionText(definitionOf(read)!, id, 'fit.yaml');
    const place = '/w/.headroom/dialects/made.yaml';
    assert.deepEqual(parseDefinition(place, made).problems, []);
    const again = await readConfig('/w/fit.yaml', own, worldWith({ [place]: made }), running);
    assert.equal(again.dialect, id);
    for (const name of [
      'model',
      'microBatchSize',
      'method',
      'precision',
      'optimizer',
      'lora',
      'loadDtype',
    ] as const) {
      assert.deepEqual(again.runs[0]?.quantities[name].value, read.quantities[name].value, name);
    }
  });

  it('says what its dialect knows of a config’s keys', () => {
    const { definition } = parseDefinition(PLACE, DIALECT);
    assert.ok(definition);
    const note = keyNoteAt(definition, CONFIG, CONFIG.indexOf('micro_bs'));
    // One line holds the whole section here: its first key is the section itself.
    assert.equal(note, null);
    const block = 'trainer:\n  micro_bs: 8\n  amp: true\n';
    const found = keyNoteAt(definition, block, block.indexOf('amp'));
    assert.deepEqual(found?.values, ['true', 'false']);
    assert.equal(found.quantity, 'precision');
    assert.equal(keyNoteAt(definition, block, block.indexOf('micro_bs'))?.scope, 'global');
  });
});

describe('the dialects of the sample', () => {
  const files = new NodeFiles('media/sample');
  const built: World = { files, models: worldOf({}).models };
  const own: World = { ...built, definitions: new Definitions(files) };

  it('read the training guide’s configs as Headroom’s own dialect does', async () => {
    const path = 'contrastive/conf/config.yaml';
    const text = readFileSync(`media/sample/${path}`, 'utf8');
    const [plain, defined] = await Promise.all(
      [built, own].map(world => readConfig(path, text, world, running)),
    );
    assert.equal(defined?.runs.length, 5);
    assert.ok(defined.runs.every(({ definition }) => definition !== undefined));
    for (const [i, run] of defined.runs.entries()) {
      const other = plain?.runs[i];
      for (const [name, quantity] of Object.entries({ ...run.quantities, ...run.details })) {
        const expected = { ...other?.quantities, ...other?.details }[name as 'model'];
        assert.deepEqual([name, quantity.value], [name, expected?.value]);
      }
    }
  });

  it('read an import as the embedding guide describes it, with its rules across keys', async () => {
    const text =
      'import: {batch_size: 100, embedding_batch_size: 16}\nembeddings: {batch_size: 32, device: "cuda:0,1"}\n';
    const { dialect, runs } = await analyze(
      'import.yaml',
      text,
      own,
      { target: null, severities: {} },
      running,
    );
    assert.equal(dialect, 'embedding-import');
    const rules = runs.flatMap(run => run.findings.map(({ rule }) => rule));
    for (const rule of ['embedding-sizes-differ', 'import-batch-partial', 'embedding-device-list']) {
      assert.ok(rules.includes(rule), rule);
    }
    assert.equal(runs[0]?.run.quantities.microBatchSize.value, 32);
    assert.equal(runs[0].run.quantities.model.value, 'jinaai/jina-embeddings-v4');
    const right = text.replace('100', '128').replace('16', '32').replace('cuda:0,1', 'cuda:1');
    // The model is unknown here.
    const calm = await analyze('import.yaml', right, own, { target: null, severities: {} }, running);
    assert.deepEqual(
      calm.runs
        .flatMap(run => run.findings.filter(({ rule }) => rule !== 'unknown-model'))
        .map(({ rule }) => rule),
      [],
    );
    assert.equal(calm.runs[0]?.run.quantities.devices.value, 1);
  });
});
