import type { ScalarValue } from '../yaml/node';

/** The longest text that an operator may make. */
const LONGEST = 10_000;

/** The result of an operator on two scalars; undefined: not computed. */
export function computed(operator: string, left: ScalarValue, right: ScalarValue): ScalarValue | undefined {
  if (operator === '==') return left === right;
  if (operator === '!=') return left !== right;
  if (operator === 'is') return left === right;
  if (operator === 'is not') return left !== right;
  if (typeof left === 'string' || typeof right === 'string') return ofTexts(operator, left, right);
  if (left === null || right === null) return undefined;
  return finite(ofNumbers(operator, Number(left), Number(right)));
}

const finite = (value: number | boolean | undefined): number | boolean | undefined =>
  typeof value === 'number' && !Number.isFinite(value) ? undefined : value;

function ofTexts(operator: string, left: ScalarValue, right: ScalarValue): ScalarValue | undefined {
  if (typeof left !== 'string' || typeof right !== 'string') return undefined;
  if (operator === '+') return left.length + right.length > LONGEST ? undefined : left + right;
  if (operator === '/') return left.length + right.length > LONGEST ? undefined : pathOf([left, right]);
  if (operator === 'in') return right.includes(left);
  if (operator === 'not in') return !right.includes(left);
  return undefined;
}

/** Paths are texts here: an absolute part starts anew, and what is in the folder itself has no folder before it. */
export const pathOf = (parts: readonly string[]): string =>
  parts.reduce((base, part) => (base === '' || part.startsWith('/') ? part : `${base}/${part}`), '');

function ofNumbers(operator: string, left: number, right: number): number | boolean | undefined {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '//':
      return Math.floor(left / right);
    case '%':
      return left - Math.floor(left / right) * right;
    case '**':
      return left ** right;
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
    default:
      return undefined;
  }
}

/** What Python takes a scalar for in a condition. */
export const truth = (value: ScalarValue): boolean => Boolean(value);

/** A scalar as `str` writes it. */
export function strOf(value: ScalarValue): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return String(value);
}
