import { ARGV, ARGV_TEXT } from '../../yaml/node';
import type { MapNode } from '../../yaml/node';
import type { Quantity } from '../../spec/quantity';
import type { LoraSettings, Quantization, QuantityName, QuantityValues } from '../../spec/values';
import type { Dialect, Pack, Row, Rule } from '../dialect';
import type { Composer, Program, Server } from '../engine/compose';
import { withBases } from '../engine/bases';
import { hydraTree } from '../engine/hydra/composer';
import type { RunReader } from '../engine/runReader';
import { stageComposer } from '../engine/stages';
import { ownModelByRole } from '../generic/ownModel';
import { networkByRole } from '../generic/ownNetwork';
import { ownUnetByRole } from '../generic/ownUnet';
import type { OwnModel } from '../../models/ownModel';
import { samplesByName } from '../generic/multipliers';
import { namedKeys } from '../generic/namedKeys';
import { rowsByRole } from '../generic/roles';
import type { LogLine } from '../../data/forms/line';
import { datasetsBy, templateBy } from '../shared/datasets';
import type { DatasetKeys } from '../shared/datasets';
import { valueText } from '../shared/words';
import { patternFrom } from '../../spec/filePattern';
import { ownOf } from '../../yaml/tables';
import { helpWith, signatureWith } from '../engine/packs';
import { kindOf } from './answers';
import { sensible } from './canBe';
import { emptyRow } from './definition';
import type {
  DefinedDatasets,
  DefinedProgram,
  DefinedRow,
  DefinedServer,
  DialectDefinition,
  DialectFile,
} from './definition';
import { keysIn, wordsIn } from './keysIn';
import { lazily } from './lazily';
import { holds } from './conditions';
import { Names } from './names';
import { ownModelBy } from './ownModels';
import { packs } from './packs';
import { quantityOf, ruleOf } from './quantityRows';
import { detailRows, quantityRows } from './rows';
import { settled } from './settings';
import { sharedLogs } from './sharedLogs';
import { sharedTables } from './sharedRules';
import { writersOf } from './writers';

const compiled = new WeakMap<DialectDefinition, Dialect>();

/** The dialect of a definition. Deterministic. */
export function dialectFrom(definition: DialectDefinition): Dialect {
  const known = compiled.get(definition);
  if (known) return known;
  const dialect = compile(definition);
  compiled.set(definition, dialect);
  return dialect;
}

/** Code of a dialect, in addition to its file. */
interface DialectHooks extends Pick<
  Dialect,
  | 'details'
  | 'detailKeys'
  | 'writers'
  | 'references'
  | 'ownModel'
  | 'network'
  | 'datasets'
  | 'compose'
  | 'logs'
  | 'help'
  | 'launch'
  | 'classKeys'
> {
  /** Whole rules, or what a row of the file leaves out: how to read it, its default, how to write it. */
  readonly quantities?: {
    readonly [Name in QuantityName]?:
      | Row<QuantityValues[Name]>
      | Rule<QuantityValues[Name]>
      | Partial<Pick<Row<QuantityValues[Name]>, 'read' | 'absent' | 'write'>>;
  };
  readonly accepts?: NonNullable<Dialect['signature']['accepts']>;
}

/** A built-in dialect: its file and its code. */
export function builtIn(file: DialectFile, hooks: DialectHooks = {}): Dialect {
  const { signature: own, program, sections } = file;
  const accepts = hooks.accepts ?? (program?.argv ? isArgv : undefined);
  const extended = packs.filter(pack => pack.extends.includes(file.id));
  const signature = extended.length > 0 ? signatureWith(own, extended) : own;
  const head = {
    ...namedIn(file),
    signature: accepts ? { ...signature, accepts } : signature,
    ...(sections.length > 0 && { roots: sections }),
    ...(program && { program: programOf(program) }),
    ...(file.calls.length > 0 && { calls: file.calls }),
    ...(extended.length > 0 && { packs: extended }),
  };
  return lazily<Dialect, typeof head>(head, LATER, () => rulesOf(expanded(file), hooks, extended));
}

