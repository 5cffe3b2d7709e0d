import assert from 'node:assert/strict';
import fc from 'fast-check';
import { buildRun } from '../../../src/core/dialects/engine/build';
import { dialectOfRun, findDialect } from '../../../src/core/dialects/find';
import { readConfig } from '../../../src/core/reading/read';
import type { Reading } from '../../../src/core/reading/read';
import { editsFor } from '../../../src/core/dialects/write';
import type { Change } from '../../../src/core/spec/change';
import type { KeyEdit } from '../../../src/core/yaml/keyEdit';
import type { Quantity } from '../../../src/core/spec/quantity';
import { changed } from '../../../src/core/dialects/change';
import type { RunSpec } from '../../../src/core/spec/runSpec';
import type { YamlNode } from '../../../src/core/yaml/node';
import { parseConfig } from '../../../src/core/yaml/file';
import { formatPath, resolve } from '../../../src/core/yaml/path';
import { configs, readFixture, textOf } from '../../golden/configs';
import { applied, worldOf } from '../../unit/dialects/support';
import { someOf, tries } from '../../tries';

const nf4 = {
  bits: 4,
  method: 'bnb',
  type: 'nf4',
  doubleQuant: null,
  computeDtype: null,
  storageDtype: null,
} as const;

const amount = fc.integer({ min: 1, max: 512 });

/** Requests of remedies: each is a set of changes that belong together. */
const someChanges: fc.Arbitrary<readonly Change[]> = fc.oneof(
  fc.tuple(amount, amount).map(([micro, steps]): Change[] => [
    { quantity: 'microBatchSize', to: micro },
    { quantity: 'gradAccum', to: steps },
  ]),
  amount.map((to): Change[] => [{ quantity: 'seqLen', to: to * 64 }]),
  amount.map((to): Change[] => [{ quantity: 'evalBatchSize', to }]),
  fc.boolean().map((to): Change[] => [{ quantity: 'gradientCheckpointing', to }]),
  fc.boolean().map((to): Change[] => [{ quantity: 'packing', to }]),
  fc.boolean().map((to): Change[] => [{ quantity: 'compile', to }]),
  fc
    .constantFrom('adamw_bnb_8bit', 'adamw_torch_8bit', 'adafactor')
    .map((to): Change[] => [{ quantity: 'optimizer', to }]),
  fc.constantFrom('sdpa', 'flash_attention_2').map((to): Change[] => [{ quantity: 'attention', to }]),
  fc.constantFrom('bf16', 'fp16').map((to): Change[] => [{ quantity: 'precision', to }]),
  fc.constantFrom('bf16' as const, 'fp32' as const).map((to): Change[] => [{ quantity: 'loadDtype', to }]),
  fc.constant<Change[]>([{ quantity: 'loss', to: 'liger' }]),
  fc.constant<Change[]>([
    { quantity: 'method', to: 'qlora' },
    { quantity: 'quantization', to: nf4 },
  ]),
);

const readings = new Map<string, Promise<Reading>>();

function reading(config: string): Promise<Reading> {
  const known = readings.get(config) ?? readFixture(config);
  readings.set(config, known);
  return known;
}

/** The current files of a run, by path. */
function filesOf(run: RunSpec): Record<string, string> {
  const files = run.sources
    .filter(({ via }) => via.kind !== 'preset')
    .map(({ path, yaml }) => [path, yaml.text]);
  return Object.fromEntries(files) as Record<string, string>;
}

const values = (run: RunSpec | undefined): unknown =>
  Object.fromEntries(
    Object.entries({ ...run?.quantities, ...run?.details }).map(
      ([name, { value }]: [string, Quantity<unknown>]) => [name, value],
    ),
  );

/** Every scalar of a file by its path. */
function leaves(file: string, text: string): Map<string, string> {
  const found = new Map<string, string>();
  const walk = (node: YamlNode | null, path: readonly (string | number)[], index: number): void => {
    const at = resolve(node);
    if (at?.kind === 'map') for (const { key, value } of at.entries) walk(value, [...path, key], index);
    else if (at?.kind === 'sequence') at.items.forEach((item, i) => walk(item, [...path, i], index));
    else if (at?.kind === 'scalar') found.set(`${index} ${formatPath(path)}`, at.source);
  };
  for (const { root, index } of parseConfig(file, text).documents) walk(root, [], index);
  return found;
}

