import { writeFile } from 'node:fs/promises';
import { csvOf } from '../../core/learn/csv';
import { measurementLine } from '../../core/learn/readMeasurements';
import { BadInput } from '../output';
import type { Output } from '../output';
import type { Subject } from './subject';
import { reasonOf } from '../../core/text/errors';

/** `--export FILE`: what was measured in the workspace and, opted in, by the user; lines as they are kept, or a table. */
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
