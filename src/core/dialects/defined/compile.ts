import type { Quantity } from '../../spec/quantity';
import type { LoraSettings, Quantization, QuantityName, QuantityValues } from '../../spec/values';
import type { ScalarValue } from '../../yaml/node';
import type { Dialect, Program, Row, Rule } from '../dialect';
import { withBases } from '../engine/bases';
import type { Composer } from '../engine/compose';
import { hydraTree } from '../engine/hydra/composer';
import type { ValueReader } from '../engine/readers';
import type { RunReader } from '../engine/runReader';
import { stagesBeside } from '../engine/stages';
import type { LogLine } from '../../data/forms/line';
import { datasetsBy, templateBy } from '../shared/datasets';
import type { DatasetKeys } from '../shared/datasets';
import { valueText } from '../shared/words';
import { answersOf, kindOf, readerOf } from './answers';
import { emptyRow } from './definition';
import type {
  DefinedDatasets,
  DefinedProgram,
  DefinedRow,
  DialectDefinition,
  DialectFile,
  Spec,
} from './definition';
import { Names } from './names';
import { patternOf } from './patterns';
import { detailRows, quantityRows } from './rows';
import type { RowKind } from './rows';
import { sharedLogs } from './sharedLogs';
import { sharedTables } from './sharedRules';
import { kindWriters } from './words';
import { writersOf } from './writers';

const compiled = new WeakMap<DialectDefinition, Dialect>();

/** The dialect that a definition describes. The same definition gives the same dialect. */
export function dialectFrom(definition: DialectDefinition): Dialect {
  const known = compiled.get(definition);
  if (known) return known;
  const dialect = compile(definition);
  compiled.set(definition, dialect);
  return dialect;
}

/** What a dialect computes, beside what its file says. */
interface DialectHooks extends Pick<
  Dialect,
  | 'details'
  | 'detailKeys'
  | 'writers'
  | 'references'
  | 'ownModel'
  | 'datasets'
  | 'compose'
  | 'logs'
  | 'help'
  | 'program'
  | 'launch'
  | 'classKeys'
> {
  /** Whole rules, or what a row of the file leaves open: how it is read, what holds without a key, how it is written. */
  readonly quantities?: {
    readonly [Name in QuantityName]?:
      | Row<QuantityValues[Name]>
      | Rule<QuantityValues[Name]>
      | Partial<Pick<Row<QuantityValues[Name]>, 'read' | 'absent' | 'write'>>;
  };
  readonly accepts?: NonNullable<Dialect['signature']['accepts']>;
}

/** A dialect that comes with Headroom: its file, and what is computed. */
export function builtIn(file: DialectFile, hooks: DialectHooks = {}): Dialect {
  const definition = expanded(file);
  const { signature, releases, references, program, logs, detailKeys, launch, help } = definition;
  const { quantities, details, accepts, writers: written, ...others } = hooks;
  return {
    ...described(definition),
    signature: accepts ? { ...signature, accepts } : signature,
    quantities: completed(quantitiesOf(definition), { ...tablesOf(definition), ...quantities }),
    ...filled({
      writers: { ...writersOf(definition), ...written },
      details: { ...detailsOf(definition), ...details },
      evidence: releases,
      references,
      program: program && programOf(program),
      logs: logs.flatMap(linesOf),
      detailKeys,
      launch,
      help,
    }),
    ...others,
  };
}

/** Rows of the file with what the hooks add to them. */
function completed(rows: Quantities, hooks: DialectHooks['quantities'] = {}): Quantities {
  const all = { ...rows };
  for (const [name, hook] of Object.entries(hooks)) {
    const row = rows[name];
    const completes = typeof hook === 'object' && !('keys' in hook) && typeof row === 'object';
    // A hook with keys of its own comes from a table that several dialects share: what the file states wins.
    if (completes) all[name] = { ...row, ...hook } as Row<unknown>;
    else all[name] ??= hook as Row<unknown> | Rule<unknown>;
  }
  return all;
}

/** The fields that say something. */
function filled<T extends object>(fields: T): { readonly [Name in keyof T]?: NonNullable<T[Name]> } {
  const said = Object.entries(fields).filter(
    ([, value]) => value !== null && Object.keys(value as object).length > 0,
  );
  return Object.fromEntries(said) as { readonly [Name in keyof T]?: NonNullable<T[Name]> };
}

/** Rows as their file has them: what a row leaves out is empty. */
const expanded = ({ rows, ...rest }: DialectFile): DialectDefinition => ({
  ...rest,
  rows: Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, { ...emptyRow, ...row }])),
});

const programOf = ({ words, ...rest }: DefinedProgram): Program => ({
  ...rest,
  ...(words !== undefined && { words: new RegExp(words) }),
});

function linesOf(line: LogLine | string): readonly LogLine[] {
  if (typeof line !== 'string') return [line];
  const shared = sharedLogs[line];
  if (!shared) throw new TypeError(`There are no shared log lines ${line}.`);
  return shared;
}

