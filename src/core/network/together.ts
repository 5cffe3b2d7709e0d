import { childrenOf } from '../python/expressions';
import type { SyntaxNode } from '@lezer/common';
import { isNetwork } from './calls';
import type { Block, Machine } from './machine';
import { networksIn, parametersOf } from './modules';
import { Dictionary, elementsOf, Instance } from './values';
import type { Value } from './values';

/** Parameters of a network, counted in elements. */
export const sizeOf = (part: Instance): number =>
  parametersOf(part).reduce((sum, { shape }) => sum + elementsOf(shape), 0);

/** Whether what optimizers get is of a network that could not be made: those that were made are beside it. */
const isUnmade = ({ optimized, hasOpenOptimizer, whyNot }: Machine): boolean =>
  whyNot !== null && hasOpenOptimizer && optimized.size === 0;

/** The largest network that a program has made and that an optimizer has, if any has one; null: it is not known. */
export function largestOf(machine: Machine): Instance | null {
  if (isUnmade(machine)) return null;
  const { made, sequences, optimized } = machine;
  const sized = (made.length > 0 ? made : sequences)
    .map(one => ({ one, size: sizeOf(one) }))
    .filter(({ size }) => size > 0)
    .sort((a, b) => b.size - a.size);
  const trained = sized.find(({ one }) => isOptimized(one, optimized));
  return (trained ?? sized[0])?.one ?? null;
}

/** Models of a library that may be what trains: those of networks beside it are not. */
export const namedBy = (machine: Machine): readonly string[] =>
  isUnmade(machine) && machine.made.length > 0 ? [] : [...machine.named];

const isOptimized = (network: Instance, optimized: Machine['optimized']): boolean =>
  parametersOf(network).some(({ storage }) => optimized.has(storage));

/** More networks than these are an ensemble, or a list of what may be trained. */
const MOST_BESIDE = 8;

/**
 * The other networks of a training step: names of both stand in one loop, or in one call. What no optimizer has is frozen:
 * a teacher, a target network, an average of the weights.
 */
export function trainedBeside(machine: Machine, network: Instance): readonly Instance[] {
  const { blocks, optimized, frozen } = machine;
  if (!isOptimized(network, optimized)) return [];
  const own = new Set<unknown>(networksIn(network));
  const found = new Set<Instance>();
  for (const block of blocks) {
    const named = namedIn(block);
    const names = [...named].filter(([, of]) => of === network).map(([name]) => name);
    if (names.length === 0) continue;
    const texts = stepsIn(block.body, block.text).filter(text => names.some(name => has(text, name)));
    for (const [name, other] of named) {
      if (!own.has(other) && texts.some(text => has(text, name))) found.add(other);
    }
  }
  const wholes = [...found].filter(one => !networksIn(one).includes(network) && sizeOf(one) > 0);
  const inner = new Set(wholes.flatMap(one => networksIn(one).slice(1)));
  const others = wholes.filter(one => !inner.has(one)).slice(0, MOST_BESIDE);
  for (const one of others) {
    if (isOptimized(one, optimized)) continue;
    for (const { storage } of parametersOf(one)) frozen.add(storage);
  }
  return others;
}

const has = (text: string, name: string): boolean => {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
    if (!/\w/.test(text[at - 1] ?? '') && !/\w/.test(text[at + name.length] ?? '')) return true;
  }
  return false;
};

/** Networks by the names of a block, and by attributes and keys of what has a name: `self.generator`, `nets["D"]`. */
export function namedIn({ scope }: Block): ReadonlyMap<string, Instance> {
  const found = new Map<string, Instance>();
  const add = (name: unknown, value: Value): void => {
    if (typeof name === 'string' && isOne(value)) found.set(name, value);
  };
  for (const [name, value] of scope.names) {
    add(name, value);
    if (isOne(value)) continue;
    const inside = value instanceof Dictionary ? value.entries : attributesOf(value);
    for (const [key, one] of inside) add(key, one);
  }
  return found;
}

const attributesOf = (value: Value): Iterable<readonly [string, Value]> =>
  value instanceof Instance ? value.attributes : [];

/** A network of a class of the program, or layers behind each other. */
const isOne = (value: Value): value is Instance =>
  value instanceof Instance &&
  value.layer === null &&
  (value.of === null ? value.again !== null && value.attributes.has('#items') : isNetwork(value.of));

const DEEPEST = 12;
/** What gathers parameters of several networks, or trains them. */
const STEPS = /\.parameters\(|train|step|fit|loss/i;

/** The texts of loops, and of calls outside them. */
function stepsIn(body: SyntaxNode, text: string, depth = 0): readonly string[] {
  if (depth > DEEPEST) return [];
  return childrenOf(body).flatMap(node => {
    const own = text.slice(node.from, node.to);
    switch (node.name) {
      case 'ForStatement':
      case 'WhileStatement':
      case 'ExpressionStatement':
        return [own];
      case 'AssignStatement':
      case 'ReturnStatement':
        return STEPS.test(own) ? [own] : [];
      case 'IfStatement':
      case 'WithStatement':
      case 'TryStatement':
      case 'Body':
        return stepsIn(node, text, depth + 1);
      default:
        return [];
    }
  });
}
