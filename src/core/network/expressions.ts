import type { SyntaxNode } from '@lezer/common';
import { childrenOf } from '../python/expressions';
import { numberIn, textIn } from '../python/literals';
import { superOf } from './calls';
import { functionOf } from './functions';
import { itemOf } from './items';
import type { Frame, Machine } from './machine';
import { binary, unary } from './operators';
import { Dictionary, Named, raise, Scope, Slice, UNKNOWN, wordOf } from './values';
import { assignAll } from './statements';
import type { Args, Value } from './values';

const textOf = (node: SyntaxNode, { home }: Frame): string => home.text.slice(node.from, node.to);
const PUNCTUATION = /^[()[\]{},:]$/;
const contents = (node: SyntaxNode): readonly SyntaxNode[] =>
  childrenOf(node).filter(({ name }) => !PUNCTUATION.test(name));

const CONSTANTS: Readonly<Record<string, Value>> = { True: true, False: false, None: null };

type Evaluate = (machine: Machine, node: SyntaxNode, frame: Frame) => Value;

const KINDS: Readonly<Record<string, Evaluate>> = {
  Boolean: (_, node, frame) => CONSTANTS[textOf(node, frame)] ?? null,
  None: () => null,
  Number: (_, node, frame) => numberIn(textOf(node, frame)) ?? UNKNOWN,
  String: (_, node, frame) => textIn(textOf(node, frame)) ?? UNKNOWN,
  Ellipsis: () => new Named('...'),
  '...': () => new Named('...'),
  ContinuedString: (machine, node, frame) =>
    joined(childrenOf(node).map(child => machine.evaluate(child, frame))),
  FormatString: formatted,
  VariableName: (_, node, frame) => {
    const name = textOf(node, frame);
    const found = frame.scope.get(name);
    return found === undefined ? new Named(name) : found;
  },
  self: (_, node, frame) => frame.scope.get(textOf(node, frame)) ?? UNKNOWN,
  ArrayExpression: list,
  TupleExpression: list,
  SetExpression: list,
  ParenthesizedExpression: (machine, node, frame) => {
    const [only] = contents(node);
    return only ? machine.evaluate(only, frame) : [];
  },
  DictionaryExpression: dictionary,
  CallExpression: call,
  MemberExpression: member,
  UnaryExpression: (machine, node, frame) => {
    const [operator, of] = childrenOf(node);
    return operator && of ? unary(machine, textOf(operator, frame), machine.evaluate(of, frame)) : UNKNOWN;
  },
  BinaryExpression: operation,
  ConditionalExpression: (machine, node, frame) => {
    const [then, , test, , otherwise] = childrenOf(node);
    if (!then || !test || !otherwise) return UNKNOWN;
    return machine.evaluate(machine.holds(machine.evaluate(test, frame)) ? then : otherwise, frame);
  },
  LambdaExpression: (machine, node, frame) => functionOf(machine, node, frame),
  NamedExpression: (machine, node, frame) => {
    const [name, , value] = childrenOf(node);
    if (!name || !value) return UNKNOWN;
    const found = machine.evaluate(value, frame);
    frame.scope.set(textOf(name, frame), found);
    return found;
  },
  ArrayComprehensionExpression: (machine, node, frame) => comprehended(machine, contents(node), frame),
  SetComprehensionExpression: (machine, node, frame) => comprehended(machine, contents(node), frame),
  ComprehensionExpression: (machine, node, frame) => comprehended(machine, contents(node), frame),
  DictionaryComprehensionExpression: comprehendedDictionary,
  AwaitExpression: () => UNKNOWN,
};

/** The value of an expression. */
export function evaluate(machine: Machine, node: SyntaxNode, frame: Frame): Value {
  const known = KINDS[node.name];
  return known ? known(machine, node, frame) : UNKNOWN;
}

function list(machine: Machine, node: SyntaxNode, frame: Frame): Value {
  const items: Value[] = [];
  let isSpread = false;
  for (const child of contents(node)) {
    if (child.name === '*') isSpread = true;
    else {
      const value = machine.evaluate(child, frame);
      items.push(...(isSpread ? machine.items(value) : [value]));
      isSpread = false;
    }
  }
  return items;
}

function formatted(machine: Machine, node: SyntaxNode, frame: Frame): Value {
  const parts = childrenOf(node).flatMap(child => {
    const [only] = child.name === 'FormatReplacement' ? contents(child) : [];
    return only ? [machine.evaluate(only, frame)] : [];
  });
  const source = textOf(node, frame);
  if (parts.some(one => typeof one === 'object')) return UNKNOWN;
  let at = 0;
  const text = source.replaceAll(/\{[^{}]*\}/g, () => wordOf(parts[at++]));
  return textIn(text.replace(/^[fFrR]+/, '')) ?? UNKNOWN;
}

const joined = (parts: readonly Value[]): Value =>
  parts.every(part => typeof part === 'string') ? parts.join('') : UNKNOWN;

function dictionary(machine: Machine, node: SyntaxNode, frame: Frame): Value {
  const made = new Dictionary();
  let key: SyntaxNode | null = null;
  let isSpread = false;
  for (const child of childrenOf(node)) {
    if (child.name === '**') isSpread = true;
    else if (PUNCTUATION.test(child.name)) continue;
    else if (isSpread) {
      const spread = machine.evaluate(child, frame);
      if (spread instanceof Dictionary) {
        for (const [one, value] of spread.entries) made.entries.set(one, value);
      }
      isSpread = false;
    } else if (key === null) key = child;
    else {
      made.entries.set(machine.evaluate(key, frame), machine.evaluate(child, frame));
      key = null;
    }
  }
  return made;
}

