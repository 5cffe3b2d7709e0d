import type { Uri } from 'vscode';
import { addMeasurement, countLengths, exportMeasurements, forgetMeasurements } from './measurements';
import { calibrateGpu } from './calibrate';
import { importPastRuns } from './pastRuns';
import { profileConfig } from './profileConfig';
import type { ProfileServices } from './profiler';

/** The commands that measure runs, loaded on first use. */
export const openProfiling = (services: ProfileServices) => ({
  profileConfig: (file: Uri | null, run: unknown) => profileConfig(services, file, run),
  countLengths: (file: Uri | null, run: unknown) => countLengths(services, file, run),
  addMeasurement: (file: Uri | null, run: unknown, printed: unknown) =>
    addMeasurement(services, file, run, printed),
  forgetMeasurements: (file: Uri | null, run: unknown) => forgetMeasurements(services, file, run),
  calibrateGpu: () => calibrateGpu(services),
  importPastRuns: (folder: Uri | null) => importPastRuns(services, folder),
  exportMeasurements: (file: Uri | null, run: unknown) => exportMeasurements(services, file, run),
});
