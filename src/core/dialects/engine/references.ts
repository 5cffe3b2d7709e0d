import type { MissingFile, SourceFile, Via } from '../../spec/runSpec';
import { basename, dirname } from '../../text/paths';
import { parseYaml } from '../../yaml/parse';
import { candidates } from './candidates';
import type { ConfigFiles } from './configFiles';
import type { Dialect, DialectLookup, Reference } from '../dialect';
import { Layers } from './layers';
import type { Hit } from './layers';
import { plainOf } from '../../yaml/scalars';

/** The files that a run's sources name, and the missing ones. */
export interface Found {
  readonly sources: readonly SourceFile[];
  readonly missingFiles: readonly MissingFile[];
}

const nothing: Found = { sources: [], missingFiles: [] };

/** Nesting limit for parts that name parts. */
const FURTHEST = 3;

/** The files that a reader's sources name, recursively. */
export async function referencesOf(
  dialect: Dialect,
  own: readonly SourceFile[],
  files: ConfigFiles,
  lookup: DialectLookup,
  distance = 0,
): Promise<Found> {
  if (distance === FURTHEST) return nothing;
  const layers = new Layers(own, dialect.roots, dialect.loader);
  const all: Found[] = [];
  for (const reference of dialect.references ?? []) {
    const hit = layers.find(reference.key);
    if (!hit) continue;
    const found = await lookUp(dialect, reference, hit, files);
    all.push(found);
    const next = lookup(reference.dialect);
    if (next) all.push(await referencesOf(next, found.sources, files, lookup, distance + 1));
  }
  return {
    sources: all.flatMap(({ sources }) => sources),
    missingFiles: all.flatMap(({ missingFiles }) => missingFiles),
  };
}

/** Resolves one reference: an inline mapping, a file, a preset of the framework, or nothing. */
async function lookUp(by: Dialect, reference: Reference, hit: Hit, files: ConfigFiles): Promise<Found> {
  const named = { by: by.id, key: reference.key };
  const found = (path: string, yaml: SourceFile['yaml'], via: Via): Found => ({
    sources: [{ path, yaml, document: 0, base: [], dialect: reference.dialect, via }],
    missingFiles: [],
  });
  if (hit.node.kind === 'map') {
    const via: Via = { kind: 'reference', inline: true, ...named };
    return {
      sources: [{ ...hit.source, base: hit.path, dialect: reference.dialect, via }],
      missingFiles: [],
    };
  }
  if (hit.node.kind === 'scalar' && hit.node.opaque !== null) {
    const why = `${hit.at.path} is ${hit.node.source}: which file that is, is known only when the run starts.`;
    return { sources: [], missingFiles: [{ ...named, at: hit.at, why, open: true }] };
  }
  const name = hit.node.kind === 'scalar' ? plainOf(hit.node, by.loader) : null;
  if (typeof name !== 'string' || name === '') return nothing;
  const written = files.written(name);
  if (written) return found(written.path, written.yaml, { kind: 'reference', inline: false, ...named });
  for (const path of candidates(dirname(hit.at.file), name)) {
    const yaml = await files.read(path);
    if (yaml?.documents[0]?.root) return found(path, yaml, { kind: 'reference', inline: false, ...named });
  }
  const preset = Object.entries(reference.presets ?? {}).find(
    ([id]) => name === id || name.endsWith(`/${id}`),
  );
  if (preset) {
    const { name: framework, version } = by.framework;
    const [id, content] = preset;
    return found(id, parseYaml(JSON.stringify(content)), { kind: 'preset', framework, version, ...named });
  }
  const why = `${hit.at.path} names ${name}, not found next to ${basename(hit.at.file)} or above.`;
  return { sources: [], missingFiles: [{ ...named, at: hit.at, why }] };
}
