import type { JobRecord } from './job';

/** Why what a job wrote cannot be brought here, a sentence; null: it can. */
export function whyNotFetched({ place, folder }: Pick<JobRecord, 'place' | 'folder'>): string | null {
  if (place.engine === 'ray') {
    return 'Ray keeps no result files. Find the results where the command wrote them.';
  }
  if (place.engine === 'local' || place.alias === null) return `it ran here: its results are in ${folder}.`;
  return null;
}

/** The folder that results come to where nobody names another. */
export const resultsFolder = ({ id }: Pick<JobRecord, 'id'>): string => `headroom-${id}`;
