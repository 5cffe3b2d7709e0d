import type { Measurement } from '../../core/learn/measurement';
import { measurementsInState } from '../../jobs/stateFolder';
import { nodeEnvironment } from '../../world/environment';
import { keepMeasurement, userMeasurements } from '../../world/measurements';

/**
 * In the file that the job names; else in the user's own, or next to the records if those are not in the user's
 * default folder.
 */
export const keepMeasured = (state: string, measurement: Measurement, file: string | null): Promise<void> =>
  keepMeasurement(file ?? measurementsInState(state) ?? userMeasurements(nodeEnvironment()), measurement);
