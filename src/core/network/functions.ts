import type { SyntaxNode } from '@lezer/common';
import { childrenOf } from '../python/expressions';
import type { Frame, Machine } from './machine';
import { Func } from './values';
import type { Parameter, Value } from './values';

/** What it yields is not followed: it may be endless, as rows of data are. */
function isGenerator(body: SyntaxNode, text: (of: SyntaxNode) => string): boolean {
  if (!/\byield\b/.test(text(body))) return false;
  let yields = false;
  body.cursor().iterate(({ name }) => {
    yields ||= name.startsWith('Yield');
    return name !== 'FunctionDefinition' && name !== 'LambdaExpression';
  });
  return yields;
}

/** A function or a lambda where it is defined: its defaults are computed there. */
export function functionOf(
  machine: Machine,
  node: SyntaxNode,
  frame: Frame,
  decorators: readonly string[] = [],
): Func {
  const text = (of: SyntaxNode): string => frame.home.text.slice(of.from, of.to);
  const name = node.getChild('VariableName');
  const list = node.getChild('ParamList');
  const parameters = list ? parametersOf(list, text) : [];
  const defaults = new Map<string, Value>();
  for (const { name: key, byDefault } of parameters) {
    if (byDefault) defaults.set(key, machine.evaluate(byDefault, frame));
  }
  const body = node.getChild('Body') ?? childrenOf(node).at(-1) ?? node;
  const { scope, home, of, inClass } = frame;
  const closure = inClass ? (scope.above ?? scope) : scope;
  const wraps = isGenerator(body, text) ? 'unknown' : wrapsOf(decorators);
  return new Func(name ? text(name) : '', parameters, body, closure, home, of, wraps, defaults);
}

const WRAPS: readonly (readonly [RegExp, Func['wraps']])[] = [
  [/^@(?:cached_)?property\b|^@functools\.cached_property|\.setter\b/, 'property'],
  [/hydra\.main|^@hydra_runner/, 'config'],
  [/^@staticmethod/, 'static'],
  [/^@classmethod/, 'class'],
];

function wrapsOf(decorators: readonly string[]): Func['wraps'] {
  for (const word of decorators) {
    const found = WRAPS.find(([pattern]) => pattern.test(word));
    if (found) return found[1];
  }
  return null;
}

function parametersOf(list: SyntaxNode, text: (node: SyntaxNode) => string): readonly Parameter[] {
  const parameters: Parameter[] = [];
  let stars: 0 | 1 | 2 = 0;
  let isDefault = false;
  let byName = false;
  for (const child of childrenOf(list)) {
    const last = parameters.at(-1);
    if (child.name === '*' || child.name === '**') stars = child.name === '*' ? 1 : 2;
    else if (child.name === 'AssignOp') isDefault = true;
    else if (/^[,():]$/.test(child.name)) {
      // A star alone: what follows is given by name.
      if (stars === 1) byName = true;
      [isDefault, stars] = [false, 0];
    } else if (isDefault && last) parameters[parameters.length - 1] = { ...last, byDefault: child };
    else if (child.name === 'VariableName') {
      parameters.push({ name: text(child), byDefault: null, stars, byName });
      if (stars === 1) byName = true;
      stars = 0;
    }
  }
  return parameters;
}
