import type { Measurement } from '../../core/learn/measurement';
import { measurementsBeside } from '../../jobs/stateFolder';
import { nodeEnvironment } from '../../world/environment';
import { keepMeasurement, userMeasurements } from '../../world/measurements';

/** With the user's own; beside the records, where these do not lie where the user's own are. */
export const keepMeasured = (state: string, measurement: Measurement): Promise<void> =>
  keepMeasurement(measurementsBeside(state) ?? userMeasurements(nodeEnvironment()), measurement);
