import { featuresOf, isAlike } from '../../core/learn/features';
import type { Measurement } from '../../core/learn/measurement';
import { measurementBars, measurementTable } from '../../core/render/measurements';
import { forgetMeasurements } from '../../world/measurements';
import type { Output } from '../output';
import { measurementFile } from './keep';
import type { ProfileOptions } from './options';
import type { Subject } from './subject';

/** `--list`: what was measured of this config, beside what was predicted then. */
export function listMeasurements(subject: Subject, { json }: ProfileOptions, output: Output): void {
  const all = ofSubject(subject);
  if (json === true) {
    output.out(JSON.stringify({ schema: 'headroom-measurements/1', measurements: all }, null, 2));
  } else if (all.length === 0) output.out(`${subject.file}: no measurements.`);
  else {
    const bars = measurementBars(all);
    output.out([...(bars === null ? [] : [bars]), measurementTable(all)].join('\n\n'));
  }
}

/** `--forget`: measurements of this config leave the workspace's file, or the user's own (`--user`). */
export async function forgetAll(subject: Subject, options: ProfileOptions, output: Output): Promise<void> {
  const file = await measurementFile(subject, options);
  const features = subject.computed.map(({ run }) => featuresOf(run));
  const isOurs = (one: Measurement): boolean => features.some(own => isAlike(one.features, own));
  const gone = await forgetMeasurements(file, isOurs);
  output.out(`Deleted ${gone} ${gone === 1 ? 'measurement' : 'measurements'} from ${file}.`);
}

function ofSubject({ computed, learned }: Subject): readonly Measurement[] {
  const features = computed.map(({ run }) => featuresOf(run));
  const all = learned.flatMap(({ lessons }) => lessons?.measurements ?? []);
  return [...new Set(all)].filter(one => features.some(own => isAlike(one.features, own)));
}
