import assert from 'node:assert/strict';
import type { World } from '../../../src/core/analyse/world';
import { dialectFrom } from '../../../src/core/dialects/defined/compile';
import { parseDefinition } from '../../../src/core/dialects/defined/parse';
import { readConfig } from '../../../src/core/reading/read';
import { recognize } from '../../../src/core/dialects/recognise';
import { dialects } from '../../../src/core/dialects/registry';
import { editsFor } from '../../../src/core/dialects/write';
import type { Change } from '../../../src/core/spec/change';
import type { RunSpec } from '../../../src/core/spec/runSpec';
import { parseYaml } from '../../../src/core/yaml/parse';
import { Definitions } from '../../../src/world/definitions';
import { applied, running, worldOf } from './support';

const HEAD = 'id: cases\nrecognise: {strong: [run.of]}\n';
const PLACE = '/w/.headroom/dialects/cases.yaml';

/** The only run of a config, read by a dialect with these sections. */
async function runBy(sections: string, config: string, path = '/w/run.yaml'): Promise<RunSpec> {
  const dialect = HEAD + sections;
  assert.deepEqual(parseDefinition(PLACE, dialect).problems, []);
  const text = `run: {of: cases}\n${config}`;
  const world: World = worldOf({ [path]: text, [PLACE]: dialect });
  const defined = { ...world, definitions: new Definitions(world.files) };
  const { runs } = await readConfig(path, text, defined, running);
  return runs[0] ?? assert.fail('no run');
}

const rows = (text: string): string => `quantities:\n${text.replaceAll(/^/gm, '  ')}\n`;

/** The value, or the sentence that explains why there is none. */
async function answered(
  name: 'microBatchSize' | 'precision' | 'task',
  text: string,
  config: string,
): Promise<unknown> {
  const { value, origin } = (await runBy(rows(text), config)).quantities[name];
  return origin.kind === 'unresolved' ? origin.why : value;
}

describe('rows of cases', () => {
  const PRECISION = `precision:
  - {when: {on: train.bf16}, keys: train.bf16, value: bf16-mixed}
  - {when: {stated: train.dtype}, keys: train.dtype, map: {half: fp16, single: fp32}}
  - {default: fp32, source: train.py}`;

  it('answer with the first that has an answer', async () => {
    const both = 'train: {bf16: true, dtype: half}\n';
    assert.equal(await answered('precision', PRECISION, both), 'bf16-mixed');
    assert.equal(await answered('precision', PRECISION, both.replace('true', 'false')), 'fp16');
    assert.equal(await answered('precision', PRECISION, 'train: {bf16: false}\n'), 'fp32');
  });

  it('take one side of an image for both, and say what is not a size', async () => {
    for (const [row, config] of [
      ['{default: 400, source: train.py}', 'train: {}\n'],
      ['{always: 400, source: train.py}', 'train: {}\n'],
      ['{keys: train.size, read: number, formula: x * 2}', 'train: {size: 200}\n'],
    ] as const) {
      const { imageSize } = (await runBy(rows(`imageSize: ${row}`), config)).quantities;
      assert.deepEqual(imageSize.value, [400, 400], row);
    }
    const bad =
      HEAD + rows('imageSize: {default: large, source: train.py}\nlora: {default: 8, source: train.py}');
    const said = parseDefinition(PLACE, bad).problems.map(({ message }) => message);
    assert.equal(said.length, 2, said.join(' '));
  });

  it('make one list of several, each word by the map', async () => {
    const lora = `method: {always: lora, source: train.py}
lora:
  keys: net.heads
  value:
    r: {default: 8}
    targets:
      join:
        - {keys: net.heads, map: {out: o_proj}}
        - {when: {on: net.mlp}, derived: [up_proj, down_proj]}
        - {when: {on: net.head}, derived: lm_head}`;
    const { quantities } = await runBy(rows(lora), 'net: {heads: [q_proj, out], mlp: true}\n');
    assert.deepEqual(quantities.lora.value?.targets, ['q_proj', 'o_proj', 'up_proj', 'down_proj']);
  });

  it('take a key that is there with nothing for its word where they ask for that', async () => {
    const text = `task:
  - {when: {isNull: scheme}, keys: scheme, value: full}
  - {unknown: No scheme.}`;
    assert.equal(await answered('task', text, 'scheme: null\n'), 'full');
    assert.equal(await answered('task', text, 'scheme: x\n'), 'No scheme.');
  });

  it('name the key and the source of the case that holds', async () => {
    const { precision } = (await runBy(rows(PRECISION), 'train: {bf16: true}\n')).quantities;
    assert.equal(precision.origin.kind === 'file' && precision.origin.at.path, 'train.bf16');
    const { precision: other } = (await runBy(rows(PRECISION), 'train: {}\n')).quantities;
    assert.equal(other.origin.kind === 'default' && other.origin.source, 'train.py');
  });

  it('end in a sentence where no case holds', async () => {
    const text =
      'task:\n  - {when: {is: {mode: fit}}, always: sft, source: a}\n  - {unknown: mode does not say.}';
    assert.equal(await answered('task', text, 'mode: fit\n'), 'sft');
    assert.equal(await answered('task', text, 'mode: other\n'), 'mode does not say.');
  });

  it('reckon with names of their own, and say how', async () => {
    const text = `gpus: {keys: cards}
microBatchSize:
  - with: {total: {keys: total, read: count}}
    formula: max(1, total // gpus)
    from: [total, gpus]
    why: '{total} over {gpus} GPUs'
  - {unknown: total is not set.}`;
    const { microBatchSize } = (await runBy(rows(text), 'total: 24\ncards: 4\n')).quantities;
    assert.equal(microBatchSize.value, 6);
    assert.deepEqual(microBatchSize.origin, {
      kind: 'derived',
      from: ['total', 'gpus'],
      formula: '24 over 4 GPUs',
    });
    assert.equal(await answered('microBatchSize', text, 'cards: 4\n'), 'total is not set.');
  });
});

