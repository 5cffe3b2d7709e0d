import { lineIndexOf } from '../dialects/engine/layers';
import type { Hit, Layers } from '../dialects/engine/layers';
import { shipperOf } from '../spec/runSpec';
import type { RunSpec } from '../spec/runSpec';
import type { Location, Quantity } from '../spec/quantity';
import type { Span } from '../text/span';
import type { YamlFile } from '../yaml/node';
import { formatPath, resolve } from '../yaml/path';
import { namedLayers, ownLayers } from './raw';

/** A place in one file of a run. */
export interface ReportPlace {
  readonly file: string;
  readonly span: Span;
  /** Line and column of the span's start, from 1. */
  readonly line: number;
  readonly column: number;
  /** The path from the document's root, as formatPath writes it. */
  readonly path: string;
}

/**
 * The place of a report: the first of its wishes that a file of the run has. A wish is a key (`a.b[0]`), a key in
 * the run's file of another dialect (`deepspeed:zero_optimization.stage`), or a quantity (`quantity:seqLen`). If
 * none is found: the config's first recognized key, else its first key.
 */
export function placeOf(run: RunSpec, candidates: readonly string[]): ReportPlace {
  for (const candidate of candidates) {
    const place = candidatePlace(run, candidate);
    if (place) return place;
  }
  return firstRecognized(run) ?? firstKey(run);
}

function candidatePlace(run: RunSpec, candidate: string): ReportPlace | null {
  const colon = candidate.indexOf(':');
  const scheme = colon < 0 ? '' : candidate.slice(0, colon);
  const rest = candidate.slice(colon + 1);
  if (scheme === 'quantity') return quantityPlace(run, rest, new Set());
  return keyPlace(run, scheme === '' ? ownLayers(run) : namedLayers(run, scheme), rest);
}

function keyPlace(run: RunSpec, layers: Layers | null, key: string): ReportPlace | null {
  const hit = layers?.find(key) ?? null;
  // A preset of a framework has no file on this machine.
  return hit && shipperOf(hit.source) === null ? placeAt(run, placeOfHit(hit)) : null;
}

const placeOfHit = ({ through, at }: Hit): Location => through ?? at;

function placeAt(run: RunSpec, { file, keySpan, path }: Location): ReportPlace | null {
  const source = run.sources.find(one => one.path === file);
  return source ? placeIn(source.yaml, file, keySpan, path) : null;
}

function placeIn(yaml: YamlFile, file: string, span: Span, path: string): ReportPlace {
  return { file, span, ...lineIndexOf(yaml).placeOf(span.start), path };
}

/** The key of a quantity, or of the first quantity that it is derived from. */
function quantityPlace(run: RunSpec, name: string, seen: Set<string>): ReportPlace | null {
  const quantities: Readonly<Record<string, Quantity<unknown> | undefined>> = run.quantities;
  const details: Readonly<Record<string, Quantity<unknown> | undefined>> = run.details;
  const origin = (quantities[name] ?? details[name])?.origin;
  if (!origin || seen.has(name)) return null;
  if (origin.kind === 'file' || origin.kind === 'referenced') return placeAt(run, origin.at);
  if (origin.kind !== 'derived') return null;
  seen.add(name);
  for (const part of origin.from) {
    const place = quantityPlace(run, part, seen) ?? keyPlace(run, ownLayers(run), part);
    if (place) return place;
  }
  return null;
}

function firstRecognized(run: RunSpec): ReportPlace | null {
  const config = run.sources[0]?.path;
  const stated = Object.values(run.quantities).flatMap(({ origin }) =>
    origin.kind === 'file' && origin.at.file === config ? [origin.at] : [],
  );
  const [first] = stated.toSorted((a, b) => a.keySpan.start - b.keySpan.start);
  return first ? placeAt(run, first) : null;
}

function firstKey({ sources: [config] }: RunSpec): ReportPlace {
  if (!config) return { file: '', span: { start: 0, end: 0 }, line: 1, column: 1, path: '' };
  const root = resolve(config.yaml.documents[config.document]?.root ?? null);
  const entry = root?.kind === 'map' ? root.entries[0] : undefined;
  const span = entry?.keySpan ?? { start: 0, end: 0 };
  return placeIn(config.yaml, config.path, span, entry ? formatPath([entry.key]) : '');
}
