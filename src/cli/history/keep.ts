import { join, resolve } from 'node:path';
import type { Measurement } from '../../core/learn/measurement';
import { readMeasurements } from '../../core/learn/readMeasurements';
import { boundedText } from '../../files/bounded';
import { nodeEnvironment } from '../../world/environment';
import { readSpeeds } from '../../core/learn/pastSpeed';
import type { PastSpeed } from '../../core/learn/pastSpeed';
import { keepMeasurement, keepSpeed, measurementFileFor, userMeasurements } from '../../world/measurements';
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
  const text = (await boundedText(file)) ?? '';
  const known = new Set(readMeasurements(text).measurements.map(keyOf));
  const knownSpeeds = new Set(readSpeeds(text).map(speedKey));
  const fresh = found.flatMap(({ measurements }) => measurements).filter(one => !known.has(keyOf(one)));
  for (const measurement of fresh) await keepMeasurement(file, measurement);
  const speeds = found.flatMap(({ speed }) => (speed && !knownSpeeds.has(speedKey(speed)) ? [speed] : []));
  for (const speed of speeds) await keepSpeed(file, speed);
  const count = fresh.length + speeds.length;
  const already = count === 0 ? 'All of them are stored already' : `Stored ${count}`;
  output.err(`${already} in ${file}.`);
}

const speedKey = ({ at, secondsPerStep, features }: PastSpeed): string =>
  JSON.stringify([at, secondsPerStep, features]);

const keyOf = ({ at, source, metric, bytes, features }: Measurement): string =>
  JSON.stringify([at, source, metric, bytes, features]);
