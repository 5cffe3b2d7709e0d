import type { ScalarValue } from '../../yaml/node';
import { dialectShape } from './format';
import type { Field, Shape } from './format';

type Schema = Readonly<Record<string, unknown>>;

const SCALARS = ['string', 'number', 'boolean', 'null'] as const;

/** A JSON schema of dialect files, for editors. Rows of the same kind are shared. */
export function dialectSchema(): Schema {
  const rows = new Map<Shape, string>();
  for (const name of ['quantities', 'details']) {
    const shape = dialectShape.fields[name]?.shape;
    if (shape?.kind !== 'object') continue;
    for (const field of Object.values(shape.fields)) {
      if (!rows.has(field.shape)) rows.set(field.shape, `row${rows.size}`);
    }
  }
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'A dialect of a workspace, for Headroom',
    definitions: Object.fromEntries([...rows].map(([shape, name]) => [name, schemaOf(shape, new Map())])),
    ...schemaOf(dialectShape, rows),
  };
}

type Named = ReadonlyMap<Shape, string>;

/** Content without parts; unchecked content is not listed. */
const LEAVES: Readonly<Partial<Record<Shape['kind'], Schema>>> = {
  text: { type: SCALARS.filter(type => type !== 'null') },
  number: { type: 'number' },
  flag: { type: 'boolean' },
  pair: { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 2 },
  ...forEach(['value', 'values', 'plain'], { type: [...SCALARS, 'array'] }),
  ...forEach(['texts', 'paths', 'words'], { type: ['string', 'number', 'boolean', 'array'] }),
};

function forEach(kinds: readonly Shape['kind'][], schema: Schema): typeof LEAVES {
  return Object.fromEntries(kinds.map(kind => [kind, schema]));
}

function schemaOf(shape: Shape, named: Named): Schema {
  const name = named.get(shape);
  if (name !== undefined) return { $ref: `#/definitions/${name}` };
  if ('oneOf' in shape) return { enum: shape.oneOf.flatMap(valuesOfWord) };
  if (shape.kind === 'object') return objectOf(shape.fields, named);
  if (!('of' in shape)) return LEAVES[shape.kind] ?? {};
  const part = schemaOf(shape.of, named);
  if (shape.kind === 'table') return { type: 'object', additionalProperties: part };
  const list = { type: 'array', items: part };
  return shape.kind === 'list' ? list : { anyOf: [part, list] };
}

function objectOf(fields: Readonly<Record<string, Field>>, named: Named): Schema {
  const all = Object.entries(fields);
  const required = all.filter(([, { needed }]) => needed).map(([name]) => name);
  return {
    type: 'object',
    additionalProperties: false,
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(
      all.map(([name, { shape, text }]) => [name, { description: text, ...schemaOf(shape, named) }]),
    ),
  };
}

/** A word as values in the file: `4` is a number, `null` is null. */
function valuesOfWord(word: string): readonly ScalarValue[] {
  if (word === 'null') return [null];
  if (word === 'true' || word === 'false') return [word === 'true'];
  return /^\d+$/.test(word) ? [Number(word), word] : [word];
}
