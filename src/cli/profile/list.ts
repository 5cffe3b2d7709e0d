import { json as asJson, paragraphs } from '../../core/text/terminal';
import { writeFile } from 'node:fs/promises';
import { csvOf } from '../../core/learn/csv';
import { featuresOf, differsOnlyInRows } from '../../core/learn/features';
import type { Measurement } from '../../core/learn/measurement';
import { measurementLine } from '../../core/learn/readMeasurements';
import { measurementBars, measurementTable } from '../../core/render/measurements';
import { reasonOf } from '../../core/text/errors';
import { forgetMeasurements } from '../../world/measurements';
import { BadInput } from '../output';
import type { Output } from '../output';
import { measurementFile } from './keep';
import type { ProfileOptions } from './options';
import type { Subject } from './subject';

/** `--list`: the measurements of this config, next to the predictions of that time. */
export function listMeasurements(subject: Subject, { json }: ProfileOptions, output: Output): void {
  const all = measurementsOf(subject);
  if (json === true) {
    output.out(asJson({ schema: 'headroom-measurements/1', measurements: all }, 2));
  } else if (all.length === 0) output.out(`${subject.file}: no measurements.`);
  else {
    const bars = measurementBars(all);
    output.out(paragraphs([...(bars === null ? [] : [bars]), measurementTable(all)]));
  }
}

/** `--forget`: removes measurements of this config from the workspace's file, or from the user's own (`--user`). */
export async function forgetAll(subject: Subject, options: ProfileOptions, output: Output): Promise<void> {
  const file = await measurementFile(subject, options);
  const features = subject.computed.map(({ run }) => featuresOf(run));
  const isOurs = (one: Measurement): boolean => features.some(own => differsOnlyInRows(one.features, own));
  const gone = await forgetMeasurements(file, isOurs);
  output.out(`Deleted ${gone} ${gone === 1 ? 'measurement' : 'measurements'} from ${file}.`);
}

function measurementsOf({ computed, learned }: Subject): readonly Measurement[] {
  const features = computed.map(({ run }) => featuresOf(run));
  const all = learned.flatMap(({ lessons }) => lessons?.measurements ?? []);
  return [...new Set(all)].filter(one => features.some(own => differsOnlyInRows(one.features, own)));
}

/** `--export FILE`: the measurements of the workspace and, if opted in, of the user; as stored lines or a table. */
export async function exportAll(subject: Subject, to: string, output: Output): Promise<void> {
  const all = [...new Set(subject.learned.flatMap(({ lessons }) => lessons?.measurements ?? []))];
  const text = /\.csv$/i.test(to) ? csvOf(all) : all.map(measurementLine).join('');
  try {
    await writeFile(to, text);
  } catch (error) {
    const why = reasonOf(error);
    throw new BadInput(`--export ${to}: not writable (${why}).`);
  }
  output.out(`Exported ${all.length} ${all.length === 1 ? 'measurement' : 'measurements'} to ${to}.`);
}
