import { dialectOf, dialectOfRun } from '../dialects/find';
import type { Dialect } from '../dialects/dialect';
import { loaded } from '../yaml/scalars';
import { isOwn } from '../dialects/engine/sources';
import { Layers } from '../dialects/engine/layers';
import type { ResolvedNode } from '../dialects/engine/layers';
import type { ScalarValue } from '../yaml/node';
import type { RunSpec, SourceFile } from '../spec/runSpec';

type RawNode = ResolvedNode;

/** Looks up keys as the config writes them: a rule's context, or one file of the run. */
export interface Keys {
  raw(path: string): RawNode | null;
}

/** The run's own files: the config and its overlays, in the sections that may hold the dialect's keys. */
export function ownLayers(run: RunSpec): Layers {
  return layersOf(dialectOfRun(run), run.sources.filter(isOwn));
}

/** The run's file of another dialect (`deepspeed`, `accelerate`); null if there is none. */
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

/** Text that spells "no", although any text is true in Python: parsers differ, so nothing follows from it. */
const SPELLS_NO = /^(?:false|no|off|n|f|0|none|null)$/i;

/**
 * A key's value as Python sees it: a scalar as PyYAML loads it, `true` or `false` for collections with or without
 * entries. Undefined if only the program that reads the file can tell (`${…}`, tags, templates).
 */
function python(node: RawNode | null): ScalarValue | undefined {
  if (node === null) return null;
  if (node.kind === 'map') return node.entries.length > 0;
  if (node.kind === 'sequence') return node.items.length > 0;
  return node.opaque ? undefined : loaded(node, 'pyyaml');
}

/** NaN is true in Python, but not in JavaScript. */
const truth = (value: ScalarValue | undefined): boolean => Boolean(value) || Number.isNaN(value);

/** True if the key's value is certainly true in Python. */
export function isOn(keys: Keys, path: string): boolean {
  const value = python(keys.raw(path));
  return typeof value === 'string' ? value !== '' && !SPELLS_NO.test(value) : truth(value);
}

/** True if the key's value is certainly false in Python, or if the key is absent. */
export function isOff(keys: Keys, path: string): boolean {
  const value = python(keys.raw(path));
  return value !== undefined && !truth(value);
}

/** True if the key holds this boolean, not merely an equivalent value. */
export function holdsBoolean(keys: Keys, path: string, value: boolean): boolean {
  const node = keys.raw(path);
  return node?.kind === 'scalar' && python(node) === value;
}

/** True if the key is present and null: explicitly removed. */
export function isNull(keys: Keys, path: string): boolean {
  const node = keys.raw(path);
  return node?.kind === 'scalar' && python(node) === null;
}

/** True if the key is present and not null; an unreadable value counts. */
export function isStated(keys: Keys, path: string): boolean {
  return python(keys.raw(path)) !== null;
}

/** The text of a key; null if it has none or if it is unreadable. */
export function textOf(keys: Keys, path: string): string | null {
  const value = python(keys.raw(path));
  return typeof value === 'string' ? value : null;
}

/** The number of a key, including quoted numbers and `500_000`, which frameworks cast; null if there is none. */
export function numberOf(keys: Keys, path: string): number | null {
  const value = python(keys.raw(path));
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  const text = typeof value === 'string' ? value.replaceAll('_', '') : '';
  return /^[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?$/.test(text) ? Number(text) : null;
}

/** The texts of a list, or a single text as a list; null if part of it is unreadable. */
export function textsOf(keys: Keys, path: string): readonly string[] | null {
  const node = keys.raw(path);
  if (node?.kind !== 'sequence') return node === null ? [] : single(textOf(keys, path));
  const texts = node.items.map((_, i) => textOf(keys, `${path}[${i}]`));
  return texts.every(text => text !== null) ? texts : null;
}

const single = (text: string | null): readonly string[] | null => (text === null ? null : [text]);

/** The keys of a mapping, '' for the root; empty if there is none. */
export function keysBelow(keys: Keys, path: string): readonly string[] {
  const node = keys.raw(path);
  return node?.kind === 'map' ? node.entries.map(entry => entry.key) : [];
}
