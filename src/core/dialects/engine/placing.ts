import { shipperOf } from '../../spec/runSpec';
import type { SourceFile } from '../../spec/runSpec';
import { find, formatPath, parsePath } from '../../yaml/path';
import type { YamlPath } from '../../yaml/path';
import type { KeyWrite } from '../dialect';
import type { Hit } from './layers';
import type { LayeredRun } from './layeredRun';
import { plainOf } from '../../yaml/scalars';
import type { Loader } from '../../yaml/scalars';

/** A key write with its place: file, path, and the key before a new one. */
export type Placed =
  | {
      readonly ok: true;
      readonly source: SourceFile;
      readonly path: YamlPath;
      readonly value: KeyWrite['value'];
      readonly after: string | null;
      /** The value is already there. */
      readonly idle: boolean;
    }
  | { readonly ok: false; readonly why: string };

const refuse = (why: string): Placed => ({ ok: false, why });

/** The place of a key; for a new one, next to its neighbors in their section. */
export function place(run: LayeredRun, write: KeyWrite): Placed {
  const { key, value } = write;
  const hit = run.layers.find(key);
  if (!hit) return placeNew(run, write);
  const { source, path, node } = hit;
  if (hit.through) return refuse(`${hit.through.path} takes its value from ${hit.key}.`);
  if (node.kind === 'scalar' && node.opaque !== null) {
    return refuse(`${formatPath(path)} is ${node.source}: it is filled in only when the run starts.`);
  }
  const idle = node.kind === 'scalar' && plainOf(node, loaderOf(run)) === value;
  const own = idle ? null : overrideShared(run, hit, value);
  if (own) return own;
  if (!idle && shipperOf(source) !== null) {
    return refuse(`${key} comes from ${source.path}, which is not among these files.`);
  }
  return { ok: true, source, path, value, after: null, idle };
}

/**
 * Sets a key of a whole base file (`_BASE_`) in the config itself instead, because other configs share the base.
 * Not if the config has something other than a section on the path.
 */
function overrideShared(run: LayeredRun, { source, key }: Hit, value: KeyWrite['value']): Placed | null {
  const [config] = run.own;
  if (config === undefined || source.via.kind !== 'beneath' || source.via.mount !== '') return null;
  const path = [...config.base, ...parsePath(key)];
  const root = config.yaml.documents[config.document]?.root ?? null;
  const way = path.map((_, depth) => find(root, path.slice(0, depth))?.node);
  if (root === null || way.some(node => node !== undefined && node.kind !== 'map')) return null;
  return { ok: true, source: config, path, value, after: null, idle: false };
}

const loaderOf = (run: LayeredRun): Loader => run.dialect.loader;

function placeNew(run: LayeredRun, { key, value, near = [] }: KeyWrite): Placed {
  const neighbors = [...near, ...rowKeys(run)];
  for (const neighbor of neighbors) {
    const hit = run.layers.find(neighbor);
    if (!hit || hit.source !== run.own[0]) continue;
    const section = hit.key.slice(0, hit.key.length - neighbor.length);
    const path = [...hit.source.base, ...parsePath(section + key)];
    // What begins a list stands where the list does.
    const above = path.slice(0, typeof path.at(-1) === 'number' ? -2 : -1);
    const isSibling = formatPath(above) === formatPath(hit.path.slice(0, -1)) && near.includes(neighbor);
    return {
      ok: true,
      source: hit.source,
      path,
      value,
      after: isSibling ? String(hit.path.at(-1)) : null,
      idle: false,
    };
  }
  return refuse(`Headroom does not know where ${run.dialect.title} takes ${key}.`);
}

/** Keys of all rows: a new training setting goes next to the batch, and next to the model only as a last resort. */
function rowKeys({ dialect: { quantities } }: LayeredRun): string[] {
  const { microBatchSize, globalBatchSize, model, ...others } = quantities;
  return [microBatchSize, globalBatchSize, ...Object.values(others), model].flatMap(row =>
    row === undefined || typeof row === 'function' ? [] : row.keys,
  );
}
