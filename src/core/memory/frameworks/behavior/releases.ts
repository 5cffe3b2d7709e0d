import type { Framework } from '../../../spec/runSpec';
import { compareReleases } from '../../../spec/version';

export interface Release<T> {
  readonly since: string;
  readonly value: T;
}

/** The value of the newest release in a table that is not newer than this one. */
export function inRelease<T>(table: readonly [Release<T>, ...Release<T>[]], release: string): T {
  return (table.find(({ since }) => compareReleases(release, since) >= 0) ?? table[0]).value;
}

/** Whether a release comes before that of a change; there may have been none. */
export function isBefore(change: string | undefined, release: string): boolean {
  return change !== undefined && compareReleases(release, change) < 0;
}

export function releaseOf({ name, version, libraries }: Framework, library: string): string | null {
  return libraries?.[library] ?? (name === library ? version : null);
}