function described(definition: DialectDefinition) {
  const { id, title, role, framework, loader, sections, stages, datasets, compose, classKeys } = definition;
  return {
    id,
    title,
    role,
    framework: framework ?? { id: null, name: id, version: '' },
    loader,
    ...(sections.length > 0 && { roots: sections }),
    ...(stages && { compose: stagesBeside(stages) }),
    ...(compose && { compose: composerOf(compose) }),
    ...(datasets.length > 0 && { datasets: datasetsBy(...datasets.map(datasetsOf)) }),
    ...(classKeys.length > 0 && { classKeys }),
  };
}

const composerOf = (compose: NonNullable<DialectDefinition['compose']>): Composer =>
  compose === 'hydra'
    ? hydraTree
    : withBases({ keys: compose.keys, ...(compose.ignores && { ignores: new RegExp(compose.ignores) }) });

/** A template that a key names, or the program always has. */
function datasetsOf({ templates, ownTemplate, ...keys }: DefinedDatasets): DatasetKeys {
  if (templates) return { ...keys, ownTemplate: templateBy(...templates) };
  return ownTemplate === undefined ? keys : { ...keys, ownTemplate: () => ownTemplate };
}

/** Rows that several dialects share; what the file states itself wins. */
const tablesOf = ({ like }: DialectDefinition): DialectHooks['quantities'] =>
  Object.assign({}, ...Object.entries(like).map(([name, at]) => sharedTables[name]?.(at))) as object;

function compile(definition: DialectDefinition): Dialect {
  const { signature, sections, help, launch, logs } = definition;
  return {
    ...described(definition),
    signature,
    roots: sections,
    quantities: quantitiesOf(definition),
    details: detailsOf(definition),
    ...filled({ writers: writersOf(definition) }),
    help,
    ...(launch.length > 0 && { launch }),
    ...(logs.length > 0 && { logs: logs.flatMap(linesOf) }),
  };
}

type Quantities = Record<string, Row<unknown> | Rule<unknown>>;

function quantitiesOf({ rows, file, unstated }: DialectDefinition): Quantities {
  const isOwn = unstated === 'none';
  const quantities: Quantities = file === '' || !isOwn ? {} : { ...UNSAID };
  for (const [name, row] of Object.entries(rows)) {
    const isPart = name.includes('.');
    if (name in quantityRows && !isPart) quantities[name] = quantityOf(name, row, kindOf(row, name), isOwn);
  }
  const precise = rows['precision']?.keys ?? [];
  if (precise.length > 0 && isOwn) quantities['precisionRaw'] ??= run => rawPrecision(run, precise);
  if (rows['lora.r']) quantities['lora'] = run => lora(run, rows);
  const bits = rows['quantization.bits'];
  if (bits) quantities['quantization'] = run => quantization(run, bits);
  return quantities;
}

function detailsOf({ rows }: DialectDefinition): NonNullable<Dialect['details']> {
  const details = Object.entries(rows).filter(([name]) => name in detailRows);
  return Object.fromEntries(details.map(([name, row]) => [name, ruleOf(name, row)]));
}

const NO_ROW = 'no row for it in the dialect’s file';

/** What a program does not do that its dialect’s file has no row for: a person who writes one knows the program. */
const UNSAID: Readonly<Record<string, Rule<unknown>>> = {
  gradAccum: run => run.byDefault(1, NO_ROW),
  gradientCheckpointing: run => run.byDefault(false, NO_ROW),
  quantization: run => run.none(NO_ROW),
  zeroStage: run => run.none(NO_ROW),
  fsdp: run => run.none(NO_ROW),
  offload: run => run.none(NO_ROW),
  parallel: run => run.none(NO_ROW),
  loadDtype: run => {
    const precision = run.get('precision').value;
    if (precision === null) return run.unknown('The precision is not known.');
    const held = precision === 'bf16' || precision === 'fp16' ? precision : 'fp32';
    return run.derived(held, ['precision'], `${precision} keeps the weights in ${held}`);
  },
};

/** The words of the key that states the precision. */
function rawPrecision(run: RunReader, keys: readonly string[]): Quantity<unknown> {
  const key = keys.find(one => run.has(one));
  if (key === undefined) return run.none('no key states it');
  return run.at(key, `${key.slice(key.lastIndexOf('.') + 1)}: ${valueText(run.value(key))}`);
}

/** A row that a key states can be written; one that is reckoned, always so or asked of a case cannot. */
function quantityOf(
  name: string,
  row: DefinedRow,
  kind: RowKind,
  isOwn: boolean,
): Row<unknown> | Rule<unknown> {
  if (!isPlain(row)) return ruleOf(name, row);
  return {
    keys: row.keys,
    read: doubted(row, readerOf(row, kind)),
    ...(row.scope && { scope: row.scope }),
    ...(row.unit && { unit: row.unit }),
    ...(row.note !== null && { note: row.note }),
    ...(row.near.length > 0 && { near: row.near }),
    ...absentOf(name, row),
    ...writerOf(row, kind, isOwn),
  };
}

