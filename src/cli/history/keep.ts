import { join, resolve } from 'node:path';
import type { Measurement } from '../../core/learn/measurement';
import { readMeasurements } from '../../core/learn/readMeasurements';
import { boundedText } from '../../files/bounded';
import { nodeEnvironment } from '../../world/environment';
import { keepMeasurement, measurementFileFor, userMeasurements } from '../../world/measurements';
import type { Output } from '../output';
import type { AttachedRun } from './attach';
import type { HistoryOptions } from './options';

/** Stores what was not stored before: reading a folder twice does not count its runs twice. */
export async function keepAll(
  found: readonly AttachedRun[],
  folder: string,
  { user }: HistoryOptions,
  output: Output,
): Promise<void> {
  const file =
    user === true
      ? userMeasurements(nodeEnvironment())
      : await measurementFileFor(join(resolve(folder), 'log'), process.cwd());
  const known = new Set(readMeasurements((await boundedText(file)) ?? '').measurements.map(keyOf));
  const fresh = found.flatMap(({ measurements }) => measurements).filter(one => !known.has(keyOf(one)));
  for (const measurement of fresh) await keepMeasurement(file, measurement);
  const already = fresh.length === 0 ? 'All of them are stored already' : `Stored ${fresh.length}`;
  output.err(`${already} in ${file}.`);
}

const keyOf = ({ at, source, metric, bytes, features }: Measurement): string =>
  JSON.stringify([at, source, metric, bytes, features]);
