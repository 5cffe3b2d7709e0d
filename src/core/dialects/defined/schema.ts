import { dialectShape } from './shape';
import type { Field, Shape } from './fields';

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

function schemaOf(shape: Shape, named: Named): Schema {
  const name = named.get(shape);
  if (name !== undefined) return { $ref: `#/definitions/${name}` };
  switch (shape.kind) {
    case 'text':
      return shape.oneOf
        ? { enum: shape.oneOf.flatMap(valuesOfWord) }
        : { type: SCALARS.filter(type => type !== 'null') };
    case 'number':
      return { type: 'number' };
    case 'value':
      return { type: [...SCALARS, 'array'] };
    case 'texts':
      return { type: ['string', 'number', 'boolean', 'array'] };
    case 'pair':
      return { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 2 };
    case 'any':
      return {};
    case 'several':
      return { anyOf: [schemaOf(shape.of, named), { type: 'array', items: schemaOf(shape.of, named) }] };
    case 'list':
      return { type: 'array', items: schemaOf(shape.of, named) };
    case 'table':
      return { type: 'object', additionalProperties: schemaOf(shape.of, named) };
    case 'object':
      return objectOf(shape.fields, named);
  }
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
function valuesOfWord(word: string): readonly (string | number | null)[] {
  if (word === 'null') return [null];
  return /^\d+$/.test(word) ? [Number(word), word] : [word];
}
