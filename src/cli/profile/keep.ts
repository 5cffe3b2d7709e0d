import { nodeEnvironment } from '../../world/environment';
import { keepMeasurement, measurementFileFor, userMeasurements } from '../../world/measurements';
import type { Measurement } from '../../core/learn/measurement';
import type { Output } from '../output';
import type { ProfileOptions } from './options';
import type { Subject } from './subject';
import { join } from 'node:path';

/** The file for a measurement of the subject. */
export function measurementFile({ folder, file }: Subject, { user }: ProfileOptions): Promise<string> {
  if (user === true) return Promise.resolve(userMeasurements(nodeEnvironment()));
  const here = process.cwd();
  const inside = folder === here || folder.startsWith(join(here, '/'));
  return measurementFileFor(join(folder, file.split('/').at(-1) ?? file), inside ? here : folder);
}

/** Stores it where check, explain and the editor find it, unless disabled. */
export const saveMeasurement = (
  subject: Subject,
  measurement: Measurement,
  options: ProfileOptions,
  output: Output,
): Promise<void> => saveMeasurements(subject, [measurement], options, output);

export async function saveMeasurements(
  subject: Subject,
  measurements: readonly Measurement[],
  options: ProfileOptions,
  output: Output,
): Promise<void> {
  if (!options.keep || measurements.length === 0) return;
  const file = await measurementFile(subject, options);
  for (const measurement of measurements) await keepMeasurement(file, measurement);
  output.err(`Stored in ${file}.`);
}
