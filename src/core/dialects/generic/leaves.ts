import type { ScalarNode, ScalarValue, SequenceNode, YamlNode } from '../../yaml/node';
import { formatPath, parsePath, resolve } from '../../yaml/path';
import type { YamlPath } from '../../yaml/path';
import { loaded } from '../../yaml/scalars';
import type { Hit } from '../engine/layers';
import type { RunReader } from '../engine/runReader';
import { basename } from '../../text/paths';
import { words } from './vocabulary';

/** The topic of the sections around a key. */
export type Place = 'training' | 'evaluation' | 'elsewhere';

/** A value at any place of a config, with its normalized name. */
export interface Leaf {
  /** The full path, as formatPath writes it. */
  readonly key: string;
  /** In lower case, with underscores between words. */
  readonly name: string;
  /** Names of the enclosing sections, nearest first. */
  readonly sections: readonly string[];
  readonly place: Place;
  readonly node: ScalarNode | SequenceNode;
  /** Null for lists, and for values that are only known at run time. */
  readonly value: ScalarValue;
}

/** Limit of values: configs have hundreds. */
const MOST_LEAVES = 3000;
const DEEPEST = 8;

/** The values of a document in file order; skips lists of several sections. */
export function leavesOf(root: YamlNode): readonly Leaf[] {
  const leaves: Leaf[] = [];
  walk(root, [], [], leaves);
  return leaves;
}

/** Hydra's list of defaults: what it names are files. */
const isOfHydra = ([first]: YamlPath): boolean => first === 'defaults';

/** The values of a composed config, with their keys as they are asked for. */
export function leavesOfRun(run: Pick<RunReader, 'leaves'>): readonly Leaf[] {
  const labels = optionLabels(run);
  return run.leaves().flatMap(({ key, node }) => {
    if (labels.has(key)) return [];
    const path = parsePath(key);
    const names = path.map(part => plainName(String(part))).toReversed();
    const [name = '', ...sections] = names;
    const leaves: Leaf[] = [];
    if (node.kind !== 'map' && !isOfHydra(path)) add(node, path, [name, ...sections], leaves);
    return leaves;
  });
}

/**
 * Keys with the name of the file that they stand in, which also names a model or states sizes: `name: small` in
 * `model/small.yaml` is what an option is called.
 */
function optionLabels(run: Pick<RunReader, 'leaves'>): ReadonlySet<string> {
  const hits = run.leaves();
  const labels = hits.filter(
    ({ node, path, source }) =>
      node.kind === 'scalar' &&
      plainName(String(path.at(-1))) === 'name' &&
      basename(source.path).replace(/\.ya?ml$/, '') === node.value,
  );
  const describes = ({ node, path }: Hit): boolean =>
    node.kind === 'scalar' &&
    (typeof node.value === 'number' ? words.dimensions : words.modelName).test(
      plainName(String(path.at(-1))),
    );
  return new Set(
    labels
      .filter(label => hits.some(hit => hit.source === label.source && describes(hit)))
      .map(({ key }) => key),
  );
}

function walk(node: YamlNode, path: YamlPath, sections: readonly string[], leaves: Leaf[]): void {
  // An alias's content already occurs elsewhere.
  if (node.kind !== 'map' || path.length > DEEPEST) return;
  for (const { key, value } of node.entries) {
    if (leaves.length >= MOST_LEAVES) return;
    const name = plainName(key);
    const at = resolve(value);
    if (at === null) continue;
    if (at.kind === 'map') walk(value, [...path, key], [name, ...sections], leaves);
    else if (!isOfHydra([...path, key])) add(at, [...path, key], [name, ...sections], leaves);
  }
}

/** A value; a list of one section is that section, too: `optimizers: [{lr: 1e-4}]`. */
function add(node: Leaf['node'], path: YamlPath, names: readonly string[], leaves: Leaf[]): void {
  const [name = '', ...sections] = names;
  leaves.push({ ...leaf(path, name, sections), node, value: valueOf(node) });
  const [item, ...others] = node.kind === 'sequence' ? node.items : [];
  const section = item && others.length === 0 ? resolve(item) : null;
  if (section?.kind === 'map') walk(section, [...path, 0], names, leaves);
}

const leaf = (path: YamlPath, name: string, sections: readonly string[]) => ({
  key: formatPath(path),
  name,
  sections,
  place: placeOf(sections),
});

/** `perDeviceBatchSize`, `per-device-batch-size` → `per_device_batch_size`; `LoRA` is one word. */
export const plainName = (key: string): string =>
  key
    .replaceAll(/(?:Q?L|D)oRA/g, ([first, ...rest]) => `${first}${rest.join('').toLowerCase()}`)
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll(/[-\s]+/g, '_')
    .toLowerCase();

const ELSEWHERE = [words.sectionOfTransfer, words.sectionOfOtherModel, words.sectionOfAlternatives];

function placeOf(sections: readonly string[]): Place {
  if (sections.some(name => ELSEWHERE.some(pattern => pattern.test(name)))) return 'elsewhere';
  return sections.some(name => words.sectionOfEvaluation.test(name)) ? 'evaluation' : 'training';
}

/** The value as PyYAML reads it. */
function valueOf(node: ScalarNode | SequenceNode): ScalarValue {
  return node.kind === 'scalar' && node.opaque === null ? loaded(node, 'pyyaml') : null;
}
