import type { Quantity, Unit } from '../../spec/quantity';
import type { DetailName, LoraSettings, Quantization, QuantityName, QuantityValues } from '../../spec/values';
import type { ScalarValue } from '../../yaml/node';
import type { Dialect, Program, Row, Rule } from '../dialect';
import { arithmetic } from '../engine/arithmetic';
import { oneOf } from '../engine/readers';
import type { ValueReader } from '../engine/readers';
import type { RunReader } from '../engine/runReader';
import type { Plain } from '../../yaml/scalars';
import { stagesBeside } from '../engine/stages';
import type { LogLine } from '../../data/forms/line';
import { emptyRow } from './definition';
import type { DefinedProgram, DefinedRow, DialectDefinition, DialectFile, Told } from './definition';
import { sharedLogs } from './sharedLogs';
import { detailRows, quantityRows, rowNamed } from './rows';
import type { RowKind } from './rows';
import { written } from '../shared/words';
import { readers } from './words';

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
  const { quantities, details, accepts, ...others } = hooks;
  return {
    ...described(definition),
    signature: accepts ? { ...signature, accepts } : signature,
    quantities: completed(quantitiesOf(definition), quantities),
    ...filled({
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

function described({ id, title, role, framework, loader, sections, stages }: DialectDefinition) {
  return {
    id,
    title,
    role,
    framework: framework ?? { name: id, version: '' },
    loader,
    ...(sections.length > 0 && { roots: sections }),
    ...(stages && { compose: stagesBeside(stages) }),
  };
}

function compile(definition: DialectDefinition): Dialect {
  const { signature, sections, help, launch, logs } = definition;
  return {
    ...described(definition),
    signature,
    roots: sections,
    quantities: quantitiesOf(definition),
    details: detailsOf(definition),
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
  return Object.fromEntries(
    details.map(([name, row]) => [name, (run: RunReader) => ruled(run, name, row, kindOf(row, name))]),
  );
}

const kindOf = ({ read }: DefinedRow, name: string): RowKind => read ?? rowNamed(name)?.kind ?? 'word';

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
  return run.at(key, `${key.slice(key.lastIndexOf('.') + 1)}: ${written(run.value(key))}`);
}

/** A row that a key states can be written; one that is reckoned or always so cannot. */
function quantityOf(
  name: string,
  row: DefinedRow,
  kind: RowKind,
  isOwn: boolean,
): Row<unknown> | Rule<unknown> {
  if (row.keys.length === 0 || row.always || row.formula !== null) return run => ruled(run, name, row, kind);
  return {
    keys: row.keys,
    read: doubted(row, readerOf(row, kind)),
    ...(row.scope && { scope: row.scope }),
    ...(row.unit && { unit: row.unit }),
    ...(row.note !== null && { note: row.note }),
    ...(row.near.length > 0 && { near: row.near }),
    ...absentOf(name, row),
    ...(isOwn && writerOf(row, kind)),
  };
}

function absentOf(name: string, row: DefinedRow): Pick<Row<unknown>, 'absent'> {
  if (row.of !== null || row.assumed || row.unknown !== null) {
    return { absent: run => otherwise(run, name, row) };
  }
  if (row.defaults.length > 0) return { absent: row.defaults };
  return row.default ? { absent: row.default } : {};
}

function doubted(row: DefinedRow, read: ValueReader<unknown>): ValueReader<unknown> {
  const { doubt } = row;
  if (doubt === null) return read;
  return value => (read(value) === null ? null : { left: doubt });
}

/** Words of the file by the row's map; without one as a program would take them. */
function readerOf({ map, oneOf: meanings }: DefinedRow, kind: RowKind): ValueReader<unknown> {
  if (meanings) return oneOf<unknown>(meanings);
  const plain = readers[kind];
  if (map.length === 0) return plain;
  return value => {
    const found = meaningIn(map, value);
    if (found === undefined) return { unfit: `is none of ${map.map(([words]) => words).join(', ')}` };
    return found === null ? null : { ok: kind === 'words' ? [String(found)] : found };
  };
}

/** Undefined: no words of the map fit. */
function meaningIn(map: DefinedRow['map'], value: Plain): ScalarValue | undefined {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return map.find(([words]) => patternOf(words)?.test(text) ?? words === text)?.[1];
}

/** `/^cuda:\d+$/`; null for plain words. */
export function patternOf(words: string): RegExp | null {
  const source = /^\/(.+)\/$/.exec(words)?.[1];
  if (source === undefined) return null;
  try {
    return new RegExp(source);
  } catch {
    return null;
  }
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

function writerOf({ map }: DefinedRow, kind: RowKind): Pick<Row<unknown>, 'write'> {
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

/** What a row says: always, by a key, by arithmetic on it, or without one. */
function ruled(run: RunReader, name: string, row: DefinedRow, kind: RowKind): Quantity<unknown> {
  if (row.always) return inUnit(run, run.byCode(meant(row.always), row.always.source), row.unit);
  const read = readerOf(row, kind);
  for (const key of row.keys) {
    const value = run.read(key, read);
    if (value === null) continue;
    if (row.doubt !== null) return run.unknown(`${key} ${row.doubt}.`);
    return inUnit(run, stated(run, row, key, value), row.unit);
  }
  return otherwise(run, name, row);
}

function stated(
  run: RunReader,
  { formula, note }: DefinedRow,
  key: string,
  value: unknown,
): Quantity<unknown> {
  if (formula === null) return run.at(key, value, note ?? undefined);
  const reckoned = arithmetic(formula.replaceAll(/\bx\b/g, String(value)));
  if (reckoned === null) return run.unknown(`${formula} does not come to a number with ${key} for x.`);
  return run.derived(reckoned, [key], `${formula} with ${key} for x`);
}

function otherwise(run: RunReader, name: string, row: DefinedRow): Quantity<unknown> {
  if (row.of !== null) return following(run, row, row.of);
  if (row.default) return run.byDefault(meant(row.default), row.default.source);
  if (row.unknown !== null) return run.unknown(row.unknown);
  if (row.assumed) return run.derived(meant(row.assumed), [], `assumed: ${row.assumed.source}`);
  const [key] = row.keys;
  return run.unknown(key === undefined ? `${name} has no key.` : `${key} is not set.`);
}

/** What follows from another row: by the map, or the same. */
function following(run: RunReader, row: DefinedRow, of: string): Quantity<unknown> {
  const other: Quantity<unknown> =
    of in detailRows ? run.detail(of as DetailName) : run.get(of as QuantityName);
  if (other.value === null) return run.unknown(`${of} is not known.`);
  const value = other.value as Plain;
  const found = row.map.length === 0 ? value : meaningIn(row.map, value);
  if (found !== undefined) return run.derived(found, [of], `follows from ${of}`);
  const { default: last } = row;
  return last
    ? run.byDefault(meant(last), last.source)
    : run.unknown(`Nothing is said for ${of} ${written(value)}.`);
}

const meant = ({ value }: Told): unknown => value;

const inUnit = (run: RunReader, quantity: Quantity<unknown>, unit: Unit | null): Quantity<unknown> =>
  unit === null ? quantity : run.inUnit(unit, quantity);

/** The adapters, from their rows; none where the method is another. */
function lora(run: RunReader, rows: DialectDefinition['rows']): Quantity<LoraSettings> {
  const method = run.get('method').value;
  if (method !== null && method !== 'lora' && method !== 'qlora') return run.none(`the method is ${method}`);
  const part = (name: string): unknown => {
    const row = rows[name];
    return row ? ruled(run, name, row, rowNamed(name)?.kind ?? 'word').value : null;
  };
  const rank = rows['lora.r'];
  const r = rank ? ruled(run, 'lora.r', rank, 'count') : run.unknown('No key says the rank.');
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
  const bits = ruled(run, 'quantization.bits', row, 'bits');
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
