import { quantityNames } from '../../spec/names';
import { ownOf } from '../../yaml/tables';
import format from './dialect.format';
import { detailRows, quantityRows } from './rows';
import type { RowName } from './rows';
import { sharedRules, sharedTables } from './sharedRules';
import { sharedWriters } from './sharedWriters';
import { meanings, readers } from './words';

/** Content without parts; format.yaml says what each kind is. */
const LEAVES = [
  ...(['number', 'flag', 'value', 'values', 'plain', 'texts', 'paths', 'words', 'pair'] as const),
  ...(['any', 'local', 'choice', 'releases'] as const),
] as const;

export type LeafKind = (typeof LEAVES)[number];

/** The allowed content at a place in a dialect file. */
export type Shape =
  | { readonly kind: LeafKind }
  | { readonly kind: 'text' | 'spec'; readonly oneOf?: readonly string[] }
  | { readonly kind: 'list' | 'several' | 'table'; readonly of: Shape }
  /** A shape with this text in format.yaml, which may contain itself. */
  | { readonly kind: 'later'; readonly takes: string }
  | ObjectShape;

interface ObjectShape {
  readonly kind: 'object';
  readonly name: string;
  readonly fields: Readonly<Record<string, Field>>;
}

export interface Field {
  readonly shape: Shape;
  /** The description for users. */
  readonly text: string;
  readonly needed?: true;
}

/** The content of format.yaml. */
export interface Format {
  readonly shapes: Readonly<
    Record<string, Readonly<Record<string, Omit<Field, 'shape'> & { takes: string }>>>
  >;
  readonly quantities: Readonly<Record<string, RowName>>;
  readonly details: Readonly<Record<string, RowName>>;
  readonly settings: Readonly<
    Record<string, Readonly<Record<string, Pick<RowName, 'kind'> & { else?: unknown; open?: unknown }>>>
  >;
}

type Shapes = Readonly<Record<string, Shape>>;

const oneOf = (names: readonly string[], kind: 'text' | 'spec' = 'text'): Shape => ({ kind, oneOf: names });

const objectOf = (name: string, fields: ObjectShape['fields']): ObjectShape => ({
  kind: 'object',
  name,
  fields,
});

/** The shape that a text of format.yaml stands for. */
function shapeOf(takes: string, known: Shapes): Shape {
  const [, how, of = ''] = /^(list of|several of|table of|one of|later) (.+)$/.exec(takes) ?? [];
  if (how === 'one of') return oneOf(of.split(', '));
  if (how === 'later') return { kind: 'later', takes: of };
  if (how !== undefined) return { kind: how.slice(0, -3) as 'list', of: shapeOf(of, known) };
  const leaf = [...LEAVES, 'spec' as const].find(kind => kind === takes);
  return leaf ? { kind: leaf } : (ownOf(known, takes) ?? { kind: 'text' });
}

/** Names that the code defines. */
const defined: Shapes = {
  kind: oneOf(Object.keys(readers)),
  'shared rule': oneOf(Object.keys(sharedRules)),
  'shared writer': oneOf(Object.keys(sharedWriters)),
  tables: objectOf(
    'tables',
    fieldsNamed(Object.keys(sharedTables), 'text', () => 'The section of its keys, or the source.'),
  ),
  'quantity values': objectOf(
    'equals',
    fieldsNamed(quantityNames, 'value', name => `The value of ${name}.`),
  ),
};

function fieldsNamed(
  names: readonly string[],
  kind: 'text' | 'value',
  textOf: (name: string) => string,
): ObjectShape['fields'] {
  return Object.fromEntries(names.map(name => [name, { shape: { kind }, text: textOf(name) }]));
}

/** Each shape may use those above it. */
const shapes: Shapes = Object.entries(format.shapes).reduce<Shapes>((known, [name, described]) => {
  const fields = Object.entries(described).map(
    ([key, { takes, ...field }]) => [key, { ...field, shape: shapeOf(takes, known) }] as const,
  );
  const shape = objectOf(name, Object.fromEntries(fields));
  return { ...known, [name]: shape, ...(name === 'row' && rowShapes(shape)) };
}, defined);

/** Rows by name: each is one row, or a list of which the first with an answer wins. */
function rowShapes(row: ObjectShape): Shapes {
  const plain: Shape = { kind: 'several', of: row };
  const ofFew = Object.entries(meanings).map(([kind, few]) => [kind, rowOfFew(row, few)] as const);
  const byKind: Shapes = { ...Object.fromEntries(ofFew), flag: plain };
  const rowsNamed = (names: Readonly<Record<string, RowName>>): ObjectShape['fields'] =>
    Object.fromEntries(
      Object.entries(names).map(([name, { kind, text }]) => [name, { shape: byKind[kind] ?? plain, text }]),
    );
  return {
    quantities: objectOf('quantities', rowsNamed(quantityRows)),
    details: objectOf('details', rowsNamed(detailRows)),
  };
}

/** For a quantity with few values, the shape of its default lists them. */
function rowOfFew(row: ObjectShape, few: readonly string[]): Shape {
  const { default: last, always } = row.fields;
  const shape = oneOf([...few, 'null'], 'spec');
  const fields = {
    ...row.fields,
    ...(last && { default: { ...last, shape } }),
    ...(always && { always: { ...always, shape } }),
  };
  return { kind: 'several', of: objectOf('row', fields) };
}

/** A shape by its text in format.yaml. */
export const shapeNamed = (takes: string): Shape => shapeOf(takes, shapes);

/** The shape of a dialect file, built in or in `.headroom/dialects`. */
export const dialectShape = shapeNamed('file') as ObjectShape;

/** The shape of a pack file, which extends a general dialect for one project's configs. */
export const packShape = shapeNamed('pack');

/** The shape at a path of a dialect file; null if keys there are not defined. */
export function shapeAt(path: readonly (string | number)[]): Shape | null {
  return path.reduce<Shape | null>((shape, step) => shape && childShape(shape, step), dialectShape);
}

function childShape(shape: Shape, step: string | number): Shape | null {
  if (shape.kind === 'list') return typeof step === 'number' ? shape.of : null;
  if (shape.kind === 'several') return typeof step === 'number' ? shape.of : childShape(shape.of, step);
  if (shape.kind === 'table') return shape.of;
  return shape.kind === 'object' ? (shape.fields[String(step)]?.shape ?? null) : null;
}

/** The description of the key at a path; null if it is not defined. */
export function fieldAt(path: readonly (string | number)[]): Field | null {
  const shape = shapeAt(path.slice(0, -1));
  const object = shape?.kind === 'several' ? shape.of : shape;
  return object?.kind === 'object' ? (ownOf(object.fields, String(path.at(-1))) ?? null) : null;
}
