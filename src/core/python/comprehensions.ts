import type { Scope } from './bindings';
import type { Frame } from './frame';
import { strOf } from './operators';
import { isOfSignature } from './signatures';
import type { Expression } from './syntax';
import type { FieldValue, Value } from './value';
import { open, partOf } from './values';

/** Longer lists are data. */
const MOST_ITEMS = 200;

type Comprehension = Extract<Expression, { kind: 'comprehension' }>;

/** What evaluates the parts of a comprehension, with its names in the frame. */
interface Evaluates {
  of(expression: Expression, frame: Frame): Value;
  /** Null: unknown. */
  condition(test: Expression, frame: Frame): boolean | null;
}

/** What a comprehension over known items makes: `{k: v for k, v in options.items() if k in accepted}`. */
export function comprehended(
  { key, value, target, over, test, span }: Comprehension,
  frame: Frame,
  evaluates: Evaluates,
): Value {
  const items = evaluates.of(over, frame);
  // The names of a function's parameters, filtered: they are as good as all.
  if (isOfSignature(items)) return { ...items, span };
  if (items.kind !== 'items' || items.items.length > MOST_ITEMS) return open(span);
  const fields: FieldValue[] = [];
  const values: Value[] = [];
  const scope = without(
    namesOf(target, items).map(([name]) => name),
    frame.scope,
  );
  for (const item of items.items) {
    const inner = { ...frame, scope, parameters: new Map([...frame.parameters, ...namesOf(target, item)]) };
    const holds = test ? evaluates.condition(test, inner) : true;
    if (holds === null) return open(span);
    if (!holds) continue;
    const made = evaluates.of(value, inner);
    values.push(made);
    if (key === null) continue;
    const name = evaluates.of(key, inner);
    if (name.kind !== 'scalar') return open(span);
    fields.push({ key: strOf(name.value), keySpan: name.span, value: made });
  }
  return key === null ? { kind: 'items', span, items: values } : { kind: 'fields', span, fields };
}

/** A scope in which names mean what a comprehension gives them, whatever the function around it does. */
function without(own: readonly string[], scope: Scope): Scope {
  if (!own.some(name => scope.names.has(name))) return scope;
  return { ...scope, names: new Map([...scope.names].filter(([name]) => !own.includes(name))) };
}

function namesOf(target: Expression, item: Value): readonly (readonly [string, () => Value])[] {
  if (target.kind === 'name') return [[target.name, () => item]];
  if (target.kind !== 'list') return [];
  return target.items.flatMap((one, part) => namesOf(one, partOf(item, part)));
}
