import type { Span } from '../../text/span';
import type { Entry, MapNode, YamlNode } from '../../yaml/node';
import { resolve } from '../../yaml/path';
import { meantBy } from '../../text/editDistance';
import { patternOf } from './plain';
import type { Shape } from './format';
import { ownOf } from '../../yaml/tables';

/** A problem in a dialect file, with its place. */
export interface DefinitionProblem {
  readonly span: Span;
  /** The key's path, as formatPath writes it. */
  readonly path: readonly string[];
  /** A full sentence. */
  readonly message: string;
  /** The value has the wrong shape; it is ignored. */
  readonly isUnfit?: true;
}

type ResolvedNode = Exclude<YamlNode, { kind: 'alias' }>;

type Add = (span: Span, path: readonly string[], message: string, isUnfit: boolean) => void;

/** The parts of a tree that do not fit its shape. */
export function problemsIn(root: YamlNode, shape: Shape): DefinitionProblem[] {
  const problems: DefinitionProblem[] = [];
  walk(root, shape, [], root.span, (span, path, message, isUnfit) =>
    problems.push({ span, path, message, ...(isUnfit && { isUnfit }) }),
  );
  return problems;
}

function walk(node: YamlNode, shape: Shape, path: readonly string[], at: Span, add: Add): void {
  const found = resolve(node);
  if (found === null) return;
  const wrong = misfit(found, shape);
  if (wrong !== null) {
    add(at, path, `${path.at(-1) ?? 'The file'} ${wrong}.`, true);
    return;
  }
  if (found.kind === 'map' && shape.kind === 'object') object(found, shape, path, at, add);
  if (found.kind === 'map' && shape.kind === 'table') {
    for (const entry of found.entries) {
      pattern(entry, path, add);
      walk(entry.value, shape.of, [...path, entry.key], entry.keySpan, add);
    }
  }
  if (found.kind === 'map' && shape.kind === 'several') walk(found, shape.of, path, at, add);
  if (found.kind === 'sequence' && (shape.kind === 'list' || shape.kind === 'several')) {
    for (const [i, item] of found.items.entries()) walk(item, shape.of, [...path, String(i)], item.span, add);
  }
}

function object(
  { entries }: MapNode,
  { fields }: Extract<Shape, { kind: 'object' }>,
  path: readonly string[],
  at: Span,
  add: Add,
): void {
  for (const { key, keySpan, value } of entries) {
    const field = ownOf(fields, key);
    if (field) walk(value, field.shape, [...path, key], keySpan, add);
    else add(keySpan, [...path, key], unknownKey(key, Object.keys(fields)), true);
  }
  for (const [name, field] of Object.entries(fields)) {
    if (!field.needed || entries.some(({ key }) => key === name)) continue;
    add(at, path, `${name} is missing: ${field.text}`, false);
  }
}

function unknownKey(key: string, names: readonly string[]): string {
  const near = meantBy(key, names);
  if (near !== null) return `Unknown key ${key}. Did you mean ${near}?`;
  return names.length > 12 ? `Unknown key ${key}.` : `Unknown key ${key}. Use one of ${names.join(', ')}.`;
}

/** Text between slashes must be a regular expression. */
function pattern({ key, keySpan }: Entry, path: readonly string[], add: Add): void {
  if (path.at(-1) !== 'map' || !/^\/.+\/$/.test(key) || patternOf(key) !== null) return;
  add(keySpan, [...path, key], `${key} is not a regular expression.`, true);
}

const isPair = (node: YamlNode): boolean => {
  const at = resolve(node);
  return at?.kind === 'sequence' && at.items.length === 2 && at.items.every(isText);
};

const isText = (node: YamlNode): boolean => {
  const at = resolve(node);
  return at?.kind === 'scalar' && at.value !== null;
};

const isScalar = (node: YamlNode): boolean => resolve(node)?.kind === 'scalar';

type Fit = readonly [fits: (node: ResolvedNode) => boolean, wrong: string];

const ANY: Fit = [() => true, ''];
const TEXTS: Fit = [
  node => (node.kind === 'sequence' ? node.items.every(isText) : isText(node)),
  'takes a text or a list of texts',
];
const VALUE: Fit = [
  node => node.kind === 'scalar' || (node.kind === 'sequence' && node.items.every(isScalar)),
  'takes a value',
];

/** The node that each kind requires, with the end of a sentence for misfits. Children are checked later. */
const MISFITS: Readonly<Record<Exclude<Shape['kind'], 'text' | 'spec'>, Fit>> = {
  object: [node => node.kind === 'map', 'takes keys of its own, below it'],
  table: [node => node.kind === 'map', 'takes keys of its own, below it'],
  list: [node => node.kind === 'sequence', 'takes a list'],
  several: [node => node.kind !== 'scalar', 'takes keys of its own, or a list'],
  any: ANY,
  local: ANY,
  choice: ANY,
  releases: ANY,
  later: ANY,
  pair: [isPair, 'takes two keys in a list: [a, b]'],
  texts: TEXTS,
  paths: TEXTS,
  words: TEXTS,
  number: [node => node.kind === 'scalar' && typeof node.value === 'number', 'takes a number'],
  flag: [node => node.kind === 'scalar' && typeof node.value === 'boolean', 'takes true or false'],
  value: VALUE,
  values: VALUE,
  plain: VALUE,
};

/** Why a node does not fit, as the end of a sentence; null if it fits. */
function misfit(node: ResolvedNode, shape: Shape): string | null {
  if (shape.kind === 'text' || shape.kind === 'spec') {
    return shape.kind === 'spec' && !shape.oneOf ? null : textMisfit(node, shape.oneOf);
  }
  const [fits, wrong] = MISFITS[shape.kind];
  return fits(node) ? null : wrong;
}

function textMisfit(node: ResolvedNode, oneOf: readonly string[] | undefined): string | null {
  if (node.kind !== 'scalar' || (node.value === null && !oneOf?.includes('null'))) return 'takes a text';
  const valueText = String(node.value);
  return !oneOf || oneOf.includes(valueText)
    ? null
    : `is ${valueText}, which is not one of ${oneOf.join(', ')}`;
}
