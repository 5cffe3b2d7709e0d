import { featuresOf, differsOnlyInRows } from '../learn/features';
import type { Measurement } from '../learn/measurement';
import { regressionIn } from '../learn/regression';
import type { RunSpec } from '../spec/runSpec';
import { mdText, mdPicture, mdTable } from '../text/markdown';
import type { Markdown } from '../text/markdown';
import { lines, table } from '../text/terminal';
import type { TerminalText } from '../text/terminal';
import { formatBytes } from '../units';
import { english, said, template } from '../text/say';
import type { Say, Template } from '../text/say';

/** Measurements of the run, including those with other rows. */
export function measurementsOfRun(
  run: RunSpec,
  measurements: readonly Measurement[],
): readonly Measurement[] {
  const own = featuresOf(run);
  return measurements.filter(one => differsOnlyInRows(one.features, own));
}

const HEAD: readonly Template[] = [
  template('when'),
  template('by'),
  template('GPU'),
  template('rows'),
  template('metric'),
  template('predicted'),
  template('measured'),
  template('difference'),
];

/** A table of predicted and measured memory, newest last. */
export const measurementTable = (measurements: readonly Measurement[]): TerminalText =>
  table(rowsOf(english, measurements), COLUMNS);

const COLUMNS = { align: ['l', 'l', 'l', 'r', 'l', 'r', 'r', 'r'] };

const rowsOf = (say: Say, measurements: readonly Measurement[]): readonly (readonly string[])[] => [
  HEAD.map(text => said(say, text)),
  ...newestLast(measurements).map(cellsOf),
];

const newestLast = (measurements: readonly Measurement[]): readonly Measurement[] =>
  measurements.toSorted((a, b) => (a.at < b.at ? -1 : 1));

function cellsOf({ at, source, place, gpu, rows, metric, bytes, predicted, devices }: Measurement): string[] {
  const { batch, sequence } = rows;
  return [
    at.slice(0, 16).replace('T', ' '),
    place === undefined ? source : `${source} (${place})`,
    `${devices ? `${devices.length} × ` : ''}${gpu ?? ''}`.replace(/ × $/, ' GPUs'),
    `${batch ?? '?'}${sequence === null ? '' : ` × ${sequence}`}`,
    metric,
    predicted ? formatBytes(predicted.bytes) : '',
    devices ? devices.map(one => formatBytes(one)).join(', ') : formatBytes(bytes),
    predicted ? share(bytes / predicted.bytes - 1) : '',
  ];
}

const share = (value: number): string => `${value < 0 ? '−' : '+'}${(Math.abs(value) * 100).toFixed(1)} %`;

/** The predicted and measured memory of a run, in the same metric. */
export type MeasuredPair = Pick<Measurement, 'at' | 'metric' | 'source' | 'bytes' | 'rows'> & {
  readonly predicted: number;
};

/** Newest last; omits measurements without a prediction. */
const measuredPairs = (measurements: readonly Measurement[]): readonly MeasuredPair[] =>
  newestLast(measurements).flatMap(({ at, metric, source, bytes, rows, predicted }) =>
    predicted ? [{ at, metric, source, bytes, rows, predicted: predicted.bytes }] : [],
  );

/** A line fits into half a window. */
const BAR_CELLS = 20;

/**
 * The pairs as bars of text, which use the colors of any theme: predicted outlined, measured filled. Null if none
 * has a prediction.
 */
export function measurementBars(measurements: readonly Measurement[]): TerminalText | null {
  const both = measuredPairs(measurements);
  if (both.length === 0) return null;
  const most = Math.max(...both.flatMap(({ bytes, predicted }) => [bytes, predicted]));
  const bar = (bytes: number, cell: string): string =>
    cell.repeat(Math.max(1, Math.round((bytes / most) * BAR_CELLS))).padEnd(BAR_CELLS);
  return lines(
    both.flatMap(({ at, metric, bytes, predicted }) => [
      `${at.slice(0, 10)}, ${metric}`,
      `predicted ${bar(predicted, '░')} ${formatBytes(predicted)}`,
      `measured  ${bar(bytes, '█')} ${formatBytes(bytes)}`,
    ]),
  );
}

/** Draws a run's pairs and returns the address of the picture. */
export type DrawMeasurements = (pairs: readonly MeasuredPair[]) => string;

/** A run's measurements on a page: chart, table, effect of a change of releases; empty if there are none. */
export function measurementSection(
  say: Say,
  run: RunSpec,
  measurements: readonly Measurement[],
  draw: DrawMeasurements,
): readonly Markdown[] {
  const own = measurementsOfRun(run, measurements);
  if (own.length === 0) return [];
  const pairs = measuredPairs(own);
  const changed = regressionIn(own);
  return [
    mdText`### ${say('Predicted and measured')}`,
    ...(pairs.length === 0
      ? []
      : [mdPicture(say('Predicted (outline) and measured (filled); see the table below'), draw(pairs))]),
    mdTable(rowsOf(say, own), COLUMNS),
    ...(changed === null ? [] : [mdText`**${changed.charAt(0).toUpperCase()}${changed.slice(1)}.**`]),
  ];
}
