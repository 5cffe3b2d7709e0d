import { deviceId } from '../gpu/fleet';
import type { HostReading, HostStatus } from '../gpu/fleet';
import { DEFAULT_FORMAT, formatProblem, formatRow, fullness } from './meterFormat';
import type { MeterRow } from './meterFormat';
import { mdParagraphs } from '../core/text/markdown';
import type { Markdown } from '../core/text/markdown';
import { label } from '../core/text/visible';
import { commas } from '../core/text/lists';
import type { Say } from '../core/text/say';
import { hostPart } from './meterTooltip';
import { told } from '../core/text/say';

/** What the meter shows. */
export interface MeterView {
  readonly text: string;
  /** All GPUs of all machines. */
  readonly tooltip: Markdown;
  /** The text in words, for screen readers. */
  readonly label: string;
  readonly severity: 'none' | 'warning' | 'error';
}

interface MeterOptions {
  /** A GPU's UUID or `deviceId`; '': the busiest. */
  readonly gpu: string;
  readonly format: string;
}

const ICON = '$(circuit-board)';

/** A card this full has no room for variation between steps; one this hot throttles. */
const FULL_SHARE = 0.98;
const HOT_C = 90;

interface ReadRow extends MeterRow {
  readonly reading: HostReading;
}

/**
 * The chosen or busiest GPU in short, and all GPUs in the tooltip; this machine first. Values that were not read
 * are `n/a`, never 0.
 */
export function meterView(readings: readonly HostReading[], options: MeterOptions, say: Say): MeterView {
  const rows = readings.flatMap(rowsOf);
  const chosen = rows.find(row => isGpu(row, options.gpu));
  const shown = chosen ?? busiest(rows);
  const problem = formatProblem(options.format, say);
  const isMissing = options.gpu !== '' && !chosen && rows.length > 0;
  const notes = [
    ...(isMissing ? [say('The chosen GPU is not available. Showing the busiest GPU.')] : []),
    ...(problem === null ? [] : [problem]),
  ];
  const tooltip = mdParagraphs([...machines(say, readings, rows), ...notes]);
  const status = (shown?.reading ?? readings[0])?.status;
  if (!shown || !status || status.state === 'asleep' || isFailing(status)) {
    return emptyView(say, status, tooltip);
  }
  return {
    text: `${ICON} ${label(formatRow(problem === null ? options.format : DEFAULT_FORMAT, shown, say))}`,
    tooltip,
    label: describeRow(say, shown, readings.length > 1),
    severity: isStrained(shown) ? 'warning' : 'none',
  };
}

/** Every machine that has GPUs or a message. */
function machines(say: Say, readings: readonly HostReading[], rows: readonly ReadRow[]): readonly Markdown[] {
  const seen = readings.filter(({ devices, status }) => devices.length > 0 || status.message !== null);
  return seen.flatMap(reading => {
    const own = rows.filter(row => row.reading === reading);
    return hostPart(say, reading, own, seen.length === 1);
  });
}

const rowsOf = (reading: HostReading): readonly ReadRow[] =>
  reading.devices.map(device => ({
    host: reading.host.name,
    reading,
    device,
    sample: reading.samples.find(one => one.key === device.key) ?? null,
  }));

/** By its UUID, on any machine, or by machine and key. */
const isGpu = ({ reading, device }: ReadRow, gpu: string): boolean =>
  gpu !== '' && (device.uuid === gpu || deviceId(reading.host.id, device) === gpu);

/** On this machine if it has GPUs; a discrete GPU before one with unified memory. */
function busiest(rows: readonly ReadRow[]): ReadRow | undefined {
  const here = rows.filter(({ reading }) => reading.host.kind === 'local');
  const near = here.length > 0 ? here : rows;
  const own = near.filter(({ device }) => device.memoryKind !== 'unified');
  return (own.length > 0 ? own : near).toSorted((a, b) => fullness(b) - fullness(a))[0];
}

const FAILING: readonly HostStatus['state'][] = ['driver-error', 'stale', 'no-tool', 'no-gpu'];
const isFailing = ({ state }: HostStatus): boolean => FAILING.includes(state);

/** Why there is nothing to show. */
function emptyView(say: Say, status: HostStatus | undefined, tooltip: Markdown): MeterView {
  if (status?.state === 'asleep') {
    return { text: `${ICON} ${say('asleep')}`, tooltip, label: say('The GPU is asleep'), severity: 'none' };
  }
  const lost = status?.errorKind === 'gpu-lost';
  const label = status?.message ? told(say, status.message) : say('GPU memory unknown');
  return { text: `${ICON} n/a`, tooltip, label, severity: lost ? 'error' : 'warning' };
}

const isStrained = (row: MeterRow): boolean =>
  fullness(row) >= FULL_SHARE || (row.sample?.tempC ?? 0) >= HOT_C;

function describeRow(say: Say, row: ReadRow, saysHost: boolean): string {
  const { device, sample, host } = row;
  const percent = sample?.utilPct ?? null;
  const where = [...(saysHost ? [host] : []), `GPU ${device.index}`, device.name ?? say('unnamed')];
  const busy = percent === null ? [] : [say('{0} percent busy', Math.round(percent))];
  return say('{0}: {1}', commas(say, where), commas(say, [formatRow(DEFAULT_FORMAT, row, say), ...busy]));
}
