import { addMeasurement, countLengths, exportMeasurements, forgetMeasurements } from './measurements';
import { calibrateGpu } from './calibrate';
import { importPastRuns } from './pastRuns';
import { profileConfig } from './profileConfig';

/** The commands that measure runs, loaded on first use. */
export const profiling = {
  profileConfig,
  countLengths,
  addMeasurement,
  forgetMeasurements,
  exportMeasurements,
  calibrateGpu,
  importPastRuns,
};
