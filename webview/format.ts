import { formatBytes, formatCapacity, formatRange, gigabytes } from '../src/core/units';
import type { Prediction } from '../src/core/analyse/prediction';
import type { Charted } from '../src/panel/page/charted';
import type { DeviceCard, DeviceNow, Machine, ProcessRow, State, Status } from '../src/panel/page/protocol';
import { MIB } from '../src/core/units';
import { t } from './texts';

/** A value that was not read: never 0. */
export const UNKNOWN = 'n/a';

export const memory = (mib: number | null): string => (mib === null ? UNKNOWN : formatBytes(mib * MIB));

/** The vendor of a GeForce is obvious. */
const VENDOR = /^NVIDIA (?=\S)/;

export const gpuName = ({ name }: Pick<DeviceCard, 'name'>): string =>
  name?.replace(VENDOR, '') ?? t('Unnamed GPU');

const rounded = (value: number | null, unit: string): string =>
  value === null ? UNKNOWN : `${Math.round(value)} ${unit}`;

/** The latest reading of a measure with its maximum: `14.7 of 24 GB`, `97 %`, `310 of 450 W`. */
export function reading(measure: Charted, device: DeviceCard, now: DeviceNow | null): string {
  switch (measure) {
    case 'memoryUsedMiB':
      return memoryOf(device, now);
    case 'utilPct':
      return rounded(now?.utilPct ?? null, '%');
    case 'tempC':
      return rounded(now?.tempC ?? null, '°C');
    case 'powerW':
      return power(now);
  }
}

function memoryOf({ memoryTotalMiB }: DeviceCard, now: DeviceNow | null): string {
  const used = now?.memoryUsedMiB ?? null;
  const total = memoryTotalMiB === null ? null : formatCapacity(memoryTotalMiB * MIB);
  if (used === null) return total === null ? UNKNOWN : t('{0} of {1}', UNKNOWN, total);
  return total === null ? formatBytes(used * MIB) : t('{0} of {1}', gigabytes(used * MIB), total);
}

function power(now: DeviceNow | null): string {
  const { powerW = null, powerLimitW = null } = now ?? {};
  return powerW !== null && powerLimitW !== null
    ? t('{0} of {1}', Math.round(powerW), `${Math.round(powerLimitW)} W`)
    : rounded(powerW, 'W');
}

/** A chart's value, without its maximum. */
export function plain(measure: Charted, value: number | null): string {
  if (measure === 'memoryUsedMiB') return memory(value);
  return rounded(value, { utilPct: '%', tempC: '°C', powerW: 'W' }[measure]);
}

export const MEASURE_NAMES: Readonly<Record<Charted, string>> = {
  memoryUsedMiB: t('Memory'),
  utilPct: t('Utilization'),
  tempC: t('Temperature'),
  powerW: t('Power'),
};

/** All measures in one line; measures that this device never reports are omitted. */
export function inShort(device: DeviceCard, now: DeviceNow | null): string {
  const parts = [
    memoryOf(device, now),
    ...(now?.utilPct === null || now === null ? [] : [rounded(now.utilPct, '%')]),
    ...(now?.tempC === null || now === null ? [] : [rounded(now.tempC, '°C')]),
    ...(now?.powerW === null || now === null ? [] : [rounded(now.powerW, 'W')]),
  ];
  return parts.join(' · ');
}

export const STATES: Readonly<Record<State, string>> = {
  idle: t('not connected'),
  connecting: t('connecting …'),
  live: t('live'),
  stale: t('stale'),
  asleep: t('asleep'),
  'no-gpu': t('no GPU'),
  'auth-needed': t('login needed'),
  'hostkey-unknown': t('unknown host key'),
  'hostkey-changed': t('host key changed'),
  unreachable: t('unreachable'),
  'no-tool': t('no GPU tool'),
  'driver-error': t('driver error'),
};

/** The visual style of a state, in addition to its word. */
export function tone(state: State): 'good' | 'waiting' | 'quiet' | 'bad' {
  if (state === 'live') return 'good';
  if (state === 'connecting' || state === 'stale') return 'waiting';
  return ['idle', 'asleep', 'no-gpu', 'no-tool'].includes(state) ? 'quiet' : 'bad';
}

