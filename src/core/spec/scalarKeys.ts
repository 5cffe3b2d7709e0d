import type { RunSpec, SourceFile } from './runSpec';
import type { ScalarValue, YamlNode } from '../yaml/node';
import { formatPath, resolve } from '../yaml/path';
import type { YamlPath } from '../yaml/path';

/** A plain key of a run's own file. */
export interface ScalarKey {
  /** As a change names it. */
  readonly path: string;
  /** Its last part. */
  readonly name: string;
  readonly value: ScalarValue;
}

/** How deep keys are looked for: no one nests settings deeper. */
const DEEPEST = 8;

/** All keys with a plain value in the mapping that a run is read from, in the order of the text. */
export function scalarsOf(run: RunSpec): readonly ScalarKey[] {
  const [own] = run.sources;
  return own ? scalarsIn(own) : [];
}

/** The same of one of its files. */
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