/** Parts that are only needed for configs of the dialect. */
const RULES = [
  'quantities',
  'byRole',
  'named',
  'details',
  'detailKeys',
  'writers',
  'engines',
  'evidence',
  'references',
] as const;
const WORDS = ['logs', 'launch', 'help', 'keys', 'words', 'keysOf', 'classKeys'] as const;
const LATER = [...RULES, ...WORDS, 'compose', 'datasets', 'ownModel', 'network'] as const;

function rulesOf(definition: DialectDefinition, hooks: DialectHooks, extended: readonly Pack[]) {
  const { engines, releases, references, logs, launch, help } = definition;
  const { quantities, details, writers: written, ...others } = hooks;
  return {
    ...described(definition),
    ...(definition.role === 'run' && definition.byRole !== true && { named: namedKeys }),
    ...(definition.byRole && {
      byRole: (run: RunReader) => byRole(run, definition.byRole === 'unread'),
    }),
    quantities: completed(quantitiesOf(definition), { ...tablesOf(definition), ...quantities }),
    ...filled({
      writers: { ...writersOf(definition), ...written },
      details: { ...detailsOf(definition), ...details },
      evidence: releases,
      engines: engines.map(({ id, when }) => ({ id, runs: (run: RunReader) => holds(when, new Names(run)) })),
      references,
      logs: logs.flatMap(linesOf),
      detailKeys: detailKeysOf(definition),
      launch,
      help: helpWith(help, extended),
    }),
    ...others,
  };
}

/** What the names of keys tell: of all, or of those that the format does not have. */
function byRole(run: RunReader, isOfUnread: boolean): Quantities {
  const rows = rowsByRole(isOfUnread ? { leaves: () => run.unreadLeaves() } : run);
  return quantitiesOf({ rows, file: '', unstated: 'none' });
}

/** Its keys are those of each project. */
const isOpen = ({ byRole, file }: DialectDefinition): boolean => byRole === true || file === '';

/** True for a mapping whose keys are flags of a command. */
export const isArgv = ({ tag }: MapNode): boolean => tag === ARGV || tag === ARGV_TEXT;

/** Rows of the file, completed by the hooks. */
function completed(rows: Quantities, hooks: DialectHooks['quantities'] = {}): Quantities {
  const all = { ...rows };
  for (const [name, hook] of Object.entries(hooks)) {
    const row = rows[name];
    const completes = typeof hook === 'object' && !('keys' in hook) && typeof row === 'object';
    // A hook with keys comes from a shared table: the file's row wins.
    if (completes) all[name] = { ...row, ...hook } as Row<unknown>;
    else all[name] ??= hook as Row<unknown> | Rule<unknown>;
  }
  return all;
}

/** The non-empty fields. */
function filled<T extends object>(fields: T): { readonly [Name in keyof T]?: NonNullable<T[Name]> } {
  const entries = Object.entries(fields).filter(
    ([, value]) => value !== null && Object.keys(value as object).length > 0,
  );
  return Object.fromEntries(entries) as { readonly [Name in keyof T]?: NonNullable<T[Name]> };
}

/** Rows with all fields; omitted ones are empty. */
const expanded = ({ rows, ...rest }: DialectFile): DialectDefinition => ({
  ...rest,
  pack: null,
  rows: Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, { ...emptyRow, ...row }])),
});

