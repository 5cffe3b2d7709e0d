import type { JobRecord } from '../job';
import { isGone } from '../starter';

/** After this, a start that was never heard of is declared over, on the host itself: nobody can make it then. */
const START_MS = 120_000;
/** The same while the folder may still be copied. */
const COPY_MS = 30 * 60_000;

/** Whether a start that was not heard of will not come: who was to make it is gone, or had time enough. */
export async function isCutOff(
  { handle, createdMs, starter }: JobRecord,
  nowMs: number,
  startLimitMs = START_MS,
): Promise<boolean> {
  const noted = handle?.['notedMs'];
  const limit = typeof noted === 'number' ? noted + startLimitMs : createdMs + COPY_MS;
  return nowMs >= limit || isGone(starter);
}
