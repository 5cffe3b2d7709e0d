import { join } from '../text/paths';
import { broadcast, elementwise, matmul } from './tensors';
import type { Machine } from './machine';
import { Dictionary, Instance, isTensor, Klass, Named, Native, raise, UNKNOWN, Unknown } from './values';
import type { Value } from './values';

const NUMBERS: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '//': (a, b) => Math.floor(a / b),
  '%': (a, b) => ((a % b) + b) % b,
  '**': (a, b) => a ** b,
  '&': (a, b) => a & b,
  '|': (a, b) => a | b,
  '^': (a, b) => a ^ b,
  '<<': (a, b) => a * 2 ** b,
  '>>': (a, b) => Math.floor(a / 2 ** b),
};

const COMPARED: Readonly<Record<string, (a: number | string, b: number | string) => boolean>> = {
  '<': (a, b) => a < b,
  '>': (a, b) => a > b,
  '<=': (a, b) => a <= b,
  '>=': (a, b) => a >= b,
};

const isNumber = (value: Value): value is number | boolean =>
  typeof value === 'number' || typeof value === 'boolean';

type Test = (machine: Machine, left: Value, right: Value) => Value;

const TESTS: Readonly<Record<string, Test>> = {
  is: (_, left, right) => same(left, right),
  '==': (_, left, right) => same(left, right),
  'is not': (_, left, right) => negated(same(left, right)),
  '!=': (_, left, right) => negated(same(left, right)),
  in: within,
  'not in': (machine, left, right) => negated(within(machine, left, right)),
};

/** `left operator right`. */
export function binary(machine: Machine, operator: string, left: Value, right: Value): Value {
  const tested = TESTS[operator]?.(machine, left, right);
  if (tested !== undefined) return tested;
  if (isTensor(left) || isTensor(right)) return ofTensors(machine, operator, left, right);
  if (isNumber(left) && isNumber(right)) return ofNumbers(operator, Number(left), Number(right));
  if (typeof left === 'string' && typeof right === 'string') {
    if (operator === '/') return join(left, right);
    return operator === '+' ? left + right : (COMPARED[operator]?.(left, right) ?? UNKNOWN);
  }
  return ofOthers(machine, operator, left, right);
}

function ofNumbers(operator: string, left: number, right: number): Value {
  const compared = COMPARED[operator];
  if (compared) return compared(left, right);
  const found = NUMBERS[operator]?.(left, right);
  return found === undefined || !Number.isFinite(found) ? UNKNOWN : found;
}

function ofOthers(machine: Machine, operator: string, left: Value, right: Value): Value {
  if (Array.isArray(left) && Array.isArray(right) && operator === '+') return [...left, ...right];
  const [items, times] = Array.isArray(left) ? [left, right] : [right, left];
  if (operator === '*' && Array.isArray(items) && typeof times === 'number') {
    if (times * items.length > 100_000) raise('a list is too long');
    return Array.from({ length: Math.max(0, times) }, () => items).flat();
  }
  if (left instanceof Dictionary && right instanceof Dictionary && operator === '|') {
    return new Dictionary(new Map([...left.entries, ...right.entries]));
  }
  const name = METHODS[operator];
  const method = left instanceof Instance && name ? machine.attribute(left, name) : null;
  return method instanceof Native ? method.call({ list: [right], named: new Map() }) : UNKNOWN;
}

const METHODS: Readonly<Record<string, string>> = { '+': '__add__', '*': '__mul__', '-': '__sub__' };

function ofTensors(machine: Machine, operator: string, left: Value, right: Value): Value {
  const { trace } = machine;
  const tensors = [left, right].filter(isTensor);
  const [a, b] = tensors;
  if (!a) return UNKNOWN;
  if (operator === '@') return b ? matmul(trace, a, b) : UNKNOWN;
  if (left instanceof Unknown || right instanceof Unknown) return elementwise(trace, 'keep', [a]);
  if (COMPARED[operator] || operator === '&' || operator === '|') {
    return trace.result(broadcast(tensors.map(({ shape }) => shape)), [], null, 'bool');
  }
  return elementwise(
    trace,
    keptBy(operator, b !== undefined || isTensor(right)),
    operator === '**' ? [a] : tensors,
  );
}

/** What arithmetic keeps: products both factors, powers their base, sums nothing. */
function keptBy(operator: string, isPair: boolean): 'none' | 'keep' | 'product' {
  if (operator === '**') return 'keep';
  return isPair && (operator === '*' || operator === '/') ? 'product' : 'none';
}

const negated = (value: Value): Value => (typeof value === 'boolean' ? !value : value);

function same(left: Value, right: Value): Value {
  if (left instanceof Unknown || right instanceof Unknown) {
    return left === right ? UNKNOWN : pairOf(left, right);
  }
  if (left instanceof Named && right instanceof Named) return left.path === right.path;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((one, at) => same(one, right[at] ?? null) === true);
  }
  if (isNumber(left) && isNumber(right)) return Number(left) === Number(right);
  return left === right;
}

/** What is there but not known is not None. */
const pairOf = (left: Value, right: Value): Value => (left === null || right === null ? false : UNKNOWN);

function within(machine: Machine, item: Value, of: Value): Value {
  if (of instanceof Unknown || item instanceof Unknown) return UNKNOWN;
  if (typeof of === 'string') return typeof item === 'string' ? of.includes(item) : false;
  if (of instanceof Klass || of instanceof Named) return UNKNOWN;
  return machine.items(of).some(one => same(one, item) === true);
}

/** `not x`, `-x`. */
export function unary(machine: Machine, operator: string, of: Value): Value {
  if (operator === 'not') return of instanceof Unknown ? UNKNOWN : !machine.holds(of);
  if (isTensor(of)) return elementwise(machine.trace, 'none', [of]);
  if (!isNumber(of)) return UNKNOWN;
  if (operator === '-') return -Number(of);
  return operator === '~' ? ~Number(of) : Number(of);
}
