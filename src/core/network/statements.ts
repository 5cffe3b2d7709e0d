import type { SyntaxNode } from '@lezer/common';
import { childrenOf, dotted } from '../python/expressions';
import { isOpened } from './files';
import { functionOf } from './functions';
import type { Frame, Machine } from './machine';
import { ENUM, enumMember, setAttribute, setItem } from './objects';
import { binary } from './operators';
import {
  Dictionary,
  Func,
  Instance,
  isTensor,
  Klass,
  Named,
  raise,
  Raised,
  Scope,
  UNKNOWN,
  wordOf,
} from './values';
import type { Value } from './values';

/** How a block ends. */
export type End =
  | { readonly kind: 'on' | 'break' | 'continue' }
  | { readonly kind: 'return'; readonly value: Value };

const ON: End = { kind: 'on' };
/** Rounds of a `while`. */
const MOST_ROUNDS = 1000;

/** Runs the statements of a block until one ends it; `isOne`: the node is a statement itself. */
export function run(machine: Machine, body: SyntaxNode, frame: Frame, isOne = false): End {
  for (const child of isOne ? [body] : childrenOf(body)) {
    const end = statement(machine, child, frame);
    if (end.kind !== 'on') return end;
  }
  return ON;
}

function statement(machine: Machine, node: SyntaxNode, frame: Frame): End {
  machine.step();
  if (machine.lenient !== frame.home || frame.of !== null) return executed(machine, node, frame);
  try {
    return executed(machine, node, frame);
  } catch (error) {
    if (!(error instanceof Raised)) throw error;
    unknownTargets(machine, node, frame);
    return ON;
  }
}

/** What a statement that failed would have bound is unknown. */
function unknownTargets(machine: Machine, node: SyntaxNode, frame: Frame): void {
  if (node.name !== 'AssignStatement') return;
  for (const child of childrenOf(node)) {
    if (child.name === 'AssignOp') return;
    if (child.name === 'VariableName') assign(machine, child, UNKNOWN, frame);
  }
}

function executed(machine: Machine, node: SyntaxNode, frame: Frame): End {
  switch (node.name) {
    case 'StatementGroup':
      return run(machine, node, frame);
    case 'ReturnStatement':
      return { kind: 'return', value: returned(machine, node, frame) };
    case 'BreakStatement':
      return { kind: 'break' };
    case 'ContinueStatement':
      return { kind: 'continue' };
    case 'IfStatement':
      return branches(machine, node, frame);
    case 'ForStatement':
      return loop(machine, node, frame);
    case 'WhileStatement':
      return rounds(machine, node, frame);
    case 'WithStatement':
      return within(machine, node, frame);
    case 'TryStatement':
      return attempt(machine, node, frame);
    case 'RaiseStatement':
      return raise('the program raises an error');
    default:
      simple(machine, node, frame);
      return ON;
  }
}

function simple(machine: Machine, node: SyntaxNode, frame: Frame): void {
  switch (node.name) {
    case 'ImportStatement':
      imported(machine, node, frame);
      break;
    case 'AssignStatement':
      assigned(machine, node, frame);
      break;
    case 'UpdateStatement':
      updated(machine, node, frame);
      break;
    case 'ExpressionStatement':
      for (const child of childrenOf(node).slice(0, 1)) machine.evaluate(child, frame);
      break;
    case 'FunctionDefinition':
    case 'ClassDefinition':
      defined(machine, node, frame, []);
      break;
    case 'DecoratedStatement':
      decorated(machine, node, frame);
      break;
    default:
  }
}

const textOf = (node: SyntaxNode, { home }: Frame): string => home.text.slice(node.from, node.to);

function returned(machine: Machine, node: SyntaxNode, frame: Frame): Value {
  const parts = childrenOf(node).slice(1);
  return parts.length === 0 ? null : several(machine, parts, frame);
}

/** One expression, or a tuple without parentheses. */
function several(machine: Machine, nodes: readonly SyntaxNode[], frame: Frame): Value {
  const [first] = nodes;
  if (first && nodes.length === 1) return machine.evaluate(first, frame);
  return nodes.filter(({ name }) => name !== ',').map(node => machine.evaluate(node, frame));
}

function branches(machine: Machine, node: SyntaxNode, frame: Frame): End {
  let isTaken = false;
  for (const child of childrenOf(node)) {
    if (child.name === 'else') isTaken = true;
    else if (child.name === 'Body') {
      if (isTaken) return run(machine, child, frame);
    } else if (child.name !== 'if' && child.name !== 'elif') {
      isTaken = isHeld(machine, child, frame);
    }
  }
  return ON;
}

/** Conditions about the config, which the run is started with. */
const ABOUT_CONFIG = /\b(?:conf|cfg|config|yaml)(?:_?(?:file|path|name))?\b(?!\s*(?:is|==)\s*None)/i;

