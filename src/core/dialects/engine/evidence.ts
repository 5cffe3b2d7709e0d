import type { FrameworkId } from '../../spec/frameworkId';
import type { Framework } from '../../spec/runSpec';
import { compareReleases } from '../../spec/version';
import type { Dialect } from '../dialect';
import { Unreadable } from './keyReader';
import type { RunReader } from './runReader';

/** The engine that a run hands its model to; null where the files leave the key open. */
function engineOf(dialect: Dialect, run: RunReader): FrameworkId | null {
  try {
    return dialect.engine?.(run) ?? null;
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

/**
 * The releases that a config was written for: the newest ones that accept all of its keys. A config without dated
 * keys is read as by today's release.
 */
export function frameworkOf(dialect: Dialect, has: (key: string) => boolean, run: RunReader): Framework {
  const { name, version, libraries } = dialect.framework;
  const id = engineOf(dialect, run) ?? dialect.framework.id;
  const releases: Record<string, string> = { ...libraries, [name]: version };
  for (const { keys, upTo } of dialect.evidence ?? []) {
    if (!keys.some(has)) continue;
    for (const [library, release] of Object.entries(upTo)) {
      const now = releases[library];
      if (now === undefined || compareReleases(release, now) < 0) releases[library] = release;
    }
  }
  const { [name]: own = version, ...others } = releases;
  return Object.keys(others).length > 0
    ? { id, name, version: own, libraries: others }
    : { id, name, version: own };
}