/** Only built-in dialects have servers, so that their patterns are our own. */
function serverOf(server: DefinedServer): Server {
  const { start, image, not, holds, variables = [], environment, commands, ...rest } = server;
  const [, excluded = '', flags] = /^\/(.*)\/(\w*)$/s.exec(not ?? '') ?? [];
  const named = variables.map(flag => [flag.toUpperCase().replaceAll('-', '_'), flag] as const);
  return {
    ...rest,
    start: new RegExp(start),
    image: new RegExp(image),
    ...(holds && { holds: { words: new RegExp(holds.words), image: new RegExp(holds.image) } }),
    ...(not !== undefined && { not: new RegExp(excluded, flags) }),
    environment: { ...Object.fromEntries(named), ...environment },
    ...(commands && { commands: commands.map(withWords) }),
  };
}

const withWords = <T extends { readonly words: string }>(one: T) => ({
  ...one,
  words: patternFrom(one.words),
});

const programOf = ({ words, scripts, hints, pairs, server, commands, ...rest }: DefinedProgram): Program => ({
  ...rest,
  ...(pairs !== undefined && { pairs: patternFrom(pairs) }),
  ...(commands && { commands: commands.map(withWords) }),
  ...(server && { server: serverOf(server) }),
  ...(words !== undefined && { words: patternFrom(words) }),
  ...(scripts !== undefined && { scripts: patternFrom(scripts) }),
  ...(hints !== undefined && { hints: patternFrom(hints) }),
});

/** Keys of details, with the program's words if it has its own. */
const detailKeysOf = ({ detailKeys }: DialectDefinition): NonNullable<Dialect['detailKeys']> =>
  Object.fromEntries(
    Object.entries(detailKeys).map(([name, { write, ...keys }]) => [
      name,
      {
        ...keys,
        ...(write && { write: (to: unknown) => ownOf(write, String(to)) ?? ownOf(write, '*') ?? null }),
      },
    ]),
  );

function linesOf(line: LogLine | string): readonly LogLine[] {
  if (typeof line !== 'string') return [line];
  // The file's check reports unknown names of log lines.
  return ownOf(sharedLogs, line) ?? [];
}

const namedIn = ({ id, title, role, framework, loader }: DialectFile) => ({
  id,
  title,
  role,
  framework: framework ?? { id: null, name: id, version: '' },
  loader,
});

/** The model that a config describes by its sizes. */
const describedByRole = (run: RunReader): OwnModel | null => ownModelByRole(run) ?? ownUnetByRole(run);

function described(definition: DialectDefinition) {
  const { stages, datasets, compose, classKeys, keysOf, ownModel } = definition;
  return {
    ...(ownModel.length > 0 && { ownModel: ownModelBy(ownModel) }),
    ...(ownModel.length === 0 && isOpen(definition) && { ownModel: describedByRole, network: networkByRole }),
    ...(stages && { compose: stageComposer(stages) }),
    ...(compose && { compose: composerOf(compose) }),
    ...(datasets.length > 0 && { datasets: datasetsBy(...datasets.map(datasetsOf)) }),
    ...(classKeys.length > 0 && { classKeys }),
    keys: () => keysIn(definition),
    words: (key: string) => wordsIn(definition, key),
    ...(keysOf.length > 0 && { keysOf }),
  };
}

/** How the files of a config are found, as its dialect's file has it. */
export const composerOf = (compose: NonNullable<DialectDefinition['compose']>): Composer =>
  compose === 'hydra'
    ? hydraTree
    : withBases({ keys: compose.keys, ...(compose.ignores && { ignores: patternFrom(compose.ignores) }) });

/** The template that a key names, or that the program always uses. */
function datasetsOf({ templates, ownTemplate, ...keys }: DefinedDatasets): DatasetKeys {
  if (templates) return { ...keys, ownTemplate: templateBy(...templates) };
  return ownTemplate === undefined ? keys : { ...keys, ownTemplate: () => ownTemplate };
}

/** Rows from shared tables; the file's own rows win. */
const tablesOf = ({ like }: DialectDefinition): DialectHooks['quantities'] =>
  Object.assign({}, ...Object.entries(like).map(([name, at]) => ownOf(sharedTables, name)?.(at))) as object;

