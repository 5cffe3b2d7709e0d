import type { JobPlace } from './job';

/** Where a job goes, for people. */
export function placeName(place: JobPlace): string {
  switch (place.engine) {
    case 'local':
      return 'this machine';
    case 'ssh':
      return place.alias;
    case 'ray':
      return `Ray at ${place.address}`;
    case 'slurm': {
      const partition = place.partition === null ? 'Slurm' : `Slurm, partition ${place.partition}`;
      return place.alias === null ? partition : `${partition}, through ${place.alias}`;
    }
  }
}
