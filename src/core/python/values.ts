import type { Span } from '../text/span';
import type { ScalarValue } from '../yaml/node';
import type { Assigned, Part } from './bindings';
import { computed, strOf, truth } from './operators';
import type { Argument, Value } from './value';

/** A value that is not known. */
export const open = (span: Span): Value => ({ kind: 'open', span });

export const scalar = (span: Span, value: ScalarValue): Extract<Value, { kind: 'scalar' }> => ({
  kind: 'scalar',
  span,
  value,
});

/** `not x`, `-x`. */
export function ofOne(operator: string, of: Value, span: Span): Value {
  if (of.kind !== 'scalar') return open(span);
  if (operator === 'not') return scalar(span, !truth(of.value));
  if (typeof of.value !== 'number') return open(span);
  return operator === '-' ? scalar(span, -of.value) : operator === '+' ? { ...of, span } : open(span);
}

/** The result of an operator on two values. */
export function combined(operator: string, one: Value, other: Value, span: Span): Value {
  if (operator === '+' && (one.kind === 'items' || other.kind === 'items')) {
    // What is known of a list stays known.
    const items = [one, other].flatMap(part => (part.kind === 'items' ? part.items : [open(part.span)]));
    return { kind: 'items', span, items };
  }
  if (operator === '*') {
    const [items, times] = one.kind === 'items' ? [one, other] : [other, one];
    if (items.kind === 'items') return repeated(items.items, times, span);
  }
  // `dtype == torch.bfloat16`
  if (one.kind === 'name' && other.kind === 'name' && /^(?:==|!=|is|is not)$/.test(operator)) {
    return scalar(span, (one.name === other.name) === (operator === '==' || operator === 'is'));
  }
  if (one.kind !== 'scalar' || other.kind !== 'scalar') return open(span);
  const value = computed(operator, one.value, other.value);
  return value === undefined ? open(span) : scalar(span, value);
}

const MOST_ITEMS = 1000;

/** `[prompt] * 4`. */
function repeated(items: readonly Value[], times: Value, span: Span): Value {
  const count = times.kind === 'scalar' && typeof times.value === 'number' ? times.value : null;
  if (count === null || !Number.isInteger(count) || count < 0 || items.length * count > MOST_ITEMS) {
    return open(span);
  }
  return { kind: 'items', span, items: Array.from({ length: count }, () => items).flat() };
}

/** `of[index]`. */
export function itemOf(of: Value, index: Value, span: Span): Value {
  if (index.kind !== 'scalar') return open(span);
  if (of.kind === 'fields') {
    const field = of.fields.findLast(({ key }) => key === strOf(index.value));
    return field ? { ...field.value, span } : open(span);
  }
  return of.kind === 'items' && typeof index.value === 'number'
    ? { ...(of.items.at(index.value) ?? open(span)), span }
    : open(span);
}

/** An object of a class of the program, with its defaults. */
export function madeOf({
  span,
  of,
  home,
}: Extract<Value, { kind: 'class' }>): Extract<Value, { kind: 'call' }> {
  const at = { span, nameSpan: span, list: span, on: null, name: '', args: [], open: null } as const;
  return { kind: 'call', span, part: 0, call: { ...at, derived: of, ...(home && { derivedIn: home }) } };
}

const STATED = /(?:^|\.)(?:field|Field|Option|Argument)$/;

/** `field(default=…)` of a dataclass, `Option(5)` of Typer. */
export function fieldDefault(value: Value): Value {
  if (value.kind !== 'call' || !STATED.test(value.call.name)) return value;
  const stated = value.call.args.find(
    ({ name, position }) => name === 'default' || name === 'default_factory' || position === 0,
  );
  if (stated?.name !== 'default_factory') return stated?.value ?? open(value.span);
  if (stated.value.kind === 'class') return madeOf(stated.value);
  return stated.value.kind === 'open' ? (stated.value.result ?? open(value.span)) : open(value.span);
}