/** Whether a branch is taken; in the program that is started, the config is known to be given. */
function isHeld(machine: Machine, test: SyntaxNode, frame: Frame): boolean {
  const value = machine.evaluate(test, frame);
  const text = frame.home.text.slice(test.from, test.to);
  const isGiven = value === UNKNOWN && machine.lenient === frame.home && ABOUT_CONFIG.test(text);
  return isGiven ? !/^not\b/.test(text) : machine.holds(value);
}

function loop(machine: Machine, node: SyntaxNode, frame: Frame): End {
  const children = childrenOf(node).filter(({ name }) => name !== 'async');
  const at = children.findIndex(({ name }) => name === 'in');
  const over = children.slice(at + 1).filter(({ name }) => name !== 'Body' && name !== 'else');
  const body = children.find(({ name }) => name === 'Body');
  const targets = children.slice(1, at).filter(({ name }) => name !== ',');
  if (at < 0 || !body) return ON;
  const trains = TRAINS.test(textOf(body, frame));
  for (const item of machine.items(several(machine, over, frame))) {
    assignAll(machine, targets, item, frame);
    const end = run(machine, body, frame);
    if (end.kind === 'break' || trains) return ON;
    if (end.kind === 'return') return end;
  }
  return ON;
}

/** A loop of steps ends after the first one: each makes what that makes. */
const TRAINS = /\.backward\(|\.step\(/;

/** `a, b` take an item's parts. */
export function assignAll(
  machine: Machine,
  targets: readonly SyntaxNode[],
  value: Value,
  frame: Frame,
): void {
  const [only] = targets;
  if (only && targets.length === 1) assign(machine, only, value, frame);
  else unpack(machine, targets, value, frame);
}

function rounds(machine: Machine, node: SyntaxNode, frame: Frame): End {
  const [, test] = childrenOf(node);
  const body = node.getChild('Body');
  const trains = body !== null && TRAINS.test(textOf(body, frame));
  for (let round = 0; test && body && round < MOST_ROUNDS; round++) {
    if (!machine.holds(machine.evaluate(test, frame))) return ON;
    const end = run(machine, body, frame);
    if (end.kind === 'break' || trains) return ON;
    if (end.kind === 'return') return end;
  }
  return raise('a loop that does not end');
}

/** A file is opened. */
const OPENS = /\bopen\(/;

function within(machine: Machine, node: SyntaxNode, frame: Frame): End {
  const body = node.getChild('Body');
  const head = textOf(node, frame).slice(0, 200).split(':')[0] ?? '';
  const outer = machine.trace.records;
  if (/no_grad|inference_mode/.test(head)) machine.trace.records = false;
  childrenOf(node).forEach((child, at, all) => {
    const target = all[at + 1];
    const source = all[at - 1];
    if (child.name !== 'as' || !target || !source) return;
    const given = OPENS.test(textOf(source, frame)) ? machine.evaluate(source, frame) : UNKNOWN;
    assign(machine, target, isOpened(given) ? given : UNKNOWN, frame);
  });
  try {
    return body ? run(machine, body, frame) : ON;
  } finally {
    machine.trace.records = outer;
  }
}

function attempt(machine: Machine, node: SyntaxNode, frame: Frame): End {
  const bodies = node.getChildren('Body');
  const words = childrenOf(node).map(({ name }) => name);
  const [body] = bodies;
  if (!body) return ON;
  try {
    return run(machine, body, frame);
  } catch (error) {
    const handler = bodies[1];
    if (!(error instanceof Raised) || !words.includes('except') || !handler) throw error;
    return run(machine, handler, frame);
  }
}

function imported(machine: Machine, node: SyntaxNode, frame: Frame): void {
  const words = childrenOf(node).map(child => textOf(child, frame));
  const from = words[0] === 'from';
  const at = words.indexOf('import');
  const module = from ? words.slice(1, at).join('') : '';
  const parts = words
    .slice(at + 1)
    .filter(word => word !== '(' && word !== ')')
    .join(' ')
    .split(' , ');
  for (const part of parts) {
    const [path = '', local] = part.split(/ as /).map(word => word.replaceAll(' ', ''));
    if (path === '') continue;
    if (!from) {
      const [first = path] = path.split('.');
      const whole = local === undefined ? first : path;
      frame.scope.set(local ?? first, machine.imported(whole, null, frame.home.path) ?? new Named(whole));
    } else {
      const found = machine.imported(module, path, frame.home.path) ?? new Named(dotted(module, path));
      if (path !== '*') frame.scope.set(local ?? path, found);
      else if (found instanceof Dictionary) {
        for (const [name, value] of found.entries) frame.scope.set(wordOf(name), value);
      }
    }
  }
}

function assigned(machine: Machine, node: SyntaxNode, frame: Frame): void {
  const sides: SyntaxNode[][] = [[]];
  for (const child of childrenOf(node)) {
    if (child.name === 'AssignOp') sides.push([]);
    else if (child.name !== 'TypeDef') sides.at(-1)?.push(child);
  }
  const [value, ...targets] = sides.toReversed();
  if (!value || targets.length === 0) return;
  const result = several(machine, value, frame);
  for (const target of targets) {
    assignAll(
      machine,
      target.filter(({ name }) => name !== ','),
      result,
      frame,
    );
  }
}

function updated(machine: Machine, node: SyntaxNode, frame: Frame): void {
  const [target, sign, value] = childrenOf(node);
  if (!target || !sign || !value) return;
  const operator = textOf(sign, frame).slice(0, -1);
  const [left, right] = [machine.evaluate(target, frame), machine.evaluate(value, frame)];
  if (Array.isArray(left) && operator === '+') left.push(...machine.items(right));
  else assign(machine, target, binary(machine, operator, left, right), frame);
}

/** Binds a name, an attribute or an item to a value. */
export function assign(machine: Machine, target: SyntaxNode, value: Value, frame: Frame): void {
  switch (target.name) {
    case 'VariableName':
      frame.scope.set(textOf(target, frame), value);
      break;
    case 'TupleExpression':
    case 'ArrayExpression':
    case 'ParenthesizedExpression':
      unpack(
        machine,
        childrenOf(target).filter(({ name }) => !/^[()[\],]$/.test(name)),
        value,
        frame,
      );
      break;
    case 'MemberExpression':
      assignMember(machine, target, value, frame);
      break;
    default:
  }
}

function unpack(machine: Machine, targets: readonly SyntaxNode[], value: Value, frame: Frame): void {
  const plain = targets.filter(({ name }) => name !== '*');
  const star = targets.findIndex(({ name }) => name === '*');
  if (value === UNKNOWN) {
    for (const target of plain) assign(machine, target, UNKNOWN, frame);
    return;
  }
  const items = machine.items(value);
  if (star < 0 && items.length !== plain.length) raise('a wrong number of values to unpack');
  plain.forEach((target, at) => {
    const behind = plain.length - 1 - at;
    if (star < 0 || at < star) assign(machine, target, items[at] ?? UNKNOWN, frame);
    else if (at === star) assign(machine, target, items.slice(at, items.length - behind), frame);
    else assign(machine, target, items[items.length - 1 - behind] ?? UNKNOWN, frame);
  });
}

function assignMember(machine: Machine, target: SyntaxNode, value: Value, frame: Frame): void {
  const [of, ...rest] = childrenOf(target);
  const property = target.getChild('PropertyName');
  if (!of) return;
  const object = machine.evaluate(of, frame);
  if (property) {
    setAttribute(machine, object, textOf(property, frame), value);
    return;
  }
  const index = rest.find(({ name }) => name !== '[' && name !== ']' && name !== '.');
  if (!index || isTensor(object)) return;
  const key = machine.evaluate(index, frame);
  if (object instanceof Dictionary) object.entries.set(key, value);
  else if (Array.isArray(object) && typeof key === 'number') {
    object[key < 0 ? object.length + key : key] = value;
  } else if (object instanceof Instance) setItem(object, key, value);
}

function decorated(machine: Machine, node: SyntaxNode, frame: Frame): void {
  const words = node.getChildren('Decorator').map(child => textOf(child, frame));
  const inner = node.getChild('FunctionDefinition') ?? node.getChild('ClassDefinition');
  if (inner) defined(machine, inner, frame, words);
}

function defined(machine: Machine, node: SyntaxNode, frame: Frame, decorators: readonly string[]): void {
  const name = node.getChild('VariableName');
  if (!name) return;
  const made =
    node.name === 'ClassDefinition'
      ? classOf(machine, node, frame, decorators)
      : functionOf(machine, node, frame, decorators);
  frame.scope.set(textOf(name, frame), made);
}

function classOf(machine: Machine, node: SyntaxNode, frame: Frame, decorators: readonly string[]): Klass {
  const name = node.getChild('VariableName');
  const list = node.getChild('ArgList');
  const body = node.getChild('Body');
  const bases = childrenOf(list ?? node)
    .filter(({ name: kind }) => list !== null && (kind === 'VariableName' || kind === 'MemberExpression'))
    .map(child => machine.evaluate(child, frame));
  const fields = (body ? childrenOf(body) : [])
    .filter(
      ({ name: kind, firstChild }) =>
        kind === 'AssignStatement' && firstChild?.nextSibling?.name === 'TypeDef',
    )
    .map(({ firstChild }) => (firstChild ? textOf(firstChild, frame) : ''));
  const isDataclass = decorators.some(word => /dataclass|attrs|define/.test(word));
  const made = new Klass(
    name ? textOf(name, frame) : '',
    bases,
    frame.home,
    isDataclass,
    isDataclass ? fields : [],
  );
  const scope = new Scope(frame.scope);
  // A method sees the names around the class, not those in it.
  if (body) run(machine, body, { ...frame, scope, of: made, inClass: true });
  const isEnum = bases.some(one => one instanceof Named && ENUM.test(one.path));
  for (const [key, value] of scope.names) {
    made.attributes.set(key, isEnum && !(value instanceof Func) ? enumMember(made, key, value) : value);
  }
  return made;
}
