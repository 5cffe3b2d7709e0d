import { childrenOf } from '../python/expressions';
import type { SyntaxNode } from '@lezer/common';
import type { Block, Machine } from './machine';
import { namedIn } from './together';
import type { Instance } from './values';

/** More passes of a step are no networks of one step, but a loop over data. */
const MOST = 32;

/**
 * How often a step calls each of the networks that it trains together, at least once: a discriminator judges what is real, what is made,
 * and again for the generator. Counted is the innermost loop, or the function, that calls all of them and has all backward passes.
 */
export function passesOf({ blocks }: Machine, networks: readonly Instance[]): readonly number[] {
  const seen = new Set<string>();
  const totals = networks.map(() => 0);
  for (const block of blocks) {
    const key = `${block.body.from} ${block.text.length}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const named = [...namedIn(block)];
    const names = networks.map(one => new Set(named.flatMap(([name, of]) => (of === one ? [name] : []))));
    if (names.some(({ size }) => size === 0)) continue;
    const step = stepIn(block.body, block, names);
    if (step === null) continue;
    for (const [at, own] of names.entries()) totals[at] = (totals[at] ?? 0) + callsIn(step, block, own);
  }
  return totals.map(count => Math.min(MOST, Math.max(1, count)));
}

type Names = ReadonlySet<string>;

const LOOPS: ReadonlySet<string> = new Set(['ForStatement', 'WhileStatement']);
const DEFINITIONS: ReadonlySet<string> = new Set([
  'FunctionDefinition',
  'ClassDefinition',
  'LambdaExpression',
]);

/** The innermost code that calls all networks and has all backward passes around it; null: there is none. */
function stepIn(node: SyntaxNode, block: Block, names: readonly Names[]): SyntaxNode | null {
  const passes = backwardIn(node, block);
  if (passes === 0 || !names.every(own => callsIn(node, block, own) > 0)) return null;
  for (const inner of loopsIn(node)) {
    // A critic's own loop is a part of the step. Of loops one after the other, each is a training.
    const isWhole = !LOOPS.has(node.name) || backwardIn(inner, block) === passes;
    const found = isWhole ? stepIn(inner, block, names) : null;
    if (found) return found;
  }
  return node;
}

const backwardIn = ({ from, to }: SyntaxNode, { text }: Block): number =>
  text.slice(from, to).split('backward(').length - 1;

function loopsIn(node: SyntaxNode): readonly SyntaxNode[] {
  return childrenOf(node).flatMap(child => {
    if (DEFINITIONS.has(child.name)) return [];
    return LOOPS.has(child.name) ? [child] : loopsIn(child);
  });
}

/** Calls that run in every step and keep a graph: not those of every hundredth step, nor those without gradients. */
function callsIn(node: SyntaxNode, block: Block, names: Names): number {
  if (DEFINITIONS.has(node.name)) return 0;
  const children = childrenOf(node);
  const [callee] = children;
  const body = children.find(({ name }) => name === 'Body');
  const head = body ? block.text.slice(node.from, body.from) : '';
  if (node.name === 'IfStatement' && head.includes('%')) return 0;
  if (node.name === 'WithStatement' && /no_grad|inference_mode/.test(head)) return 0;
  const inner = children.reduce((sum, child) => sum + callsIn(child, block, names), 0);
  if (node.name === 'ForStatement') return inner * repeatsOf(head, block);
  const name = node.name === 'CallExpression' && callee ? block.text.slice(callee.from, callee.to) : '';
  return names.has(name.slice(name.lastIndexOf('.') + 1)) ? inner + 1 : inner;
}

/** `for _ in range(5)`; what is not known, and a loop over data, counts once. */
function repeatsOf(head: string, { scope }: Block): number {
  const [, given = ''] = /\brange\((\w+)\)/.exec(head) ?? [];
  const count = /^\d+$/.test(given) ? Number(given) : scope.get(given);
  return typeof count === 'number' && count <= MOST ? Math.max(1, count) : 1;
}