/** What a value is unpacked into; `each`: what a loop gets, where it is always the same. */
export function partOf(value: Value, part: Part): Value {
  if (part === 'each') return value.kind === 'items' ? agreed(value.items, value.span) : open(value.span);
  if (value.kind === 'items') return value.items[part] ?? open(value.span);
  return value.kind === 'call' ? { ...value, part } : open(value.span);
}

/** One value if all are the same; else open. Of lists that go on from each other, what only some have is perhaps there. */
export function agreed(values: readonly Value[], span: Span): Value {
  const [first] = values;
  if (first && values.every(value => same(value, first))) return first;
  const lists = values.flatMap(value => (value.kind === 'items' ? [value.items] : []));
  const [shortest, longest] = [lists.toSorted(byLength)[0], lists.toSorted(byLength).at(-1)];
  if (!shortest || !longest || shortest.length === 0 || lists.length < values.length) return open(span);
  const goesOn = lists.every(items => items.every((item, at) => isOf(item, longest[at])));
  if (!goesOn) return open(span);
  const items = longest.map((item, at) => (at < shortest.length ? item : perhaps(item)));
  return { kind: 'items', span, items };
}

const byLength = (one: readonly Value[], other: readonly Value[]): number => one.length - other.length;

const perhaps = (item: Value): Value =>
  item.kind === 'open' ? item : { kind: 'open', span: item.span, perhaps: item };

/** Whether an item is that of a longer list, where it may stand in a branch. */
const isOf = (item: Value, longer: Value | undefined): boolean =>
  longer !== undefined && (same(item, longer) || same(item, certain(longer)) || same(certain(item), longer));

const certain = (item: Value): Value => (item.kind === 'open' ? (item.perhaps ?? item) : item);

export function same(one: Value, other: Value): boolean {
  if (one === other) return true;
  if (one.kind === 'scalar' && other.kind === 'scalar') return one.value === other.value;
  if (one.kind === 'name' && other.kind === 'name') return one.name === other.name;
  if (one.kind === 'items' && other.kind === 'items') {
    return (
      one.items.length === other.items.length &&
      one.items.every((item, index) => {
        const counterpart = other.items[index];
        return counterpart !== undefined && same(item, counterpart);
      })
    );
  }
  if (one.kind === 'fields' && other.kind === 'fields') {
    return (
      one.fields.length === other.fields.length &&
      one.fields.every(({ key, value }, index) => {
        const counterpart = other.fields[index];
        return counterpart?.key === key && same(value, counterpart.value);
      })
    );
  }
  return one.kind === 'call' && other.kind === 'call' && one.call === other.call;
}

/** A value with one of its attributes, or of an attribute's attributes, changed; what is not there is not changed. */
export function withAssigned(
  value: Value,
  one: Pick<Assigned, 'attribute' | 'within' | 'key'>,
  to: Value,
): Value {
  const { attribute, within, key } = one;
  const [outer, ...rest] = within;
  if (outer !== undefined) {
    const before =
      value.kind === 'fields'
        ? value.fields.findLast(field => field.key === outer)?.value
        : value.kind === 'call'
          ? value.call.args.findLast(arg => arg.name === outer)?.value
          : undefined;
    const inner = before && withAssigned(before, { attribute, within: rest, key }, to);
    return inner ? withAssigned(value, { attribute: outer, within: [], key }, inner) : value;
  }
  if (value.kind === 'fields') {
    const others = value.fields.filter(field => field.key !== attribute);
    return { ...value, fields: [...others, { key: attribute, keySpan: key, value: to }] };
  }
  if (value.kind !== 'call') return value;
  const others = value.call.args.filter(arg => arg.name !== attribute);
  const arg: Argument = { name: attribute, position: -1, keySpan: key, value: to, isOwn: false };
  return { ...value, call: { ...value.call, args: [...others, arg] } };
}
