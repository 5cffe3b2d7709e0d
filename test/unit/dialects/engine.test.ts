import { findDialect } from '../../../src/core/dialects/find';
import assert from 'node:assert/strict';
import { buildRun } from '../../../src/core/dialects/engine/build';
import { accumulationFromGlobal } from '../../../src/core/dialects/engine/common';
import type { Dialect, QuantityTable } from '../../../src/core/dialects/dialect';
import type { Note } from '../../../src/core/dialects/engine/note';
import { count, countOrNone, word } from '../../../src/core/dialects/engine/readers';
import type { RunSpec, Via } from '../../../src/core/spec/runSpec';
import { parseYaml } from '../../../src/core/yaml/parse';

/** A dialect of a few rows, to test the engine with. */
function toy(quantities: QuantityTable, more: Partial<Dialect> = {}): Dialect {
  return {
    id: 'toy',
    title: 'Toy',
    role: 'run',
    framework: { id: null, name: 'toy', version: '2.0', libraries: { lib: '5.0' } },
    loader: 'pyyaml',
    signature: { strong: [], medium: [], weak: [], against: [], least: 1 },
    quantities,
    ...more,
  };
}

function runOf(dialect: Dialect, text: string, notes: Note[] = [], overlay?: string): RunSpec {
  const source = (path: string, content: string, via: Via) => ({
    path,
    yaml: parseYaml(content),
    document: 0,
    base: [],
    dialect: 'toy',
    via,
  });
  const sources = [source('c.yaml', text, { kind: 'config' })];
  if (overlay !== undefined) sources.push(source('o.yaml', overlay, { kind: 'overlay', mount: 'stage' }));
  return buildRun(
    '',
    dialect,
    { sources, missingFiles: [], given: { values: {}, setting: '' } },
    findDialect,
    notes,
  );
}

const micro = { keys: ['micro', 'batch'], read: count } as const;

describe('a row', () => {
  const dialect = toy({ microBatchSize: micro }, { roots: ['train'] });
  const why = (run: RunSpec): unknown =>
    run.quantities.microBatchSize.origin.kind === 'unresolved' && run.quantities.microBatchSize.origin.why;

  it('takes the first key that states it, in the order of the table', () => {
    assert.equal(runOf(dialect, 'batch: 8\nmicro: 2\n').quantities.microBatchSize.value, 2);
    assert.equal(runOf(dialect, 'batch: 8\nmicro: ~\n').quantities.microBatchSize.value, 8);
  });

  it('looks into the sections of the dialect', () => {
    const { microBatchSize } = runOf(dialect, 'train:\n  micro: 2\n').quantities;
    assert.ok(microBatchSize.origin.kind === 'file' && microBatchSize.origin.at.path === 'train.micro');
  });

  it('reads through aliases and merge keys', () => {
    const { microBatchSize } = runOf(dialect, 'x: &x {micro: 3}\ntrain:\n  <<: *x\n').quantities;
    assert.equal(microBatchSize.value, 3);
    assert.ok(microBatchSize.origin.kind === 'file' && microBatchSize.origin.at.line === 1);
  });

  it('is unknown without a default, and says so', () => {
    assert.equal(why(runOf(dialect, 'a: 1\n')), 'micro is not set, and Toy has no default for it.');
  });

  it('is unknown with a value that nobody can know', () => {
    const asked = (text: string) => why(runOf(dialect, `micro: ${text}\n`));
    assert.equal(asked('${B}'), 'micro is ${B}, which is filled in only when the run starts.');
    assert.equal(asked('"{{ b }}"'), 'micro is "{{ b }}", which is filled in only when the run starts.');
    assert.equal(asked('!env B'), 'micro has a tag that only its program understands.');
  });

  it('notes a value that cannot be', () => {
    const notes: Note[] = [];
    const run = runOf(dialect, 'batch: 1\ntrain:\n  micro: -2\n', notes);
    assert.equal(run.quantities.microBatchSize.value, null);
    assert.deepEqual(
      notes.map(({ code, at, message }) => [code, at.line, at.path, message]),
      [['unreadable-value', 3, 'train.micro', 'micro: -2 is not a positive whole number.']],
    );
  });

  it('has the default of its release', () => {
    const since = [
      { value: 4, source: 'new', since: '6', library: 'lib' },
      { value: 3, source: 'mine', since: '2.0' },
      { value: 1, source: 'old' },
    ];
    const aged = toy(
      { microBatchSize: { ...micro, absent: since } },
      { evidence: [{ keys: ['old_key'], upTo: { toy: '1.9' }, source: '' }] },
    );
    assert.equal(runOf(aged, 'a: 1\n').quantities.microBatchSize.value, 3);
    assert.equal(runOf(aged, 'old_key: 1\n').quantities.microBatchSize.value, 1);
    assert.deepEqual(runOf(aged, 'old_key: 1\n').quantities.microBatchSize.origin, {
      kind: 'default',
      framework: 'toy',
      version: '1.9',
      source: 'old',
    });
  });

  it('of all GPUs is shared among them', () => {
    const shared = toy({
      microBatchSize: { ...micro, scope: 'global' },
      gpus: { keys: ['gpus'], read: count },
    });
    const { microBatchSize } = runOf(shared, 'micro: 32\ngpus: 4\n').quantities;
    assert.equal(microBatchSize.value, 8);
    assert.deepEqual(microBatchSize.origin, { kind: 'derived', from: ['gpus'], formula: '32 ÷ 4 GPUs' });
    assert.equal(runOf(shared, 'micro: 32\n').quantities.microBatchSize.value, null);
    assert.equal(runOf(shared, 'micro: 30\ngpus: 4\n').quantities.microBatchSize.value, null);
  });

  it('of an overlay wins over the config, and is referenced', () => {
    const staged = toy({ microBatchSize: { keys: ['stage.micro'], read: count } });
    const run = runOf(staged, 'stage: {micro: 1}\n', [], 'micro: 2\n');
    assert.equal(run.quantities.microBatchSize.value, 2);
    assert.equal(run.quantities.microBatchSize.origin.kind, 'referenced');
    assert.equal(runOf(staged, 'stage: {micro: 1}\n', [], 'other: 2\n').quantities.microBatchSize.value, 1);
  });
});

