import assert from 'node:assert/strict';
import { Document, isMap, parseAllDocuments } from 'yaml';
import { readConfig } from '../../../src/core/reading/read';
import { dialects } from '../../../src/core/dialects/registry';
import type { QuantityName } from '../../../src/core/spec/values';
import type { Quantity } from '../../../src/core/spec/quantity';
import type { RunSpec } from '../../../src/core/spec/runSpec';
import { parsePath } from '../../../src/core/yaml/path';
import { configs, readFixture, textOf } from '../../golden/configs';
import { running, worldOf } from '../../unit/dialects/support';

/** Keys that most people's configs have for a quantity, with a value that no framework has by default. */
const WORDS: readonly (readonly [QuantityName, Readonly<Record<string, unknown>>])[] = [
  ['microBatchSize', { batch_size: 37 }],
  ['globalBatchSize', { effective_batch_size: 1184 }],
  ['gradAccum', { accum_steps: 37 }],
  ['seqLen', { context_length: 1237 }],
  ['optimizer', { optim_type: 'Adafactor' }],
  ['gradientCheckpointing', { use_grad_checkpoint: true }],
  ['method', { lora_dim: 37 }],
  ['lora', { lora_dim: 37 }],
  ['quantization', { use_4bit: true }],
  ['precision', { compute_dtype: 'float16' }],
  ['devices', { num_gpus: 37 }],
  ['nodes', { nnodes: 37 }],
  ['numWorkers', { n_workers: 37 }],
];

/** Dialects whose keys are those of one program. */
const closed = dialects.filter(({ role, named }) => role === 'run' && named !== undefined);

/** The first config of each closed dialect that is one YAML document. */
async function samples(): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const config of configs.filter(name => /\.ya?ml$/.test(name))) {
    const { dialect, runs } = await readFixture(config);
    const isClosed = closed.some(({ id }) => id === dialect);
    if (!isClosed || dialect === null || runs.length !== 1 || found.has(dialect)) continue;
    const documents = parseAllDocuments(textOf(config));
    if (documents.length === 1 && documents[0]?.errors.length === 0) found.set(dialect, config);
  }
  return found;
}

const isAssumed = ({ origin }: Quantity<unknown>): boolean =>
  origin.kind === 'default' || origin.kind === 'code';

const agrees = ({ value }: Quantity<unknown>, words: Readonly<Record<string, unknown>>): boolean =>
  Object.values(words).some(word => String(word) === String(value));

/** The config without the key of a quantity, and with another program's keys beside its own. */
function reworded(text: string, { origin }: Quantity<unknown>, words: object | null): string {
  const [document] = parseAllDocuments(text);
  assert.ok(document instanceof Document && isMap(document.contents));
  if (origin.kind === 'file') document.deleteIn(parsePath(origin.at.path));
  if (words) document.setIn(['mine'], words);
  return document.toString();
}

/** A changed config's quantities; null if it is no longer one run of the dialect whose keys are those of the file. */
async function quantitiesIn(config: string, text: string, dialect: string) {
  const { runs } = await readConfig(config, text, worldOf({ [config]: text }), running);
  const [run, ...others] = runs;
  const isOne = run?.dialect === dialect && others.length === 0;
  return isOne && run.sources[0]?.yaml.text === text && !isCommand(run) ? run.quantities : null;
}

/** Its settings are those of a command in the file. */
const isCommand = ({ sources: [source] }: RunSpec): boolean => {
  const root = source?.yaml.documents[source.document]?.root;
  return root?.kind === 'map' && root.tag !== null;
};

describe('a key that only its name tells', () => {
  it('leaves no default of a program that does not read it', async function () {
    this.timeout(120_000);
    let checked = 0;
    const wrong: string[] = [];
    for (const [dialect, config] of await samples()) {
      const text = textOf(config);
      const quantities = await quantitiesIn(config, text, dialect);
      if (quantities === null) continue;
      for (const [name, words] of WORDS) {
        const own = quantities[name];
        const without = isAssumed(own)
          ? quantities
          : await quantitiesIn(config, reworded(text, own, null), dialect);
        const bare = without?.[name];
        if (!bare || !isAssumed(bare) || agrees(bare, words)) continue;
        const after = (await quantitiesIn(config, reworded(text, own, words), dialect))?.[name];
        if (!after) continue;
        checked++;
        if (isAssumed(after)) wrong.push(`${dialect} ${name}: ${JSON.stringify(after)}`);
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(checked > 150, `only ${checked} were checked`);
  });
});
