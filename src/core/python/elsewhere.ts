import type { Span } from '../text/span';
import type { ScalarNode, YamlNode } from '../yaml/node';
import type { Argument, Call, FieldValue, ProgramHome, Value } from './value';
import { open, scalar } from './values';

/** Deeper and larger values are not followed. */
const DEEPEST = 12;
const MOST_PARTS = 4000;

/** A value of another program, at the place that uses it: its own spans mean nothing in this file. */
export const fromElsewhere = (value: Value, span: Span, home: ProgramHome): Value =>
  new Mover(span, home).moved(value, 0);

/** What a config file holds, as a loader returns it, at the place that loads it; `path`: the file. */
export const dataOf = (root: YamlNode | null | undefined, span: Span, path: string | null = null): Value =>
  root ? new DataReader(span, path).read(root, []) : open(span);

class Mover {
  private parts = 0;

  constructor(
    private readonly span: Span,
    private readonly home: ProgramHome,
  ) {}

  moved(value: Value, depth: number): Value {
    const { span, home } = this;
    if (depth > DEEPEST || ++this.parts > MOST_PARTS) return open(span);
    switch (value.kind) {
      case 'items':
        return { ...value, span, items: value.items.map(item => this.moved(item, depth + 1)) };
      case 'fields':
        return { ...value, span, fields: value.fields.map(field => this.field(field, depth)) };
      case 'call':
        return { ...value, span, call: this.call(value.call, depth) };
      case 'function':
      case 'class':
        return { ...value, span, home: value.home ?? home };
      case 'scalar':
      case 'name':
      case 'open':
        return { ...value, span };
    }
  }

  private field({ key, value }: FieldValue, depth: number): FieldValue {
    return { key, keySpan: this.span, value: this.moved(value, depth + 1), isElsewhere: true };
  }

  private call(call: Call, depth: number): Call {
    const { span, home } = this;
    const args = call.args.map((arg): Argument => ({
      ...arg,
      keySpan: span,
      value: this.moved(arg.value, depth + 1),
      isOwn: false,
      isElsewhere: true,
    }));
    return {
      ...call,
      ...{ span, nameSpan: span, list: span, args, isElsewhere: true },
      on: call.on && this.moved(call.on, depth + 1),
      open: call.open && span,
      ...(call.derived && { derivedIn: call.derivedIn ?? home }),
    };
  }
}

class DataReader {
  private parts = 0;

  constructor(
    private readonly span: Span,
    private readonly path: string | null,
  ) {}

  read(node: YamlNode, keys: readonly string[], keySpan = node.span): Value {
    const { span } = this;
    if (keys.length > DEEPEST || ++this.parts > MOST_PARTS) return open(span);
    switch (node.kind) {
      case 'scalar':
        return node.opaque === null ? this.scalar(node, keys, keySpan) : open(span);
      case 'sequence': {
        const items = node.items.map((item, index) => this.read(item, [...keys, String(index)]));
        return { kind: 'items', span, items };
      }
      case 'map': {
        const fields = node.entries.map(({ key, keySpan: at, value }) => {
          return {
            key,
            keySpan: span,
            value: this.read(value, [...keys, key], at),
            isElsewhere: true,
          } as const;
        });
        return { kind: 'fields', span, fields };
      }
      case 'alias':
        return node.target ? this.read(node.target, [...keys, '*'], keySpan) : open(span);
    }
  }

  private scalar(node: ScalarNode, keys: readonly string[], keySpan: Span): Value {
    const value = scalar(this.span, node.value);
    const isAliased = keys.includes('*');
    return this.path === null || isAliased
      ? value
      : { ...value, at: { path: this.path, keys, keySpan, node } };
  }
}
