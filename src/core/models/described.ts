import { parseYaml } from '../yaml/parse';
import { plainOf } from '../yaml/scalars';
import type { Plain } from '../yaml/scalars';
import type { ModelFacts } from './model';
import { comparableId } from './names';
import { noFacts } from './noFacts';
import type { Metric, TermName } from './terms';
import { ownOf } from '../yaml/tables';
import type { Component, Description, MeasuredPoint } from './description';

/** The content of a file in `.headroom/models`: facts by the model's names, or a phrase about what is wrong. */
export type DescriptionReading =
  | { readonly ok: true; readonly names: readonly string[]; readonly description: Description }
  /** A known model that stands in for it. */
  | { readonly ok: true; readonly names: readonly string[]; readonly like: string }
  | { readonly ok: false; readonly why: string };

type Table = Readonly<Record<string, Plain>>;

class Refusal extends Error {}

/** Reads a description (`docs/described-models.md`). */
export function readDescription(text: string): DescriptionReading {
  try {
    const root = parseYaml(text).documents[0]?.root ?? null;
    return { ok: true, ...described(tableOf(root && plainOf(root, 'pyyaml'), 'the file')) };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, why: error.message };
    throw error;
  }
}

/** Facts of the described model; null if the description is about another model. */
export function describedModel(name: string, reading: DescriptionReading): ModelFacts | null {
  if (!isAbout(name, reading) || !('description' in reading)) return null;
  const { description } = reading;
  return {
    ...noFacts,
    id: name,
    modelType: 'described',
    kind: 'other',
    publishedTotal: description.parameters,
    source: 'user',
    described: description,
    extra: {},
  };
}

/** The known model that stands in for a model; null if the file is about another model, or describes it. */
export const likeOf = (name: string, reading: DescriptionReading): string | null =>
  isAbout(name, reading) && 'like' in reading ? reading.like : null;

const isAbout = (name: string, reading: DescriptionReading): reading is DescriptionReading & { ok: true } =>
  reading.ok && reading.names.map(comparableId).includes(comparableId(name));

type Described =
  | { readonly names: readonly string[]; readonly like: string }
  | { readonly names: readonly string[]; readonly description: Description };

function described(table: Table): Described {
  const names = listOf(table['model']).filter(name => typeof name === 'string');
  if (names.length === 0) throw new Refusal('model: the name that configs use is missing');
  const { like } = table;
  if (typeof like === 'string' && like.trim() !== '') return { names, like: like.trim() };
  const measured = listOf(table['measured']).map(point => pointOf(tableOf(point, 'measured')));
  const components = Object.entries(optional(table['components'])).map(componentOf);
  const at = table['at'] === undefined ? null : placeOf(tableOf(table['at'], 'at'), 'at');
  if (measured.length === 0 && components.length === 0) {
    throw new Refusal('measured, components or like: nothing says how much memory the model takes');
  }
  if (components.length > 0 && at === null) {
    throw new Refusal('at: the batch whose components these are is missing');
  }
  const parameters = table['parameters'] === undefined ? null : amount(table['parameters'], 'parameters', 1);
  return { names, description: { metric: metricOf(table['metric']), parameters, measured, components, at } };
}

const listOf = (value: Plain | undefined): readonly Plain[] =>
  Array.isArray(value) ? (value as readonly Plain[]) : value === undefined || value === null ? [] : [value];

function tableOf(value: Plain | undefined, where: string): Table {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Table;
  throw new Refusal(`${where}: keys and values are expected`);
}

const optional = (value: Plain | undefined): Table =>
  value === undefined || value === null ? {} : tableOf(value, 'components');

const METRICS: readonly Metric[] = ['allocated', 'reserved', 'device'];

function metricOf(value: Plain | undefined): Metric {
  if (value === undefined || value === null) return 'device';
  const metric = METRICS.find(one => one === value);
  if (metric === undefined) throw new Refusal(`metric: one of ${METRICS.join(', ')} is expected`);
  return metric;
}

function pointOf(table: Table): MeasuredPoint {
  return { ...placeOf(table, 'measured'), bytes: bytesOf(table['memory'], 'measured.memory') };
}

function placeOf(table: Table, where: string): Omit<MeasuredPoint, 'bytes'> {
  const count = (name: string): number | null =>
    table[name] === undefined || table[name] === null ? null : amount(table[name], `${where}.${name}`, 1);
  const batch = count('batch');
  if (batch === null) throw new Refusal(`${where}.batch: the samples of a step on one GPU are missing`);
  return { batch, sequence: count('sequence'), sequences: count('sequences') };
}

/** Names of the terms in descriptions. */
const TERMS: Readonly<Record<string, TermName>> = {
  weights: 'weights',
  parameters: 'weights',
  'model parameters': 'weights',
  adapters: 'adapters',
  gradients: 'gradients',
  'optimizer states': 'optimizer states',
  'optimizer state': 'optimizer states',
  optimizer: 'optimizer states',
  activations: 'activations',
  logits: 'logits and loss',
  'kv cache': 'kv cache',
  inputs: 'inputs and buffers',
  'batch data': 'inputs and buffers',
  overhead: 'cuda context',
  context: 'cuda context',
};

function componentOf([name, value]: readonly [string, Plain]): Component {
  const term = TERMS[name.toLowerCase().replaceAll('_', ' ')];
  if (term === undefined) {
    throw new Refusal(`components.${name}: one of ${Object.keys(TERMS).join(', ')} is expected`);
  }
  return { term, bytes: bytesOf(value, `components.${name}`) };
}

function amount(value: Plain | undefined, where: string, least: number): number {
  const number = typeof value === 'string' ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number) && number >= least) return number;
  throw new Refusal(`${where}: a number from ${least} is expected`);
}

const MEMORY = /^(\d+(?:\.\d+)?)\s*([kmg])(?:i?b)?$/i;
const UNITS: Readonly<Record<string, number>> = { k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 };

/** Memory is binary, as in a GPU's advertised size: `17.5 GB` are 17.5 × 2³⁰ bytes; a bare number is bytes. */
function bytesOf(value: Plain | undefined, where: string): number {
  const [, number, unit] = MEMORY.exec(typeof value === 'string' ? value.trim() : '') ?? [];
  if (number !== undefined && unit !== undefined) {
    return Number(number) * (ownOf(UNITS, unit.toLowerCase()) ?? 1);
  }
  return amount(value, where, 0);
}
