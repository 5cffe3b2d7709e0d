import type { Measurement } from './measurement';

const COLUMNS: readonly (readonly [string, (one: Measurement) => string | number | null | undefined])[] = [
  ['at', one => one.at],
  ['config', one => one.config],
  ['source', one => one.source],
  ['framework', one => one.framework],
  ['framework_version', one => one.frameworkVersion],
  ['family', one => one.family],
  ['gpu', one => one.gpu],
  ['gpus', one => one.devices?.length],
  ['micro_batch', one => one.rows.batch],
  ['sequence', one => one.rows.sequence],
  ['metric', one => one.metric],
  ['measured_bytes', one => one.bytes],
  ['predicted_bytes', one => one.predicted?.bytes],
  ['predicted_by', one => one.predicted?.by],
  ['phase', one => one.phase],
  ['versions', one => packages(one.versions)],
  ['place', one => one.place],
];

const packages = (versions: Measurement['versions']): string =>
  Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(' ');

/** Measurements as a table for spreadsheets, one per line (RFC 4180); unknown values are empty. */
export function csvOf(measurements: readonly Measurement[]): string {
  const rows = measurements.map(one => COLUMNS.map(([, of]) => of(one) ?? ''));
  return [COLUMNS.map(([name]) => name), ...rows].map(row => `${row.map(cell).join(',')}\r\n`).join('');
}

/** Marks cells that a spreadsheet would evaluate as a formula as text. */
const cell = (value: string | number): string => {
  const raw = String(value);
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(raw) ? `'${raw}` : raw;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
