import { dialectOf, dialectOfRun } from '../dialects/find';
import type { Dialect } from '../dialects/dialect';
import { loaded } from '../yaml/scalars';
import { isOwn } from '../dialects/engine/sources';
import { Layers } from '../dialects/engine/layers';
import type { ResolvedNode } from '../dialects/engine/layers';
import type { ScalarValue } from '../yaml/node';
import type { RunSpec, SourceFile } from '../spec/runSpec';

type RawNode = ResolvedNode;

/** Anything that answers for keys in a config's own words: a rule's context, or one file of the run. */
export interface Keys {
  raw(path: string): RawNode | null;
}

/** The run's own files: the config and what is laid over it, in the sections where the dialect's keys may stand. */
export function ownLayers(run: RunSpec): Layers {
  return layersOf(dialectOfRun(run), run.sources.filter(isOwn));
}

/** The run's file of a dialect that another one names (`deepspeed`, `accelerate`); null when there is none. */
export function namedLayers(run: RunSpec, dialect: string): Layers | null {
  const source = run.sources.find(one => one.dialect === dialect && !isOwn(one));
  return source ? layersOf(dialectOf(dialect), [source]) : null;
}

/** The keys of a file that the run names. */
export function fileOf(run: RunSpec, dialect: string): Keys | null {
  const layers = namedLayers(run, dialect);
  return layers && keysIn(layers);
}

export const keysIn = (layers: Layers): Keys => ({ raw: path => layers.find(path)?.node ?? null });

function layersOf({ roots, loader }: Dialect, sources: readonly SourceFile[]): Layers {
  return new Layers(sources, roots, loader);
}

/** Text that spells "no" though Python takes any text for true: parsers differ on it, so nothing follows from it. */
const SPELLS_NO = /^(?:false|no|off|n|f|0|none|null)$/i;

/**
 * What Python sees behind a key: a scalar as PyYAML loads it, `true` or `false` for collections with or without
 * entries. Undefined when only the program that reads the file can tell (`${…}`, tags, templates).
 */
function python(node: RawNode | null): ScalarValue | undefined {
  if (node === null) return null;
  if (node.kind === 'map') return node.entries.length > 0;
  if (node.kind === 'sequence') return node.items.length > 0;
  return node.opaque ? undefined : loaded(node, 'pyyaml');
}

/** NaN is true to Python, unlike here. */
const truth = (value: ScalarValue | undefined): boolean => Boolean(value) || Number.isNaN(value);

/** True when the key certainly holds something Python takes for true. */
export function isOn(keys: Keys, path: string): boolean {
  const value = python(keys.raw(path));
  return typeof value === 'string' ? value !== '' && !SPELLS_NO.test(value) : truth(value);
}

/** True when the key certainly holds something Python takes for false, absence included. */
export function isOff(keys: Keys, path: string): boolean {
  const value = python(keys.raw(path));
  return value !== undefined && !truth(value);
}

/** True when the key holds this very boolean, not merely something like it. */
export function says(keys: Keys, path: string, value: boolean): boolean {
  const node = keys.raw(path);
  return node?.kind === 'scalar' && python(node) === value;
}

/** True when the key is there and holds null: taken back, not merely left out. */
export function isNull(keys: Keys, path: string): boolean {
  const node = keys.raw(path);
  return node?.kind === 'scalar' && python(node) === null;
}

/** True when the key is there with any value but null; what cannot be read counts as stated. */
export function isStated(keys: Keys, path: string): boolean {
  return python(keys.raw(path)) !== null;
}

/** The text of a key, or null when it holds none or one that cannot be read here. */
export function textOf(keys: Keys, path: string): string | null {
  const value = python(keys.raw(path));
  return typeof value === 'string' ? value : null;
}

/** The number of a key, quoted ones and `500_000` included as frameworks cast them; null when there is none. */
export function numberOf(keys: Keys, path: string): number | null {
  const value = python(keys.raw(path));
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  const text = typeof value === 'string' ? value.replaceAll('_', '') : '';
  return /^[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?$/.test(text) ? Number(text) : null;
}

/** The texts of a list, or of the single text that stands for one; null when part of it cannot be read. */
export function textsOf(keys: Keys, path: string): readonly string[] | null {
  const node = keys.raw(path);
  if (node?.kind !== 'sequence') return node === null ? [] : single(textOf(keys, path));
  const texts = node.items.map((_, i) => textOf(keys, `${path}[${i}]`));
  return texts.every(text => text !== null) ? texts : null;
}

const single = (text: string | null): readonly string[] | null => (text === null ? null : [text]);

/** Names of the keys of a mapping, '' for the root; empty when there is none. */
export function keysBelow(keys: Keys, path: string): readonly string[] {
  const node = keys.raw(path);
  return node?.kind === 'map' ? node.entries.map(entry => entry.key) : [];
}