describe('what follows from other quantities', () => {
  const table: QuantityTable = {
    microBatchSize: micro,
    gradAccum: { keys: ['steps'], read: count, absent: accumulationFromGlobal },
    globalBatchSize: { keys: ['global'], read: count },
    devices: { keys: ['devices'], read: countOrNone },
    nodes: { keys: ['nodes'], read: count, absent: { value: 1, source: 'toy' } },
    parallel: run =>
      run.has('tp')
        ? run.at('tp', {
            tensor: run.count('tp') ?? 1,
            context: 1,
            pipeline: 1,
            expert: 1,
            dataShard: null,
            dataReplicate: null,
          })
        : run.none('toy'),
  };
  const derived = (text: string): unknown => {
    const { effectiveBatch } = runOf(toy(table), text).quantities;
    return effectiveBatch.origin.kind === 'derived'
      ? [effectiveBatch.value, effectiveBatch.origin.formula]
      : effectiveBatch.origin;
  };

  it('the effective batch', () => {
    assert.deepEqual(derived('micro: 2\nsteps: 8\ndevices: 4\n'), [64, '2 × 8 × 4 GPUs']);
    assert.deepEqual(derived('micro: 2\nsteps: 8\ndevices: 4\nnodes: 2\n'), [128, '2 × 8 × 8 GPUs']);
    assert.deepEqual(derived('micro: 2\nsteps: 8\ndevices: 4\ntp: 2\n'), [
      32,
      '2 × 8 × 4 GPUs ÷ 2 per replica',
    ]);
    assert.deepEqual(derived('micro: 2\nsteps: 8\n'), {
      kind: 'unresolved',
      why: '2 × 8 = 16 per GPU; the number of GPUs is not in the files.',
    });
    assert.deepEqual(derived('micro: 2\nsteps: 8\ndevices: 3\ntp: 2\n'), {
      kind: 'unresolved',
      why: '3 GPUs cannot hold replicas of 2.',
    });
  });

  it('without a GPU, of the one process that computes', () => {
    assert.deepEqual(derived('micro: 2\nsteps: 8\ndevices: 0\n'), [16, '2 × 8']);
    const accumulated = runOf(toy(table), 'micro: 2\nglobal: 64\ndevices: 0\n').quantities.gradAccum;
    assert.equal(accumulated.value, 32);
    assert.equal(accumulated.origin.kind === 'derived' && accumulated.origin.formula, '64 ÷ 2');
  });

  it('accumulation from the global batch', () => {
    const steps = (text: string): unknown => runOf(toy(table), text).quantities.gradAccum.value;
    assert.equal(steps('micro: 2\nglobal: 64\ndevices: 4\n'), 8);
    assert.equal(steps('micro: 2\nglobal: 64\ndevices: 4\ntp: 2\n'), 16);
    assert.equal(steps('micro: 3\nglobal: 64\ndevices: 4\n'), null);
    assert.equal(steps('micro: 2\nglobal: 64\n'), null);
  });

  it('never in circles', () => {
    const circular = toy({ model: run => run.get('task'), task: run => run.get('model') });
    const { origin } = runOf(circular, 'a: 1\n').quantities.model;
    assert.deepEqual(origin, { kind: 'unresolved', why: 'model would follow from itself.' });
  });
});

describe('a rule', () => {
  it('ends where a value cannot be known, with the reason', () => {
    const dialect = toy({
      task: run => run.at('a', `${run.word('a') ?? ''} and ${run.word('b') ?? ''}`),
      model: { keys: ['m'], read: word },
    });
    const { task, model } = runOf(dialect, 'a: x\nb: ${B}\nm: y\n').quantities;
    assert.deepEqual(task.origin, {
      kind: 'unresolved',
      why: 'b is ${B}, which is filled in only when the run starts.',
    });
    assert.equal(model.value, 'y');
  });

  it('cannot state what no key says', () => {
    const { origin } = runOf(toy({ task: run => run.at(['gone', 'lost'], 'x') }), 'a: 1\n').quantities.task;
    const why = 'It would be read from gone or lost, and no such key is there.';
    assert.deepEqual(origin, { kind: 'unresolved', why });
  });
});
