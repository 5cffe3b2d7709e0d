import type { JobRecord } from '../job';

/** After this, a start that was never heard of is declared over, on the host itself: nobody can make it then. */
const START_MS = 120_000;
/** The same while the folder may still be copied. */
const COPY_MS = 30 * 60_000;

/** When a start must have been heard of. */
export function startLimit({ handle, createdMs }: JobRecord): number {
  const noted = handle?.['notedMs'];
  return typeof noted === 'number' ? noted + START_MS : createdMs + COPY_MS;
}