describe('what a case asks for', () => {
  const conditions: [condition: string, holds: string, not: string][] = [
    ['{off: a}', 'b: 1\n', 'a: true\n'],
    ['{no: a}', 'a: false\n', 'b: 1\n'],
    ['{absent: [a, b]}', 'c: 1\n', 'b: 1\n'],
    ['{anyStated: [a, b]}', 'b: 1\n', 'c: 1\n'],
    ['{is: {a: [x, y]}}', 'a: y\n', 'a: z\n'],
    ['{isNot: {a: x}}', 'a: y\n', 'a: x\n'],
    ['{matches: {a: /lora/i}}', 'a: my-LoRA\n', 'a: full\n'],
    ['{lists: {a: ^lm}}', 'a: [x, lm_head]\n', 'a: [x]\n'],
    ['{above: {a: 2}}', 'a: 3\n', 'a: 2\n'],
    ['{below: {a: 2}}', 'a: 1\n', 'b: 1\n'],
    ['{holds: {a: -1}}', 'a: -1\n', 'a: 1\n'],
    ['{known: seqLen}', 'len: 8\n', 'a: 1\n'],
    ['{equals: {seqLen: 8}}', 'len: 8\n', 'len: 9\n'],
    ['{more: {seqLen: 8}}', 'len: 9\n', 'len: 8\n'],
    ['{any: [{on: a}, {on: b}]}', 'b: true\n', 'a: false\n'],
    ['{not: {on: a}}', 'a: false\n', 'a: true\n'],
    ['{on: a, stated: b}', 'a: true\nb: 1\n', 'a: true\n'],
  ];
  for (const [condition, holds, not] of conditions) {
    it(condition, async () => {
      const text = `seqLen: {keys: len}
task:
  - {when: ${condition}, always: held, source: a}
  - {always: fell through, source: a}`;
      assert.equal(await answered('task', text, holds), 'held');
      assert.equal(await answered('task', text, not), 'fell through');
    });
  }

  it('may be the place of the config', async () => {
    const text = rows(
      'task:\n  - {when: {path: infer}, always: infer, source: a}\n  - {always: sft, source: a}',
    );
    assert.equal((await runBy(text, 'a: 1\n', '/w/infer/run.yaml')).quantities.task.value, 'infer');
    assert.equal((await runBy(text, 'a: 1\n', '/w/fit/run.yaml')).quantities.task.value, 'sft');
  });
});

