import type { RunSpec, SourceFile } from './runSpec';
import type { ScalarValue, YamlNode } from '../yaml/node';
import { formatPath, resolve } from '../yaml/path';
import type { YamlPath } from '../yaml/path';

/** A key of a run's own file with a scalar value. */
export interface ScalarKey {
  /** The path, as a change names it. */
  readonly path: string;
  /** The last part of the path. */
  readonly name: string;
  readonly value: ScalarValue;
}

/** Limit for nested keys; settings are not nested deeper. */
const DEEPEST = 8;

/** All keys with a scalar value in the mapping that a run is read from, in text order. */
export function scalarsOf(run: RunSpec): readonly ScalarKey[] {
  const [own] = run.sources;
  return own ? scalarsIn(own) : [];
}

/** The same for one file. */
export function scalarsIn({ yaml, document }: SourceFile): readonly ScalarKey[] {
  return [...below(yaml.documents[document]?.root ?? null, [])];
}

function* below(node: YamlNode | null, path: YamlPath): Generator<ScalarKey> {
  const at = resolve(node);
  if (at?.kind !== 'map' || path.length > DEEPEST) return;
  for (const { key, value } of at.entries) {
    const here = [...path, key];
    const found = resolve(value);
    if (found?.kind === 'scalar') yield { path: formatPath(here), name: key, value: found.value };
    else yield* below(value, here);
  }
}