/** Paths whose scalars differ between two texts. */
function difference(file: string, before: string, after: string): string[] {
  const [old, now] = [leaves(file, before), leaves(file, after)];
  const paths = new Set([...old.keys(), ...now.keys()]);
  return [...paths].filter(path => old.get(path) !== now.get(path)).map(path => path.replace(/^\d+ /, ''));
}

/** Both keys belong to TRL as well as Open Instruct: writing them must not turn the file into TRL's. */
const keysOfTwoDialects: [string, Change[], Change[]] = [
  'allenai__open-instruct/configs/train_configs/dpo/tulu3_preview_test_simpo.yaml',
  [{ quantity: 'packing', to: false }],
  [{ quantity: 'loss', to: 'liger' }],
];

describe('changes to real configs', () => {
  // Paths of values on command lines and in texts within texts are not keys: envelopes.test.ts tests their edits.
  const elsewhere =
    /\.(?:sh|sbatch|slurm)$|chain_default|opea-|skypilot|kubernetes__|production-stack|tei-compose/;
  const recognized = configs.filter(config => !elsewhere.test(config));

  it('are written so that only the named keys differ and the run reads as foretold', async () => {
    let written = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...recognized),
        someChanges,
        someChanges,
        async (config, some, more) => {
          const { runs } = await reading(config);
          for (const run of runs) written += (await roundTrip(config, run, [...some, ...more])) ? 1 : 0;
        },
      ),
      { numRuns: tries(60), examples: [keysOfTwoDialects] },
    );
    assert.ok(written > 5, `only ${written} changes could be written`);
  });

  it('are read like a run of its own: what is taken over from before says what reading anew says, and where', async function () {
    this.timeout(120_000);
    const all = fc.sample(someChanges, { numRuns: tries(1) });
    for (const config of someOf(recognized, 10)) {
      for (const run of (await reading(config)).runs) {
        for (const changes of all) {
          const after = changed(run, changes);
          const anew = buildRun(run.name, dialectOfRun(run), after, findDialect);
          assert.deepEqual(after.quantities, anew.quantities, config);
          assert.deepEqual(after.details, anew.details, config);
          assert.deepEqual([after.framework, after.ownModel], [anew.framework, anew.ownModel], config);
        }
      }
    }
  });

  it('are each refused with a sentence or written, for every config', async () => {
    const all = fc.sample(someChanges, { numRuns: tries(6), seed: 7 });
    for (const config of recognized) {
      for (const run of (await reading(config)).runs) {
        for (const changes of all) {
          const result = editsFor(run, changes);
          if (!result.ok) assert.match(result.why, /^\S.*\.$/, `${config}: ${JSON.stringify(changes)}`);
        }
      }
    }
  });
});

/** True if the changes could be written; then they are checked. */
async function roundTrip(config: string, run: RunSpec, changes: readonly Change[]): Promise<boolean> {
  const result = editsFor(run, changes);
  if (!result.ok) return false;
  const before = filesOf(run);
  const after = applied(before, result.edits);
  checkKeys(before, after, result.edits);
  const opened = before[config] === undefined ? (run.sources[0]?.path ?? config) : config;
  const again = await readConfig(opened, after[opened] ?? '', worldOf({ ...neighbors(run), ...after }), {
    aborted: false,
  });
  assert.deepEqual(values(again.runs.find(({ name }) => name === run.name)), values(changed(run, changes)));
  return true;
}

/** Files that determine the runs: stages next to a config of the guide. */
function neighbors(run: RunSpec): Record<string, string> {
  const folder = run.sources[1]?.via.kind === 'overlay' ? 'headroom/guide/' : null;
  const near = folder === null ? [] : configs.filter(config => config.startsWith(folder));
  return Object.fromEntries(near.map(config => [config, textOf(config)]));
}

function checkKeys(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
  edits: readonly KeyEdit[],
): void {
  for (const [file, text] of Object.entries(before)) {
    const own = edits.filter(edit => edit.file === file);
    const named = new Set(own.flatMap(({ path, keys = [path] }) => keys));
    const other = difference(file, text, after[file] ?? '').filter(path => !named.has(path));
    assert.deepEqual(other, [], `${file} changed elsewhere`);
  }
}