function compile(definition: DialectDefinition): Dialect {
  const { signature, sections, help, launch, logs, references } = definition;
  return {
    ...namedIn(definition),
    ...described(definition),
    signature,
    roots: sections,
    quantities: quantitiesOf(definition),
    details: detailsOf(definition),
    ...filled({ writers: writersOf(definition) }),
    help,
    ...(launch.length > 0 && { launch }),
    ...(references.length > 0 && { references }),
    ...(logs.length > 0 && { logs: logs.flatMap(linesOf) }),
  };
}

type Quantities = Record<string, Row<unknown> | Rule<unknown>>;

function quantitiesOf({
  rows,
  file,
  unstated,
}: Pick<DialectDefinition, 'rows' | 'file' | 'unstated'>): Quantities {
  const isOwn = unstated === 'none';
  const quantities: Quantities = file === '' || !isOwn ? {} : { ...DEFAULTS_WITHOUT_ROW };
  for (const [name, row] of Object.entries(rows)) {
    const isPart = name.includes('.');
    if (Object.hasOwn(quantityRows, name) && !isPart) {
      quantities[name] = quantityOf(name, sensible(name, row), kindOf(row, name), isOwn);
    }
  }
  const precise = rows['precision']?.keys ?? [];
  if (precise.length > 0 && isOwn) quantities['precisionRaw'] ??= run => rawPrecision(run, precise);
  if (rows['lora.r']) quantities['lora'] = run => lora(run, rows);
  const bits = rows['quantization.bits'];
  if (bits) quantities['quantization'] = run => quantization(run, bits);
  return quantities;
}

function detailsOf(definition: DialectDefinition): NonNullable<Dialect['details']> {
  const { rows } = definition;
  const details = Object.entries(rows).filter(([name]) => Object.hasOwn(detailRows, name));
  const told = Object.fromEntries(details.map(([name, row]) => [name, ruleOf(name, sensible(name, row))]));
  return isOpen(definition) ? { sequencesPerSample: samplesByName, ...told } : told;
}

const NO_ROW = 'no row for it in the dialect’s file';

/** Defaults for features without a row in the dialect file: the author of such a file knows the program. */
const DEFAULTS_WITHOUT_ROW: Readonly<Record<string, Rule<unknown>>> = {
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

/** The raw value of the key that states the precision. */
function rawPrecision(run: RunReader, keys: readonly string[]): Quantity<unknown> {
  const key = keys.find(one => run.has(one));
  if (key === undefined) return run.none('no key states it');
  return run.at(key, `${key.slice(key.lastIndexOf('.') + 1)}: ${valueText(run.value(key))}`);
}

/** The adapter settings from their rows; none with another method. */
function lora(run: RunReader, rows: DialectDefinition['rows']): Quantity<LoraSettings> {
  const method = run.get('method').value;
  if (method !== null && method !== 'lora' && method !== 'qlora') return run.none(`the method is ${method}`);
  const answer = (name: string): Quantity<unknown> | null => {
    const row = rows[name];
    return row ? ruleOf(name, row)(run) : null;
  };
  const part = (name: string, open: string | null = null): unknown =>
    run.unlessOpen(() => answer(name)?.value ?? null, open);
  const r = answer('lora.r') ?? run.unknown('No key says the rank.');
  if (r.value === null) return run.unknown('The rank of the adapters is not known.');
  const [alpha, dropout] = [part('lora.alpha'), part('lora.dropout')];
  const targets = part('lora.targets', 'unknown');
  return { ...r, value: settled('lora', { r: r.value, alpha, dropout, targets }) as LoraSettings };
}

function quantization(run: RunReader, row: DefinedRow): Quantity<Quantization> {
  const bits = ruleOf('quantization.bits', row)(run);
  if (bits.value === null) return { ...bits, value: null };
  const type = bits.value === 4 ? 'nf4' : null;
  const value = settled('quantization', { bits: bits.value, type }) as Quantization;
  return { ...bits, value };
}
