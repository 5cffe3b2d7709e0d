import { join } from 'node:path';
import type { Measurement } from '../../core/learn/measurement';
import { stateFolder } from '../../jobs/stateFolder';
import { nodeEnvironment } from '../../world/environment';
import { keepMeasurement, userMeasurements } from '../../world/measurements';

/** With the user's own; beside the records, where these do not lie where the user's own are. */
export async function keepMeasured(state: string, measurement: Measurement): Promise<void> {
  const isOwn = state === stateFolder({ ...process.env, HEADROOM_STATE: '' });
  const file = isOwn ? userMeasurements(nodeEnvironment()) : join(state, 'measurements.jsonl');
  await keepMeasurement(file, measurement);
}