describe('settings', () => {
  const LORA = `method: {always: lora, source: train.py}
lora:
  keys: net.rank
  value: {r: {keys: net.rank}, alpha: {keys: net.alpha, default: 16}, targets: [all-linear]}`;

  it('take values and rows, and what they leave out is as it is without them', async () => {
    const { lora } = (await runBy(rows(LORA), 'net: {rank: 8}\n')).quantities;
    assert.deepEqual(lora.value, {
      r: 8,
      alpha: 16,
      dropout: null,
      targets: 'all-linear',
      modulesToSave: [],
      rslora: false,
      dora: false,
    });
  });

  it('are none where a case says so', async () => {
    const text =
      'fsdp:\n  - {when: {on: shard}, keys: shard, value: {version: 2}}\n  - {default: null, source: a}';
    const sharded = (await runBy(rows(text), 'shard: true\n')).quantities.fsdp;
    assert.equal(sharded.value?.version, 2);
    const { value, origin } = (await runBy(rows(text), 'shard: false\n')).quantities.fsdp;
    assert.deepEqual([value, origin.kind], [null, 'default']);
  });
});

describe('errors in cases', () => {
  const problems: [title: string, text: string, message: RegExp, at: string][] = [
    [
      'a field that settings do not have',
      rows('lora: {default: {rank: 8}}'),
      /Unknown field rank/,
      'default',
    ],
    ['a rule that nobody has', rows('task: {rule: byMagic}'), /byMagic, which is not one of/, 'rule'],
    ['a writer’s rule that nobody has', 'writers:\n  seqLen: {rule: byMagic}\n', /not one of/, 'rule'],
    ['a condition that there is none of', rows('task: {when: {onn: a}, keys: b}'), /Unknown key onn/, 'onn'],
    ['a writer that sets no key', 'writers:\n  seqLen: {set: {value: 1}}\n', /key is missing/, 'set'],
    ['a table that nobody has', 'like: {someTrainer: a}\n', /someTrainer/, 'someTrainer'],
  ];
  for (const [title, sections, message, at] of problems) {
    it(`tell ${title}, at its place`, () => {
      const text = `${HEAD}${sections}${sections.startsWith('quantities') ? '' : rows('task: {keys: a}')}`;
      const found = parseDefinition(PLACE, text).problems;
      assert.equal(found.length, 1, JSON.stringify(found));
      assert.match(found[0]?.message ?? '', message);
      assert.equal(text.slice(found[0]?.span.start, found[0]?.span.end), at);
    });
  }
});

describe('writers of a dialect’s file', () => {
  const WRITERS = `quantities:
  gpus: {keys: cards}
  seqLen: {keys: len}
  precision: {keys: half, map: {true: fp16-mixed, false: fp32}}
  microBatchSize: [{keys: total, scope: global}]
writers:
  microBatchSize:
    - {when: {known: gpus}, formula: to * gpus, set: {key: total}}
    - {refuse: The number of GPUs is not known.}
  seqLen: {refuse: '{title} cannot be {to}.'}
  precision:
    - {to: fp32, set: {key: half, value: false}}
    - {to: fp16-mixed, set: [{key: half, value: true}, {key: scaler, value: true, when: {absent: scaler}}]}
`;

  /** The config after a change, or the reason for a refusal. */
  async function edited(config: string, change: Change): Promise<string> {
    const run = await runBy(WRITERS, config);
    const written = editsFor(run, [change]);
    if (!written.ok) return written.why;
    const text = `run: {of: cases}\n${config}`;
    return (applied({ '/w/run.yaml': text }, written.edits)['/w/run.yaml'] ?? '').replace(/^.*\n/, '');
  }

  it('write what a formula comes to', async () => {
    const change: Change = { quantity: 'microBatchSize', to: 3 };
    assert.equal(await edited('total: 8\ncards: 4\n', change), 'total: 12\ncards: 4\n');
    assert.equal(await edited('total: 8\n', change), 'The number of GPUs is not known.');
  });

  it('refuse with a sentence', async () => {
    const change: Change = { quantity: 'seqLen', to: 512 };
    assert.equal(await edited('len: 8\ntitle: this\n', change), 'this cannot be 512.');
  });

  it('set the keys of the value that is asked for', async () => {
    const on: Change = { quantity: 'precision', to: 'fp16-mixed' };
    assert.equal(await edited('half: false\nscaler: false\n', on), 'half: true\nscaler: false\n');
    assert.match(await edited('half: false\n', on), /half: true\nscaler: true/);
    assert.equal(await edited('half: true\n', { quantity: 'precision', to: 'fp32' }), 'half: false\n');
    assert.match(await edited('half: true\n', { quantity: 'precision', to: 'bf16' }), /has no word for bf16/);
  });
});

