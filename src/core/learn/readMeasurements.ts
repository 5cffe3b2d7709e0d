import type { Metric, TermName } from '../models/terms';
import { TERMS } from '../memory/terms';
import type { Features, Measurement, MeasurementSource, PredictedSum, ProgramRun } from './measurement';

type Loose = Readonly<Record<string, unknown>>;

const SOURCES: ReadonlySet<unknown> = new Set<MeasurementSource>([
  'job',
  'trainer',
  'probe',
  'dry run',
  'user',
  'log',
]);
const METRICS: ReadonlySet<unknown> = new Set<Metric>(['allocated', 'reserved', 'device']);

/** The measurements of a file, and the number of invalid lines. A truncated line only loses itself. */
export function readMeasurements(text: string): {
  readonly measurements: readonly Measurement[];
  readonly unread: number;
} {
  const lines = text.split('\n').filter(line => line.trim() !== '');
  const measurements = lines.map(measurementOf).filter(found => found !== null);
  return { measurements, unread: lines.length - measurements.length };
}

function measurementOf(line: string): Measurement | null {
  const value = parsed(line);
  if (value?.['schema'] !== 'headroom-measurement/1') return null;
  const { source, metric, bytes, at } = value;
  if (!SOURCES.has(source) || !METRICS.has(metric) || !isAmount(bytes) || typeof at !== 'string') return null;
  const rows = objectOf(value['rows']) ?? {};
  return {
    schema: 'headroom-measurement/1',
    at,
    source: source as MeasurementSource,
    ...(typeof value['place'] === 'string' && { place: value['place'] }),
    config: textOf(value['config']) ?? '',
    framework: textOf(value['framework']) ?? '',
    frameworkVersion: textOf(value['frameworkVersion']),
    versions: textsOf(value['versions']),
    family: textOf(value['family']),
    gpu: textOf(value['gpu']),
    features: textsOf(value['features']),
    rows: {
      batch: amountOf(rows['batch']),
      sequence: amountOf(rows['sequence']),
      sequences: amountOf(rows['sequences']),
    },
    metric: metric as Metric,
    bytes,
    ...devicesOf(value['devices']),
    terms: value['terms'] ? termsOf(value['terms']) : null,
    predicted: predictedOf(objectOf(value['predicted'])),
    ...(typeof value['digest'] === 'string' && { digest: value['digest'] }),
    ...(typeof value['phase'] === 'string' && { phase: value['phase'] }),
    ...addedOf(objectOf(value['added'])),
    ...programOf(objectOf(value['program'])),
  };
}

function addedOf(value: Loose | null): Pick<Measurement, 'added'> {
  const { what, bytes } = value ?? {};
  if (!Array.isArray(what) || typeof bytes !== 'number' || !Number.isFinite(bytes)) return {};
  return { added: { what: what.filter(one => typeof one === 'string'), bytes } };
}

/** Without its command and its files, a program's result could never be checked. */
function programOf(value: Loose | null): Pick<Measurement, 'program'> {
  const { command, folder, lines, reserved } = value ?? {};
  const files = textsOf(value?.['files']);
  if (!Array.isArray(command) || typeof folder !== 'string' || Object.keys(files).length === 0) return {};
  const { below, above } = objectOf(value?.['spread']) ?? {};
  const program: ProgramRun = {
    command: command.filter(one => typeof one === 'string'),
    folder,
    files,
    lines: (Array.isArray(lines) ? lines : []).flatMap(lineOf),
    spread: { below: shareOf(below), above: shareOf(above) },
    reserved: amountOf(reserved) ?? 0,
  };
  return { program };
}

function lineOf(value: unknown): ProgramRun['lines'] {
  const { line, bytes } = objectOf(value) ?? {};
  return typeof line === 'string' && isAmount(bytes) ? [{ line, bytes }] : [];
}

/** Less certain than any, if it is missing. */
const shareOf = (value: unknown): number => (isAmount(value) && value < 1 ? value : 0.5);

/** All peaks, or none if one is invalid. */
const devicesOf = (value: unknown): Pick<Measurement, 'devices'> =>
  Array.isArray(value) && value.length > 1 && value.every(isAmount)
    ? { devices: value.toSorted((a, b) => b - a) }
    : {};

function predictedOf(value: Loose | null): PredictedSum | null {
  if (!value || !METRICS.has(value['metric']) || !isAmount(value['bytes'])) return null;
  const by = textOf(value['by']) ?? '';
  return { metric: value['metric'] as Metric, bytes: value['bytes'], terms: termsOf(value['terms']), by };
}

function parsed(line: string): Loose | null {
  try {
    return objectOf(JSON.parse(line));
  } catch {
    return null;
  }
}

const objectOf = (value: unknown): Loose | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : null;

const isAmount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;
const amountOf = (value: unknown): number | null => (isAmount(value) ? value : null);
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const textsOf = (value: unknown): Features =>
  Object.fromEntries(
    Object.entries(objectOf(value) ?? {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );

function termsOf(value: unknown): Readonly<Partial<Record<TermName, number>>> {
  const loose = objectOf(value) ?? {};
  return Object.fromEntries(TERMS.flatMap(term => (isAmount(loose[term]) ? [[term, loose[term]]] : [])));
}

/** A line of the file. */
export const measurementLine = (measurement: Measurement): string => `${JSON.stringify(measurement)}\n`;
