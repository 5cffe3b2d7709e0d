import type { Span } from '../../text/span';
import type { Entry, MapNode, SequenceNode, YamlNode } from '../node';
import { TomlMistake } from './scan';

/** A key of a text and its place. */
export interface Key {
  readonly name: string;
  readonly span: Span;
}

/** How a table came to be: that decides what may still be added to it. */
type TableKind = 'root' | 'header' | 'implicit' | 'dotted' | 'inline';

interface Slot {
  readonly key: Key;
  value: Table | Tables | YamlNode;
}

/** `[[a]]` as often as it stands there. */
class Tables {
  readonly items: Table[] = [];
}

/** A table while it is read. */
export class Table {
  readonly slots = new Map<string, Slot>();
  header: Span | null = null;
  /** The table in whose lines dotted keys made this one. */
  owner: Table | null = null;
  /** Keys from those lines to this table. */
  prefix: readonly Key[] = [];

  constructor(
    public kind: TableKind,
    readonly depth: number,
    public span: Span,
  ) {}

  /** The table that a header below this one opens; throws what is wrong with it. */
  opened(keys: readonly Key[], header: Span, isItem: boolean): Table {
    const last = keys.at(-1);
    if (!last) throw new TomlMistake(header.start, 'a table needs a name');
    const above = keys.slice(0, -1).reduce<Table>((table, key) => table.stepInto(key, header), this);
    const slot = above.slots.get(last.name);
    const fresh = (): Table => headed(new Table('header', above.depth + 1, header), header);
    if (isItem) return above.appended(last, slot, fresh());
    if (!slot) return above.put(last, fresh());
    if (!(slot.value instanceof Table) || slot.value.kind !== 'implicit') {
      throw new TomlMistake(last.span.start, `${last.name} is there already`, 'duplicate-key');
    }
    // The key is where its own header names it.
    above.slots.set(last.name, { key: last, value: slot.value });
    slot.value.kind = 'header';
    return headed(slot.value, header);
  }

  private appended(key: Key, slot: Slot | undefined, item: Table): Table {
    const list = slot ? slot.value : this.put(key, new Tables());
    if (!(list instanceof Tables)) {
      throw new TomlMistake(key.span.start, `${key.name} is not a list of tables`, 'duplicate-key');
    }
    list.items.push(item);
    return item;
  }

  private stepInto(key: Key, header: Span): Table {
    const value = this.slots.get(key.name)?.value;
    if (!value) return this.put(key, new Table('implicit', this.depth + 1, header));
    const table = value instanceof Tables ? value.items.at(-1) : value;
    if (table instanceof Table) return table;
    throw new TomlMistake(key.span.start, `${key.name} is not a table`);
  }

  /** Sets a key, dotted or not, that stands in this table's lines; throws what is wrong with it. */
  set(keys: readonly Key[], value: YamlNode): void {
    const last = keys.at(-1);
    const into = keys.slice(0, -1).reduce<Table>((table, key, i) => {
      const below = table.dotted(key, this, keys.slice(0, i + 1));
      below.span = { start: below.span.start, end: value.span.end };
      return below;
    }, this);
    if (!last) return;
    const twice = into.slots.has(last.name);
    into.slots.delete(last.name);
    into.put(last, value);
    if (this.kind === 'header') this.span = { start: this.span.start, end: value.span.end };
    if (twice) throw new TomlMistake(last.span.start, `Key "${last.name}" is repeated`, 'duplicate-key');
  }

  private dotted(key: Key, owner: Table, prefix: readonly Key[]): Table {
    const value = this.slots.get(key.name)?.value;
    if (!value) {
      const table = new Table('dotted', this.depth + 1, key.span);
      table.owner = owner;
      table.prefix = prefix;
      return this.put(key, table);
    }
    if (value instanceof Table && value.kind === 'dotted' && value.owner === owner) return value;
    throw new TomlMistake(key.span.start, `${key.name} is defined elsewhere`, 'duplicate-key');
  }

  private put<V extends Slot['value']>(key: Key, value: V): V {
    this.slots.set(key.name, { key, value });
    return value;
  }

  /** The table as a mapping of the tree; tells each node once it is made. */
  node(made: (node: YamlNode) => void): MapNode {
    const entries = [...this.slots.values()].map(({ key, value }): Entry => {
      const node =
        value instanceof Table ? value.node(made) : value instanceof Tables ? listOf(value, made) : value;
      return { key: key.name, keySpan: key.span, value: node, merged: false };
    });
    const prefix = this.prefix.map(({ name }) => name);
    const map: MapNode = {
      kind: 'map',
      entries,
      flow: this.kind === 'inline',
      tag: null,
      anchor: null,
      span: this.span,
      table: { kind: this.kind, header: this.header, prefix },
    };
    made(map);
    return map;
  }
}

function headed(table: Table, header: Span): Table {
  table.header = header;
  table.span = header;
  return table;
}

function listOf({ items }: Tables, made: (node: YamlNode) => void): SequenceNode {
  const nodes = items.map(item => item.node(made));
  const span = { start: nodes[0]?.span.start ?? 0, end: nodes.at(-1)?.span.end ?? 0 };
  const list: SequenceNode = { kind: 'sequence', items: nodes, flow: false, anchor: null, span };
  made(list);
  return list;
}