/** `CPU 34 %, memory 21.0 of 64 GB`; null if nothing is known. */
export function machine(load: Machine | null): string | null {
  if (load === null) return null;
  const cpu = load.cpuPct === null ? [] : [`CPU ${Math.round(load.cpuPct)} %`];
  const { memoryTotalMiB: total, memoryUsedMiB: used } = load;
  const ram =
    total === null || used === null
      ? []
      : [t('memory {0} of {1}', gigabytes(used * MIB), formatCapacity(total * MIB))];
  return cpu.length + ram.length === 0 ? null : [...cpu, ...ram].join(' · ');
}

/** The time of the next retry, in coarse steps that do not change every second; null: not planned. */
export function nextTry({ nextTryMs, state }: Status, nowMs: number): string | null {
  if (nextTryMs === null || state === 'live') return null;
  const seconds = Math.ceil((nextTryMs - nowMs) / 1000);
  if (seconds <= 0) return t('retrying');
  return seconds < 60
    ? t('retrying in {0} s', Math.ceil(seconds / 5) * 5)
    : t('retrying in {0} min', Math.ceil(seconds / 60));
}

const BASES: Record<NonNullable<Prediction['basis']>, string> = {
  measured: t('measured'),
  'dry run': t('by a dry run'),
  fitted: t('from measured runs'),
  corrected: t('corrected by measured runs'),
};

/** `qlora.yml ≈ 21.4 GB per GPU (19.8–23.0 GB), by a dry run, for RTX 4090`. */
export function predicted(prediction: Prediction): string {
  const { config, run, lowMiB, expectedMiB, highMiB, basis, target } = prediction;
  const name = run === '' || run === config ? config : `${config} · ${run}`;
  const range = formatRange(lowMiB * MIB, highMiB * MIB);
  return [
    t('{0} ≈ {1} per GPU ({2})', name, formatBytes(expectedMiB * MIB), range),
    ...(basis === null ? [] : [BASES[basis]]),
    ...(target === null ? [] : [t('for {0}', target)]),
  ].join(', ');
}

/** Whether the prediction fits in the memory that is free now; null if either is unknown. */
export function roomFor(
  prediction: Prediction | null,
  { memoryTotalMiB, memoryKind, mig }: DeviceCard,
  now: DeviceNow | null,
): string | null {
  const used = now?.memoryUsedMiB ?? null;
  // A program gets a slice, not the whole GPU; unified memory has no free memory of its own.
  if (prediction === null || used === null || memoryTotalMiB === null) return null;
  if (mig !== null || memoryKind === 'unified') return null;
  const free = now?.memoryFreeMiB ?? memoryTotalMiB - used;
  if (prediction.highMiB <= free) return t('fits in the {0} free', memory(free));
  if (prediction.lowMiB > memoryTotalMiB) return t('needs more memory than the GPU has');
  if (prediction.lowMiB > free) return t('needs more than the {0} free', memory(free));
  return t('may just fit in the {0} free', memory(free));
}

/** Names come with or without a path. */
export const processName = ({ name, command }: ProcessRow): string =>
  name?.split(/[\\/]/).at(-1) ?? command?.split(' ')[0]?.split(/[\\/]/).at(-1) ?? UNKNOWN;

/** The processes that hold memory, in a line; null if unknown. */
export function holders({ processes }: DeviceCard): string | null {
  if (processes === null) return null;
  if (processes.length === 0) return t('No processes');
  const [first] = processes;
  if (!first) return null;
  const owner = first.user === null ? '' : `${first.user}: `;
  const memoryText = first.memoryUsedMiB === null ? '' : ` ${memory(first.memoryUsedMiB)}`;
  const more = processes.length === 1 ? '' : `, ${processes.length - 1} more`;
  return `${owner}${processName(first)}${memoryText}${more}`;
}

/** `5 min`: a duration for a chart's edge. */
export const duration = (ms: number): string =>
  ms < 3_600_000 ? `${ms / 60_000} min` : `${ms / 3_600_000} h`;
