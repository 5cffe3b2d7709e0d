import { formatCapacity, gigabytes } from '../core/units';
import type { GpuDevice } from '../gpu/device';
import type { GpuSample } from '../gpu/sample';
import { MIB } from '../core/units';
import { commas } from '../core/text/lists';
import { english } from '../core/text/say';
import type { Say } from '../core/text/say';

/** A GPU as the meter shows it. */
export interface MeterRow {
  /** Name of its machine. */
  readonly host: string;
  readonly device: GpuDevice;
  readonly sample: GpuSample | null;
}

/** The status bar has little room, and the vendor of a GeForce is obvious. */
const VENDOR = /^NVIDIA (?:GeForce )?/;

/** Placeholders of a format; null if the value was not read. */
const PLACEHOLDERS: Readonly<Record<string, (row: MeterRow, say: Say) => string | null>> = {
  memory: (row, say) => memoryText(row, say),
  memoryPct: row => percent(fullness(row)),
  util: ({ sample }) => withUnit(sample?.utilPct, ' %'),
  temp: ({ sample }) => withUnit(sample?.tempC, ' °C'),
  power: ({ sample }) => withUnit(sample?.powerW, ' W'),
  name: ({ device }) => device.name?.replace(VENDOR, '') ?? null,
  host: ({ host }) => host,
};

/** The setting of the format. */
const SETTING = 'headroom.meter.format';

export const DEFAULT_FORMAT = '{memory} · {temp}';

const PLACE = /\{([^{}]*)\}/g;
/** Between two parts of a format; a part without a value is removed with its separator. */
const SEPARATOR = /(?<!\s)\s+[·|,–-]\s+/g;

/** A sentence that says what is wrong with a format; null: nothing. */
export function formatProblem(format: string, say: Say = english): string | null {
  const names = [...format.matchAll(PLACE)].map(([, name = '']) => name);
  const unrecognized = names.filter(name => !(name in PLACEHOLDERS));
  const known = Object.keys(PLACEHOLDERS).map(name => `{${name}}`);
  const all = commas(say, known);
  if (unrecognized.length > 0) {
    const placeholders = unrecognized.map(name => `{${name}}`);
    return say('{0}: unknown placeholder {1}. Use {2}.', SETTING, commas(say, placeholders), all);
  }
  if (names.length > 0) return null;
  return say('{0} has no placeholder. Use {1}.', SETTING, all);
}

/** A row in the given format: `14.7 of 24 GB · 61 °C`. */
export function formatRow(format: string, row: MeterRow, say: Say = english): string {
  const separators = [...format.matchAll(SEPARATOR)].map(([separator]) => separator);
  return format.split(SEPARATOR).reduce((text, part, i) => {
    const shown = partText(part, row, say);
    if (shown === null) return text;
    return text === '' ? shown : `${text}${separators[i - 1] ?? ' '}${shown}`;
  }, '');
}

/** Null if a part has placeholders and none of their values was read. */
function partText(part: string, row: MeterRow, say: Say): string | null {
  const values = [...part.matchAll(PLACE)].map(([, name = '']) => PLACEHOLDERS[name]?.(row, say) ?? null);
  if (values.length > 0 && values.every(value => value === null)) return null;
  let next = 0;
  return part.replaceAll(PLACE, () => values[next++] ?? 'n/a').trim();
}

/** Share of memory in use, 0–1; -1: unknown. */
export function fullness({ device, sample }: MeterRow): number {
  const used = sample?.memoryUsedMiB ?? null;
  if (used !== null && device.memoryTotalMiB) return used / device.memoryTotalMiB;
  const pct = sample?.memoryUsedPct ?? null;
  return pct === null ? -1 : pct / 100;
}

/** `14.7 of 24 GB`; a value that was not read is `n/a`. */
export function memoryText({ device: { memoryTotalMiB }, sample }: MeterRow, say: Say = english): string {
  const used = sample?.memoryUsedMiB ?? null;
  const of = memoryTotalMiB === null ? 'n/a' : formatCapacity(memoryTotalMiB * MIB);
  return say('{0} of {1}', used === null ? 'n/a' : gigabytes(used * MIB), of);
}

const percent = (share: number): string | null => (share < 0 ? null : `${Math.round(share * 100)} %`);

const withUnit = (value: number | null | undefined, unit: string): string | null =>
  value === null || value === undefined ? null : `${Math.round(value)}${unit}`;