function operation(machine: Machine, node: SyntaxNode, frame: Frame): Value {
  const children = childrenOf(node);
  const [first] = children;
  const last = children.at(-1);
  if (!first || !last) return UNKNOWN;
  const operator = children
    .slice(1, -1)
    .map(child => textOf(child, frame))
    .join(' ');
  const left = machine.evaluate(first, frame);
  if (operator === 'and') return machine.holds(left) ? machine.evaluate(last, frame) : left;
  if (operator === 'or') return machine.holds(left) ? left : machine.evaluate(last, frame);
  return binary(machine, operator, left, machine.evaluate(last, frame));
}

/** `value for target in items if test`, with the parts behind each other. */
function comprehended(machine: Machine, parts: readonly SyntaxNode[], frame: Frame): Value {
  const [value, ...rest] = parts;
  if (!value) return UNKNOWN;
  const found: Value[] = [];
  turns(machine, rest, { ...frame, scope: new Scope(frame.scope) }, inner => {
    found.push(machine.evaluate(value, inner));
  });
  return found;
}

function comprehendedDictionary(machine: Machine, node: SyntaxNode, frame: Frame): Value {
  const [key, value, ...rest] = contents(node);
  const made = new Dictionary();
  if (!key || !value) return made;
  turns(machine, rest, { ...frame, scope: new Scope(frame.scope) }, inner => {
    made.entries.set(machine.evaluate(key, inner), machine.evaluate(value, inner));
  });
  return made;
}

function turns(
  machine: Machine,
  parts: readonly SyntaxNode[],
  frame: Frame,
  visit: (frame: Frame) => void,
): void {
  const [first, ...rest] = parts.filter(({ name }) => name !== 'async');
  if (!first) {
    visit(frame);
    return;
  }
  if (first.name === 'if') {
    const [test, ...others] = rest;
    if (test && machine.holds(machine.evaluate(test, frame))) turns(machine, others, frame, visit);
    return;
  }
  const at = rest.findIndex(({ name }) => name === 'in');
  const over = rest[at + 1];
  if (first.name !== 'for' || !over) raise('a comprehension is not read');
  for (const item of machine.items(machine.evaluate(over, frame))) {
    assignAll(machine, rest.slice(0, at), item, frame);
    turns(machine, rest.slice(at + 2), frame, visit);
  }
}

function member(machine: Machine, node: SyntaxNode, frame: Frame): Value {
  const [of, ...rest] = childrenOf(node);
  if (!of) return UNKNOWN;
  const object = machine.evaluate(of, frame);
  const property = node.getChild('PropertyName');
  if (property) return machine.attribute(object, textOf(property, frame));
  // `0.` is a number and a dot to the parser.
  if (of.name === 'Number') return object;
  const parts: SyntaxNode[][] = [[]];
  for (const child of rest.filter(({ name }) => name !== '[' && name !== ']')) {
    if (child.name === ',') parts.push([]);
    else parts.at(-1)?.push(child);
  }
  const keys = parts.filter(part => part.length > 0).map(part => keyOf(machine, part, frame));
  const isTuple = parts.length > 1;
  return itemOf(machine, object, isTuple ? keys : [keys[0] ?? null], isTuple);
}

/** An index or a slice. */
function keyOf(machine: Machine, part: readonly SyntaxNode[], frame: Frame): Value {
  const [only] = part;
  if (!part.some(({ name }) => name === ':')) return only ? machine.evaluate(only, frame) : null;
  const ends: Value[] = [null, null, null];
  let at = 0;
  for (const child of part) {
    if (child.name === ':') at += 1;
    else ends[at] = machine.evaluate(child, frame);
  }
  return new Slice(ends[0] ?? null, ends[1] ?? null, ends[2] ?? null);
}

function call(machine: Machine, node: SyntaxNode, frame: Frame): Value {
  const [callee] = childrenOf(node);
  const argList = node.getChild('ArgList');
  if (!callee || !argList) return UNKNOWN;
  const name = callee.name === 'VariableName' ? textOf(callee, frame) : '';
  if (name === 'super') return superOf(machine, frame);
  const target = machine.evaluate(callee, frame);
  return machine.call(target, argumentsOf(machine, argList, frame));
}

function argumentsOf(machine: Machine, node: SyntaxNode, frame: Frame): Args {
  const children = contents(node);
  if (children.some(({ name }) => name === 'for')) {
    return { list: [comprehended(machine, children, frame)], named: new Map() };
  }
  const positional: Value[] = [];
  const named = new Map<string, Value>();
  for (let at = 0; at < children.length; at++) {
    const child = children[at];
    const next = children[at + 1];
    if (!child) continue;
    if (child.name === '*' && next) {
      const spread = machine.evaluate(next, frame);
      positional.push(...(spread === UNKNOWN ? [UNKNOWN] : machine.items(spread)));
      at += 1;
    } else if (child.name === '**' && next) {
      const spread = machine.evaluate(next, frame);
      if (spread instanceof Dictionary) {
        for (const [key, one] of spread.entries) named.set(wordOf(key), one);
      }
      at += 1;
    } else if (next?.name === 'AssignOp') {
      const value = children[at + 2];
      if (value) named.set(textOf(child, frame), machine.evaluate(value, frame));
      at += 2;
    } else positional.push(machine.evaluate(child, frame));
  }
  return { list: positional, named };
}