/** Keys say it, and nothing else has to hold. */
const isPlain = ({ keys, always, formula, value, derived, when, rule }: DefinedRow): boolean =>
  keys.length > 0 && ![always, formula, value, derived, when, rule].some(said => said !== null);

/** What rows say of a run; their rest is made ready when it is first asked for. */
function ruleOf(name: string, row: DefinedRow): Rule<unknown> {
  const [key] = row.keys;
  const answer = once(() => answersOf(name, row));
  return run => {
    const found = answer()(new Names(run));
    return found ?? run.unknown(key === undefined ? `${name} has no key.` : `${key} is not set.`);
  };
}

/** Made ready when it is first asked for: a hundred dialects have rows that no file asks. */
function once<T>(make: () => T): () => T {
  let made: { readonly it: T } | null = null;
  return () => (made ??= { it: make() }).it;
}

function absentOf(name: string, row: DefinedRow): Pick<Row<unknown>, 'absent'> {
  const [next, ...others] = row.orElse;
  if (next) {
    const answer = once(() => answersOf(name, { ...next, orElse: others }, next.read ?? undefined));
    return { absent: run => answer()(new Names(run)) };
  }
  const isFilledIn = isSettings(row.default?.value ?? null);
  if (row.of !== null || row.assumed || row.unknown !== null || row.part !== null || isFilledIn) {
    const answer = once(() => answersOf(name, { ...row, keys: [] }));
    return { absent: run => answer()(new Names(run)) };
  }
  if (row.defaults.length > 0) return { absent: row.defaults };
  return row.default ? { absent: row.default } : {};
}

const isSettings = (value: Spec): boolean =>
  typeof value === 'object' && value !== null && ('fields' in value || 'row' in value);

function doubted(row: DefinedRow, read: ValueReader<unknown>): ValueReader<unknown> {
  const { doubt } = row;
  if (doubt === null) return read;
  return value => (read(value) === null ? null : { left: doubt });
}

/** Kinds whose values a file writes as they are meant. */
const WRITTEN_AS_MEANT: ReadonlySet<RowKind> = new Set([
  'word',
  'flag',
  'count',
  'countOrNone',
  'number',
  'stage',
]);

function writerOf({ map, write }: DefinedRow, kind: RowKind, isOwn: boolean): Pick<Row<unknown>, 'write'> {
  if (write) {
    return { write: meant => (Object.hasOwn(write, String(meant)) ? (write[String(meant)] ?? null) : null) };
  }
  const kindWriter = kindWriters[kind];
  if (kindWriter) return { write: kindWriter };
  if (!isOwn) return {};
  if (map.length === 0) return WRITTEN_AS_MEANT.has(kind) ? {} : { write: () => null };
  return {
    write: meant => {
      const words = map.find(([said, meaning]) => meaning === meant && patternOf(said) === null)?.[0];
      return words === undefined ? null : asScalar(words);
    },
  };
}

/** Words of a map are text; what looks like a flag or a number is written as one. */
function asScalar(words: string): ScalarValue {
  if (words === 'true') return true;
  if (words === 'false') return false;
  return /^-?\d+(?:\.\d+)?$/.test(words) ? Number(words) : words;
}

/** The adapters, from their rows; none where the method is another. */
function lora(run: RunReader, rows: DialectDefinition['rows']): Quantity<LoraSettings> {
  const method = run.get('method').value;
  if (method !== null && method !== 'lora' && method !== 'qlora') return run.none(`the method is ${method}`);
  const answer = (name: string): Quantity<unknown> | null => {
    const row = rows[name];
    return row ? ruleOf(name, row)(run) : null;
  };
  const part = (name: string): unknown => answer(name)?.value ?? null;
  const r = answer('lora.r') ?? run.unknown('No key says the rank.');
  const targets = part('lora.targets') as readonly string[] | null;
  const settings: LoraSettings = {
    r: r.value as number | null,
    alpha: part('lora.alpha') as number | null,
    dropout: part('lora.dropout') as number | null,
    targets: targets?.length === 1 && targets[0] === 'all-linear' ? 'all-linear' : targets,
    modulesToSave: [],
    rslora: false,
    dora: false,
  };
  return r.value === null ? run.unknown('The rank of the adapters is not known.') : { ...r, value: settings };
}

function quantization(run: RunReader, row: DefinedRow): Quantity<Quantization> {
  const bits = ruleOf('quantization.bits', row)(run);
  if (bits.value === null) return { ...bits, value: null };
  const value: Quantization = {
    bits: bits.value as 4 | 8,
    method: 'bnb',
    type: bits.value === 4 ? 'nf4' : null,
    doubleQuant: null,
    computeDtype: null,
    storageDtype: null,
  };
  return { ...bits, value };
}
