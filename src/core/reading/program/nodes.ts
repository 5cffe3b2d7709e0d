import type { ProgramSource } from '../../python/source';
import type { FieldValue, Value } from '../../python/value';
import type { Entry, MapNode, ScalarNode, ScalarValue, YamlNode } from '../../yaml/node';

/** A member of an enumeration: `IntervalStrategy.STEPS` is written `steps`. */
const MEMBER = /\.[A-Z][A-Za-z]+\.([A-Z][A-Z0-9_]*)$/;

/** A value of a program as a node of a config, at its place in the file. What is not known is opaque. */
export function nodeOf(value: Value, program: ProgramSource): YamlNode {
  const span = program.inFile(value.span);
  const source = program.text.slice(value.span.start, value.span.end);
  switch (value.kind) {
    case 'scalar':
      return scalarNode(value.value, source, span);
    case 'name':
      return nameNode(value.name, source, span);
    case 'items':
      return {
        kind: 'sequence',
        items: value.items.map(item => nodeOf(item, program)),
        flow: true,
        span,
        anchor: null,
      };
    case 'fields':
      return mapNode(value.fields, program, span);
    case 'call':
    case 'class':
    case 'function':
    case 'open':
      return { ...scalarNode(null, source, span), value: source, opaque: 'interpolation' };
  }
}

function nameNode(name: string, source: string, span: ScalarNode['span']): ScalarNode {
  if (name.startsWith('torch.')) return scalarNode(name.slice('torch.'.length), source, span);
  const [, member] = MEMBER.exec(name) ?? [];
  if (member !== undefined) return scalarNode(member.toLowerCase(), source, span);
  return { ...scalarNode(null, source, span), value: source, opaque: 'interpolation' };
}

const mapNode = (
  fields: readonly FieldValue[],
  program: ProgramSource,
  span: ScalarNode['span'],
): MapNode => ({
  kind: 'map',
  entries: fields.map(({ key, keySpan, value }): Entry => ({
    key,
    keySpan: program.inFile(keySpan),
    value: nodeOf(value, program),
    merged: false,
    from: [key],
  })),
  flow: true,
  tag: null,
  span,
  anchor: null,
});

/** `source` is the text in the program; where a loader would read it again, the value as YAML has it stands instead. */
export function scalarNode(value: ScalarValue, source: string, span: ScalarNode['span']): ScalarNode {
  const rest = { kind: 'scalar', value, opaque: null, span, anchor: null } as const;
  if (typeof value !== 'string') return { ...rest, source: String(value), style: 'plain' };
  return { ...rest, source, style: source.startsWith("'") ? 'single' : 'double' };
}
