import { bar, line } from '../../data/forms/line';
import type { LogLine } from '../../data/forms/line';
import { frameworkIdOf } from '../../spec/frameworkId';
import type { ScalarValue } from '../../yaml/node';
import type { Plain } from '../../yaml/scalars';
import type { DefinedRow, Spec } from './definition';
import { shapeNamed } from './format';
import type { LeafKind, Shape } from './format';
import {
  isTable,
  listOf,
  mapped,
  numberOf,
  pathsOf,
  scalarOf,
  severalOf,
  tableOf,
  textOf,
  textsOf,
} from './plain';

type Fields = Readonly<Record<string, unknown>>;

/**
 * A part of a dialect file, read by its shape: fields without content are left out, and what does not fit counts as
 * no content. `source` is the source of facts that state none.
 */
export function readAs(shape: Shape, plain: Plain | undefined, source: string): unknown {
  const part = (of: Shape) => (one: Plain) => readAs(of, one, source);
  if (shape.kind === 'list') return listOf(plain).map(part(shape.of)).filter(isContent);
  if (shape.kind === 'several') return severalOf(plain).map(part(shape.of)).filter(isContent);
  if (shape.kind === 'table') return mapped(plain, part(shape.of));
  if (shape.kind === 'later') return readAs(shapeNamed(shape.takes), plain, source);
  if (shape.kind !== 'object') return LEAVES[shape.kind](plain, source);
  const fields = fieldsOf(shape, plain, source);
  const made = MADE[shape.name];
  return made ? made(fields, source) : fields;
}

const isEmpty = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && Object.keys(value).length === 0);

const isContent = (value: unknown): boolean => value !== null;

function fieldsOf(
  { fields }: Extract<Shape, { kind: 'object' }>,
  plain: Plain | undefined,
  source: string,
): Fields {
  const table = tableOf(plain);
  const read = Object.entries(fields).flatMap(([name, { shape, needed }]) => {
    if (!Object.hasOwn(table, name) && !needed) return [];
    const value = readAs(shape, table[name], source);
    if (isEmpty(value) && !needed) return [];
    return [[name, value === null && shape.kind === 'text' ? '' : value] as const];
  });
  return Object.fromEntries(read);
}

const scalarsOf = (plain: Plain | undefined): readonly ScalarValue[] => severalOf(plain).map(scalarOf);
const wordsOf = (plain: Plain | undefined): readonly string[] =>
  textsOf(plain).flatMap(one => one.split(/\s+/));

/** How content without parts is read; null: there is none. */
const LEAVES: Readonly<
  Record<LeafKind | 'text' | 'spec', (plain: Plain | undefined, source: string) => unknown>
> = {
  text: textOf,
  number: numberOf,
  flag: plain => (plain === true ? true : null),
  value: scalarOf,
  values: scalarsOf,
  plain: plain => plain ?? null,
  any: plain => plain ?? null,
  texts: textsOf,
  paths: pathsOf,
  words: wordsOf,
  pair: textsOf,
  spec: (plain, source) => ({ is: specOf(plain ?? null, source) }),
  local: (plain, source) =>
    typeof plain === 'string' ? { derived: { is: `{${plain}}` } } : rowOf(readRows(plain, source)),
  choice: plain => (isTable(plain) ? mapped(plain, scalarOf) : scalarsOf(plain)),
  // `0.28.0` is a release of the framework itself.
  releases: plain =>
    isTable(plain) ? mapped(plain, one => textOf(one) ?? '') : { framework: textOf(plain) ?? '' },
};

type Rows = readonly Partial<DefinedRow>[];

const readRows = (plain: Plain | undefined, source: string): Rows =>
  readAs(shapeNamed('several of row'), plain, source) as Rows;

/** Several rows as one: the first with an answer wins. */
export function rowOf([first = {}, ...others]: Rows): Partial<DefinedRow> {
  return { ...first, ...(others.length > 0 && { orElse: others }) };
}

const ROW_FIELDS: readonly string[] = ['keys', 'of', 'when', 'default', 'derived', 'formula', 'rule', 'part'];
const isRow = (plain: Plain): boolean =>
  isTable(plain) && ROW_FIELDS.some(name => Object.hasOwn(plain, name));

