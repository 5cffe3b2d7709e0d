import { MEASURES } from '../../gpu/sample';
import type { Measure } from '../../gpu/sample';
import type { SampleHistory } from '../../gpu/fleet';
import type { HostCard } from './protocol';

export const EXPORT_FORMATS = ['csv', 'json'] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** One reading of one device; a measure that was not read is absent. */
type Row = { readonly timeMs: number } & Partial<Record<Measure, number>>;

/** All stored samples, with their hosts and devices. */
export function exported(hosts: readonly HostCard[], history: SampleHistory, format: ExportFormat): string {
  return format === 'csv' ? asCsv(hosts, history) : asJson(hosts, history);
}

function asCsv(hosts: readonly HostCard[], history: SampleHistory): string {
  const lines = hosts.flatMap(({ name: host, devices }) =>
    devices.flatMap(({ id, index, name }) =>
      rowsOf(history, id).map(row => {
        const values = MEASURES.map(measure => String(row[measure] ?? ''));
        return [quoted(host), String(index), quoted(name ?? ''), isoTime(row.timeMs), ...values].join(',');
      }),
    ),
  );
  return `${[['host', 'gpu', 'name', 'time', ...MEASURES].join(','), ...lines].join('\r\n')}\r\n`;
}

function asJson(hosts: readonly HostCard[], history: SampleHistory): string {
  const all = hosts.map(({ name, kind, status, devices }) => ({
    host: name,
    kind,
    state: status.state,
    gpus: devices.map(({ id, index, name: gpu, vendor, memoryTotalMiB, memoryKind, driverVersion }) => ({
      gpu: index,
      name: gpu,
      vendor,
      memoryTotalMiB,
      memoryKind,
      driverVersion,
      samples: rowsOf(history, id).map(({ timeMs, ...row }) => ({ time: isoTime(timeMs), ...row })),
    })),
  }));
  return `${JSON.stringify({ schema: 'headroom-samples/1', hosts: all }, null, 1)}\n`;
}

function rowsOf(history: SampleHistory, device: string): readonly Row[] {
  const rows = new Map<number, Record<string, number>>();
  for (const measure of MEASURES) {
    const { timesMs, values } = history.series(device, measure, 0);
    timesMs.forEach((time, i) => {
      const row = rows.get(time) ?? {};
      rows.set(time, row);
      const value = values[i] ?? NaN;
      if (!Number.isNaN(value)) row[measure] = value;
    });
  }
  return [...rows].sort(([a], [b]) => a - b).map(([timeMs, row]) => ({ timeMs, ...row }));
}

const isoTime = (ms: number): string => new Date(ms).toISOString();

/** Quotes as in RFC 4180, and marks a text that a spreadsheet would take for a formula as text. */
function quoted(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
