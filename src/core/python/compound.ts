import type { Span } from '../text/span';
import { strOf } from './operators';
import type { Expression } from './syntax';
import type { FieldValue, Value } from './value';
import { open, scalar } from './values';

/** The longest text that is put together. */
const LONGEST = 10_000;

/** The text of an f-string, if all its parts are known. */
export function joinedText(
  parts: readonly (string | Expression)[],
  span: Span,
  valueOf: (part: Expression) => Value,
): Value {
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') text += part;
    else {
      const value = valueOf(part);
      if (value.kind !== 'scalar') return open(span);
      text += strOf(value.value);
    }
  }
  return text.length > LONGEST ? open(span) : scalar(span, text);
}

/** A dictionary, if all its keys are known. */
export function dictionaryOf(
  { entries, span }: Extract<Expression, { kind: 'dict' }>,
  valueOf: (part: Expression) => Value,
): Value {
  const fields: FieldValue[] = [];
  for (const { key, value } of entries) {
    const found = valueOf(value);
    if (key === null) {
      if (found.kind !== 'fields') return open(span);
      fields.push(...found.fields);
    } else {
      const name = valueOf(key);
      if (name.kind !== 'scalar') return open(span);
      fields.push({ key: strOf(name.value), keySpan: key.span, value: found });
    }
  }
  return { kind: 'fields', span, fields };
}