function specOf(plain: Plain, source: string): Spec {
  if (isRow(plain) || listOf(plain).some(isRow)) return { row: rowOf(readRows(plain, source)) };
  if (isTable(plain) && plain['join'] !== undefined) {
    return { join: listOf(plain['join']).map(one => specOf(one, source)) };
  }
  if (isTable(plain)) return { fields: mapped(plain, one => specOf(one, source)) };
  return Array.isArray(plain) ? listOf(plain).map(one => specOf(one, source)) : scalarOf(plain);
}

/** Shapes whose fields have other names or defaults in a definition. */
const MADE: Readonly<Record<string, (fields: Fields, source: string) => unknown>> = {
  row: rowFrom,
  write: ({ key, ...rest }) => ({ value: null, near: [], when: null, ...rest, keys: key }),
  dataset: fields => ({ template: 'none', ...fields }),
  ownModel: ({ config, perhaps, ...rest }) => ({
    ...rest,
    config: specsIn(config),
    perhaps: specsIn(perhaps),
  }),
  help: ({ default: last, ...rest }: Fields & { readonly default?: ScalarValue }) => ({
    ...rest,
    ...(last !== undefined && { byDefault: String(last) }),
  }),
  // A command is a list of words: a single text would need shell parsing.
  launch: (fields, source) => (isEmpty(fields['argv']) ? null : { source, ...fields }),
  framework: ({ name, ...rest }) => (name === '' ? null : { id: frameworkIdOf(String(name)), name, ...rest }),
  stages: fields => (fields['at'] === '' || fields['marked'] === '' ? null : fields),
  engine: ({ name, when }) => ({ id: frameworkIdOf(String(name)), when }),
  oldKeys: fields => ({ source: '', ...fields }),
  program: fields => ({ source: '', ...fields }),
  command: fields => ({ source: '', ...fields }),
  call: fields => ({ ...emptyCall, ...fields }),
  // An incomplete rule without a name, condition or sentence is ignored.
  rule: ({ set = null, ...rest }) =>
    rest['id'] === '' || rest['message'] === '' || isEmpty(rest['when'])
      ? null
      : { severity: 'warning', ...rest, set },
  fix: fields => (fields['key'] === '' || fields['to'] === null ? null : fields),
  signature: fields => ({ strong: [], medium: [], weak: [], against: [], least: 4, ...fields }),
};

const specsIn = (table: unknown): Readonly<Record<string, Spec>> =>
  Object.fromEntries(
    Object.entries((table ?? {}) as Readonly<Record<string, Stated>>).map(([name, { is }]) => [name, is]),
  );

interface Stated {
  readonly is: Spec;
}

/** Defaults have the source of their row, unless they state their own. */
function rowFrom(
  { source: own, map, default: last, always, defaults, ...rest }: Fields,
  otherwise: string,
): Fields {
  const source = own ?? otherwise;
  const sourced = (stated: unknown): object => ({ value: (stated as Stated).is, source });
  return {
    ...rest,
    ...(map !== undefined && { map: Object.entries(map as object) }),
    ...(last !== undefined && { default: sourced(last) }),
    ...(always !== undefined && { always: sourced(always) }),
    ...(defaults !== undefined && {
      defaults: (defaults as readonly Fields[]).map(one => ({ source, ...one })),
    }),
  };
}

const emptyCall = {
  ...{
    role: 'part',
    module: null,
    own: false,
    joint: '_',
    offBy: null,
    gpu: null,
    keys: {},
    counts: {},
    lacks: {},
    sets: {},
  },
  ...{
    needs: [],
    unless: [],
    prefers: [],
    startedBy: [],
    givenAs: [],
    positional: [],
    only: [],
    ifStated: [],
  },
};

/** A line by its parts or as one pattern, or the name of a set of lines. */
export function logOf(plain: Plain): LogLine | string {
  if (!isTable(plain)) return textOf(plain) ?? '';
  const { memory } = plain;
  const isBar = plain['bar'] === true;
  const rest = {
    example: textOf(plain['example']) ?? '',
    source: textOf(plain['source']) ?? '',
    ...(memory !== undefined && { memory: tableOf(memory) as LogLine['memory'] & object }),
  };
  const parts = { ...rest, parts: mapped(plain['parts'], one => textOf(one) ?? '') };
  const start = textOf(plain['start']);
  if (start !== null) return line({ ...parts, start, ...(isBar && { bar: true }) });
  if (isBar && plain['pattern'] === undefined) return bar(parts);
  return {
    pattern: textOf(plain['pattern']) ?? '',
    fields: textsOf(plain['fields']) as LogLine['fields'],
    ...rest,
    ...(isBar && { bar: true }),
  };
}
