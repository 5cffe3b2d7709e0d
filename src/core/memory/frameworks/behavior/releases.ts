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

/**
 * Frameworks with model code of their own that keeps what transformers' newest keeps: the same norms in fp32, projections,
 * rotation and gated MLP (litgpt/model.py; torchtune/modules/transformer.py). litgpt's published runs of four architectures
 * agree with transformers' code to 0.4 to 1.5 %.
 */
export const OWN_CODE: ReadonlySet<string> = new Set(['litgpt', 'torchtune']);

/** The release of transformers when nothing says which: the newest that was read. */
const NEWEST_TRANSFORMERS = '5.23.0';

/** The release of transformers that a run uses, as far as anybody knows; else what the model's own code was written for. */
export function transformersOf(framework: Framework, codeRelease?: string): string {
  if (OWN_CODE.has(framework.name)) return NEWEST_TRANSFORMERS;
  if (codeRelease !== undefined && framework.stated !== true) return codeRelease;
  return releaseOf(framework, 'transformers') ?? NEWEST_TRANSFORMERS;
}

/** Whether a release comes before that of a change; there may have been none. */
export function isBefore(change: string | undefined, release: string): boolean {
  return change !== undefined && compareReleases(release, change) < 0;
}

export function releaseOf({ name, version, libraries }: Framework, library: string): string | null {
  return libraries?.[library] ?? (name === library ? version : null);
}
