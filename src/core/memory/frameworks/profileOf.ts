import type { FrameworkId } from '../../spec/frameworkId';
import type { Framework } from '../../spec/runSpec';
import { releaseOf } from '../../spec/version';
import type { FrameworkProfile } from './profile';
import { frameworkProfiles } from './registry';
import { usual } from './profile';

const profiles: ReadonlyMap<FrameworkId, FrameworkProfile> = new Map(
  frameworkProfiles.map(profile => [profile.id, profile]),
);

/** The profile of a framework; `usual` without one. A name alone gives no profile. */
export const profileOf = ({ id }: Framework): FrameworkProfile =>
  id === null ? usual : (profiles.get(id) ?? usual);

/** The default release of transformers: the newest that was read. */
const NEWEST_TRANSFORMERS = '5.23.0';

/** The release of transformers in a run, if known; else the one that the model's code was written for. */
export function transformersOf(framework: Framework, codeRelease?: string): string {
  if (profileOf(framework).models === 'like transformers') return NEWEST_TRANSFORMERS;
  if (codeRelease !== undefined && framework.stated !== true) return codeRelease;
  return releaseOf(framework, 'transformers') ?? NEWEST_TRANSFORMERS;
}
