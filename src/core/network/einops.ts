import { product } from './tensors';
import { tensorIn } from './torchFunction';
import type { TorchFunction } from './torchFunction';
import { elementsOf, isTensor, numberOf, raise } from './values';
import { einsumWork } from './work';
import type { Args, Value } from './values';

/** `b (h w) c` as groups of names. */
function groupsOf(pattern: string): readonly (readonly string[])[] {
  const groups: string[][] = [];
  let inside: string[] | null = null;
  for (const word of pattern.match(/[()]|[^\s()]+/g) ?? []) {
    if (word === '(') inside = [];
    else if (word === ')') {
      groups.push(inside ?? []);
      inside = null;
    } else if (inside) inside.push(word);
    else groups.push([word]);
  }
  return groups;
}

/** Sizes of the names on the left, of which each group may leave one open. */
function sizesIn(
  groups: readonly (readonly string[])[],
  shape: readonly number[],
  named: ReadonlyMap<string, Value>,
): Map<string, readonly number[]> {
  const sizes = new Map<string, readonly number[]>();
  for (const [name, value] of named) if (typeof value === 'number') sizes.set(name, [value]);
  const dots = groups.findIndex(([name]) => name === '...');
  const more = shape.length - groups.length;
  if (dots < 0 ? more !== 0 : more < -1) raise('a pattern for other dimensions');
  if (dots >= 0) sizes.set('...', shape.slice(dots, dots + more + 1));
  groups.forEach((group, at) => {
    if (at === dots) return;
    const size = shape[dots >= 0 && at > dots ? at + more : at] ?? 1;
    const open = group.filter(name => !sizes.has(name) && !/^\d+$/.test(name));
    const known = group.reduce((all, name) => all * (sizes.get(name)?.[0] ?? (Number(name) || 1)), 1);
    const [only, ...others] = open;
    if (others.length > 0 || size % known !== 0) raise('a pattern leaves sizes open');
    if (only !== undefined) sizes.set(only, [size / known]);
    else if (known !== size) raise('a pattern of other sizes');
  });
  return sizes;
}

function shapeOf(
  groups: readonly (readonly string[])[],
  sizes: ReadonlyMap<string, readonly number[]>,
): readonly number[] {
  return groups.flatMap(group => {
    if (group[0] === '...') return sizes.get('...') ?? [];
    return [group.reduce((all, name) => all * (sizes.get(name)?.[0] ?? numberOf(Number(name))), 1)];
  });
}

const patternIn = ({ list, named }: Args): string => {
  const pattern = list[1] ?? named.get('pattern');
  return typeof pattern === 'string' ? pattern : raise('a pattern is not known');
};

/** The shape that a pattern of einops turns another into. */
export function patterned(
  pattern: string,
  shape: readonly number[],
  named: ReadonlyMap<string, Value>,
): readonly number[] {
  const [left = '', right = ''] = pattern.split('->');
  return shapeOf(groupsOf(right), sizesIn(groupsOf(left), shape, named));
}

export const rearranged: TorchFunction = ({ trace }, args) => {
  const x = tensorIn(args);
  const shape = patterned(patternIn(args), x.shape, args.named);
  if (elementsOf(shape) !== elementsOf(x.shape)) raise('a pattern of another size');
  return trace.view(x, shape);
};

export const repeated: TorchFunction = ({ trace }, args) => {
  const x = tensorIn(args);
  return trace.result(patterned(patternIn(args), x.shape, args.named), [x]);
};

/** einsum with names for dimensions: a product that keeps its factors. */
export const einsum: TorchFunction = ({ trace }, args) => {
  const [pattern, ...rest] = args.list;
  const given = rest.flatMap(one => (Array.isArray(one) ? one : [one])).filter(isTensor);
  if (typeof pattern !== 'string') return raise('a pattern is not known');
  const [left = '', right = ''] = pattern.replaceAll(' ', '').split('->');
  const sizes = new Map<string, number>();
  left.split(',').forEach((names, at) => {
    names.split('').forEach((name, place) => sizes.set(name, given[at]?.shape[place] ?? 1));
  });
  const shape = right.split('').map(name => sizes.get(name) ?? raise('a pattern leaves sizes open'));
  return product(trace, given, shape, einsumWork(left.split(','), right, sizes));
};