describe('keys that tell files', () => {
  const dialectOf = (id: string, recognition: string) => {
    const text = `id: ${id}\nrecognise: {${recognition}}\nquantities: {model: {keys: name}}\n`;
    const { definition, problems } = parseDefinition(`${id}.yaml`, text);
    assert.deepEqual(problems, []);
    return dialectFrom(definition ?? assert.fail(id));
  };

  function taken(text: string, ...some: ReturnType<typeof dialectOf>[]): string | null {
    const [document] = parseYaml(text).documents;
    return (document && recognize(document, some)?.id) ?? null;
  }

  it('exclude a file with a key that it can never have', () => {
    const one = dialectOf('one', 'strong: [a, b], never: [services]');
    assert.equal(taken('a: 1\nb: 2\n', one), 'one');
    assert.equal(taken('a: 1\nb: 2\nservices: {}\n', one), null);
  });

  it('decide the family first, by the keys of all its members', () => {
    const general = dialectOf('general', 'strong: [a, b]');
    const member = (own: string) => dialectOf('member', `strong: [a, b, ${own}], family: general`);
    const rival = dialectOf('rival', 'strong: [x, y]');
    // Neither member alone outweighs the rival's two keys with its exclusive keys.
    const text = 'a: 1\nb: 1\nc: 1\nx: 1\ny: 1\n';
    assert.equal(taken(text, general, member('c'), rival), 'general');
    assert.equal(taken(`${text}d: 1\n`, general, member('c, d'), rival), 'member');
    assert.equal(taken('x: 1\ny: 1\n', general, member('c'), rival), 'rival');
  });

  it('name a family that there is', () => {
    const ids = new Set(dialects.map(({ id }) => id));
    const named = dialects.flatMap(({ id, signature: { family } }) =>
      family === undefined ? [] : [[id, family]],
    );
    assert.ok(named.length > 0);
    assert.deepEqual(
      named.filter(([id, family]) => !ids.has(family ?? '') || family === id),
      [],
    );
  });
});

describe("a workspace dialect's framework", () => {
  const idOf = (text: string): string | null => {
    const { definition } = parseDefinition('/w/.headroom/dialects/vllm.yaml', text);
    return definition ? dialectFrom(definition).framework.id : assert.fail('no definition');
  };
  const named = 'id: vllm\nrecognise: {strong: [run.of]}\n';

  it("is one that the memory model knows only where the file says so, whatever the dialect's name", () => {
    assert.equal(idOf(named), null);
    assert.equal(idOf(`${named}framework: {name: vllm, version: 0.21.0}\n`), 'vllm');
    assert.equal(idOf(`${named}framework: {name: our-fork, version: '1.0'}\n`), null);
  });
});

describe('a model that a config builds', () => {
  const SIZES = `ownModel:
  fromScratch: true
  config:
    model_type: bert
    hidden_size: {keys: net.width}
    num_hidden_layers: {keys: net.depth, default: 6}
    intermediate_size: {keys: net.width, formula: 4 * x}
quantities:
  method: {always: full, source: train.py}
`;

  it('has the sizes that its keys say, those that follow, and defaults', async () => {
    const { ownModel } = await runBy(SIZES, 'net: {width: 64}\n');
    assert.deepEqual(ownModel, {
      as: 'config.json',
      config: { model_type: 'bert', hidden_size: 64, num_hidden_layers: 6, intermediate_size: 256 },
      fromScratch: true,
    });
  });

  it('is unknown where a size is missing or cannot be read', async () => {
    assert.equal((await runBy(SIZES, 'net: {depth: 2}\n')).ownModel, undefined);
    assert.equal((await runBy(SIZES, 'net: {width: "${w}"}\n')).ownModel, undefined);
  });
});
