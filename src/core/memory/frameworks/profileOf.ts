import type { Framework } from '../../spec/runSpec';
import { releaseOf } from './behavior/releases';
import type { FrameworkProfile } from './profile';
import { frameworkProfiles } from './registry';
import { usual } from './usual';

/** The frameworks that the memory model knows. */
export type FrameworkId = (typeof frameworkProfiles)[number]['id'];

const profiles: ReadonlyMap<string, FrameworkProfile> = new Map(
  frameworkProfiles.map(profile => [profile.id, profile]),
);

/** What is known of a framework; of one that no profile is about (a dialect of a workspace), what is usual. */
export const profileOf = ({ name }: Framework): FrameworkProfile => profiles.get(name.toLowerCase()) ?? usual;

/** The release of transformers when nothing says which: the newest that was read. */
const NEWEST_TRANSFORMERS = '5.23.0';

/** The release of transformers that a run uses, as far as it is known; else the one that the model's code was written for. */
export function transformersOf(framework: Framework, codeRelease?: string): string {
  if (profileOf(framework).models === 'like transformers') return NEWEST_TRANSFORMERS;
  if (codeRelease !== undefined && framework.stated !== true) return codeRelease;
  return releaseOf(framework, 'transformers') ?? NEWEST_TRANSFORMERS;
}
