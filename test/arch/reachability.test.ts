import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { rowNames } from '../../src/core/dialects/defined/rows';
import { dialects } from '../../src/core/dialects/registry';
import { architectures } from '../../src/core/memory/architectures/registry';
import { lossWords } from '../../src/core/memory/frameworks/behavior/lossCode';
import { frameworkProfiles } from '../../src/core/memory/frameworks/registry';
import type { AdapterMethod } from '../../src/core/memory/adapterMethod';
import { adapterMethods } from '../../src/core/memory/methods/registry';
import { dynamicFormats } from '../../src/core/memory/setup/numbers';
import { filesBelow } from './sources';

/* Everything that the memory model checks must be reachable by a "door": a dialect, a row of a workspace dialect, a
   config.json, or a catalog. Missing doors are listed here with what they wait for: the lists may only become
   shorter. */

/** All sources of dialects, in which names of losses, methods and details are literals. */
const spoken = filesBelow('src/core/dialects', '.ts', '.yaml', '.json')
  .map(path => readFileSync(path, 'utf8'))
  .join('\n');
const asked = filesBelow('src/core/memory', '.ts').map(path => readFileSync(path, 'utf8'));

/** A TypeScript literal, or a YAML word. */
const isSaid = (word: string): boolean =>
  new RegExp(`['"\`]${word}['"\`]|[[ ]${word}(?:[,\\]} ]|$)`, 'm').test(spoken);
/** The requests of plans themselves. */
const advised = readFileSync('src/core/plan/advice.ts', 'utf8');
const isKey = (word: string): boolean => new RegExp(`(?:^|[\\s{,])${word}(?::|\\(|,)`, 'm').test(spoken);

/** Fails for a name without a door, and for a listed name that has one by now. */
function checkDoors(
  names: Iterable<string>,
  hasDoor: (name: string) => boolean,
  waiting: readonly string[],
): void {
  const without = [...new Set(names)].filter(name => !hasDoor(name)).sort();
  assert.deepEqual(without, [...waiting].sort());
}

/** Methods of PEFT, compared by its own benchmark, that wait for a dialect that reads `peft_type`. */
const AWAITING_METHODS: readonly string[] = [
  'AdaMSS',
  'BEFT',
  'C³A',
  'DEFT',
  'DeLoRA',
  'FRoD',
  'GLoRA',
  'GraLoRA',
  'HRA',
  'HiRA',
  'LLaMA-Adapter v2',
  'LayerNorm tuning',
  'Lily',
  'LoHa',
  'OSF',
  'PEANuT',
  'PSOFT',
  'PVeRA',
  'RandLoRA',
  'RoAd',
  'SHiRA',
  'TinyLoRA',
  'Uni-LoRA',
  'VB-LoRA',
  'WaveFT',
  'adaption prompt',
  'p-tuning',
  'prefix tuning',
  'prompt tuning',
];

describe('memory: what it asks about can be said', () => {
  it('frameworks are those of dialects', () => {
    const ids: ReadonlySet<string | null> = new Set(
      dialects.flatMap(({ framework, engines = [] }) => [framework.id, ...engines.map(({ id }) => id)]),
    );
    const awaitsDialect: readonly string[] = [];
    checkDoors(
      frameworkProfiles.map(({ id }) => id),
      id => ids.has(id),
      awaitsDialect,
    );
  });

  it('words for losses are said by a dialect, or are a framework’s own', () => {
    const own = frameworkProfiles.map(profile =>
      profile.loss({ id: profile.id, name: profile.id, version: null }),
    );
    const awaitsDialect: readonly string[] = [];
    checkDoors(lossWords, word => isSaid(word) || own.includes(word), awaitsDialect);
  });

  it('details are rows of a dialect', () => {
    const names = asked.flatMap(text =>
      [...text.matchAll(/\.detail\(\s*'(\w+)'/g)].map(([, name = '']) => name),
    );
    assert.ok(names.length > 40);
    const awaitsDialect: readonly string[] = [];
    const hasDoor = (name: string): boolean =>
      rowNames.includes(name) || isKey(name) || advised.includes(name);
    checkDoors(names, hasDoor, awaitsDialect);
  });

  it('formats of 8 bits with products of their own are said by a dialect', () => {
    const awaitsDialect: readonly string[] = [];
    const hasDoor = (name: string): boolean => {
      const [method, type] = name.split(' ');
      return new RegExp(String.raw`method: '?${method}\b[^}]*type: '?${type}\b`).test(spoken);
    };
    checkDoors(Object.keys(dynamicFormats), hasDoor, awaitsDialect);
  });

  it('methods of adapters are said by a dialect', () => {
    // lora-fa is an optimizer's name.
    const hasDoor = ({ names }: AdapterMethod): boolean =>
      names.some(name => isSaid(name) || isKey(name) || name === 'lora-fa');
    checkDoors(
      adapterMethods.map(({ title }) => title),
      title => adapterMethods.some(method => method.title === title && hasDoor(method)),
      AWAITING_METHODS,
    );
  });

  it('model types are those of a catalog, of a table of networks, or of a config.json', () => {
    const tables = filesBelow('src/core/models', '.json', '.ts')
      .map(path => readFileSync(path, 'utf8'))
      .join('\n');
    const inCatalog = readFileSync('src/core/data/models.json', 'utf8');
    // Megatron's program, with `gpt` as the default (dialects/defined/ownModels.ts).
    const families = new Set([
      'gpt',
      ...[...spoken.matchAll(/family: (\w+)/g)].map(([, family = '']) => family),
    ]);
    const hasDoor = (type: string): boolean =>
      inCatalog.includes(`"modelType":"${type}"`) ||
      tables.includes(`'${type}'`) ||
      tables.includes(`"${type}"`) ||
      (type.startsWith('megatron-') && families.has(type.slice('megatron-'.length)));
    const awaitsDescription: readonly string[] = [];
    checkDoors(
      architectures
        .filter(({ source }) => !/transformers|modeling_/.test(source))
        .flatMap(({ modelTypes }) => modelTypes),
      hasDoor,
      awaitsDescription,
    );
  });
});
