import type { ScalarValue } from '../yaml/node';
import { truth } from './operators';
import { isOfSignature } from './signatures';
import type { Expression } from './syntax';
import type { Value } from './value';
import { combined, open, scalar } from './values';

/** `left operator right`; `and` and `or` look at the right only where the left does not decide. */
export function combinedIn(
  { operator, left, right, span }: Extract<Expression, { kind: 'binary' }>,
  valueOf: (part: Expression) => Value,
): Value {
  const one = unset(valueOf(left), operator);
  if (operator === 'and' || operator === 'or') {
    const holds = truthOf(one);
    if (holds === null) return open(span);
    const isLeft = holds === (operator === 'or');
    return { ...(isLeft ? one : valueOf(right)), span };
  }
  const other = valueOf(right);
  // `"max_length" in inspect.signature(…).parameters`: releases that lack it name it otherwise in the next branch.
  const isIn = operator === 'in' || operator === 'not in';
  if (isIn && isOfSignature(other)) return scalar(span, operator === 'in');
  const among = isIn && one.kind === 'scalar' ? amongIn(other)?.includes(one.value) : undefined;
  if (among !== undefined) return scalar(span, among === (operator === 'in'));
  return combined(operator, one, other, span);
}

/** What Python takes a value for in a condition; null: only the run knows. */
export function truthOf(value: Value): boolean | null {
  if (value.kind === 'scalar') return truth(value.value);
  const parts = value.kind === 'items' ? value.items : value.kind === 'fields' ? value.fields : null;
  return parts && parts.length > 0;
}

/** In a test, a variable of the environment that no default follows is None. */
const unset = (value: Value, operator: string): Value =>
  value.kind === 'open' && value.isUnset && /^(?:and|or|is|is not|==|!=)$/.test(operator)
    ? scalar(value.span, null)
    : value;

/** What `in` looks through; null: not all is known. */
function amongIn(value: Value): readonly ScalarValue[] | null {
  if (value.kind === 'fields') return value.fields.map(({ key }) => key);
  if (value.kind !== 'items') return null;
  const known = value.items.flatMap(item => (item.kind === 'scalar' ? [item.value] : []));
  return known.length === value.items.length ? known : null;
}
