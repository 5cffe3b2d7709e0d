import { bytesOf } from '../../core/output/size';
import type { RunAnalysis } from '../../core/rules/analysis';
import type { Measurement } from '../../core/learn/measurement';
import { formatBytes } from '../../core/units';
import { measurementOf } from '../../profile/measure';
import { version } from '../../../package.json';
import { BadInput } from '../output';
import type { Output } from '../output';
import { saveMeasurement } from './keep';
import type { ProfileOptions } from './options';
import { differenceWords } from './render';
import type { Subject } from './subject';

/** `--measured 19.8GB --batch 45`: a peak that the user observed. */
export async function typedIn(
  subject: Subject,
  text: string,
  options: ProfileOptions,
  output: Output,
): Promise<void> {
  const bytes = bytesOf(text);
  if (bytes === null || bytes < LEAST_BYTES) {
    throw new BadInput(`--measured ${text}: expected an amount of memory such as 19.8GB or 812MiB.`);
  }
  const [run, ...others] = subject.computed;
  if (!run || others.length > 0) {
    const names = subject.computed.map(one => one.run.name).join(', ');
    throw new BadInput(`${subject.file} has several runs. Choose one with --run (${names}).`);
  }
  const metric = options.metric ?? 'device';
  const gpu = run.target?.gpu?.name ?? null;
  const taken = { source: 'user', at: new Date(), metric, bytes, terms: null, versions: {}, gpu } as const;
  const measurement = withRows(measurementOf(run, { ...taken, by: version }), options);
  const isSameRun = isItself(run, measurement);
  const predicted = isSameRun ? measurement.predicted : null;
  const difference = predicted ? differenceWords(bytes, predicted.bytes) : 'no estimate to compare with';
  output.out(`${subject.file}: ${formatBytes(bytes)} measured; ${difference}.`);
  await saveMeasurement(
    subject,
    isSameRun ? measurement : { ...measurement, predicted: null },
    options,
    output,
  );
}

/** No training run fits in a million bytes; the unit is probably missing. */
const LEAST_BYTES = 2 ** 20;

/** With another batch or length than the config's, as a data point of a line. */
export function withRows(
  measurement: Measurement,
  { batch, length }: Pick<ProfileOptions, 'batch' | 'length'>,
): Measurement {
  const rows = {
    ...measurement.rows,
    ...(batch === undefined ? {} : { batch }),
    ...(length === undefined ? {} : { sequence: length }),
  };
  const features = {
    ...measurement.features,
    ...(batch === undefined ? {} : { microBatchSize: String(batch) }),
    ...(length === undefined ? {} : { seqLen: String(length) }),
  };
  return { ...measurement, rows, features: sorted(features) };
}

const sorted = (features: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(features).sort(([a], [b]) => (a < b ? -1 : 1)));

const isItself = ({ run }: RunAnalysis, { rows }: Measurement): boolean =>
  rows.batch === run.quantities.microBatchSize.value && rows.sequence === run.quantities.seqLen.value;
