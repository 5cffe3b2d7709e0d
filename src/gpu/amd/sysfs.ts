import { unknownDevice } from '../device';
import type { GpuDevice } from '../device';
import { amountOf, wordsOf } from '../parse/amount';
import { readingOf, shown } from '../parse/reading';
import type { MeasureTexts, Shown } from '../parse/reading';
import type { ToolReading } from '../tool';

/**
 * Files of a card, below `device`; the kernel's documentation describes them (gpu/amdgpu: driver-misc, thermal).
 */
const FILES = [
  'uevent',
  'product_name',
  'unique_id',
  'revision',
  'mem_info_vram_total',
  'mem_info_vram_used',
  'mem_info_gtt_total',
  'mem_info_gtt_used',
  'gpu_busy_percent',
  'mem_busy_percent',
];

/** Sensor files below `device/hwmon/hwmon*`. */
const SENSORS = ['temp?_input', 'temp?_label', 'power1_average', 'power1_input', 'power1_cap', 'fan1_input'];
const MORE_SENSORS = ['pwm1', 'pwm1_max', 'freq?_input', 'freq?_label', 'in1_label'];

/** The only folders to enter, because links lead from a card to everything else. */
const FOLDERS = ['card[0-9]*', 'device', 'hwmon', 'hwmon[0-9]*'];
/** Connectors of a card (`card0-DP-1`) contain it again. */
const CONNECTORS = 'card*-*';
const DEEPEST = 5;

const named = (names: readonly string[]): readonly string[] =>
  names.flatMap((name, at) => [...(at === 0 ? [] : ['-o']), '-name', name]);

/** Arguments with which `find` prints these files, with the path before each line. */
export const sysfsQuery = (root: string): readonly string[] => [
  '-L',
  root,
  ...['-mindepth', '1', '-maxdepth', String(DEEPEST)],
  ...[
    '(',
    '-type',
    'd',
    '(',
    '-name',
    CONNECTORS,
    '-o',
    '!',
    '(',
    ...named(FOLDERS),
    ')',
    ')',
    '-prune',
    ')',
  ],
  ...['-o', '(', '-type', 'f', '(', ...named([...FILES, ...SENSORS, ...MORE_SENSORS]), ')'],
  ...['-exec', 'grep', '-sH', '', '{}', '+', ')'],
];

type Card = ReadonlyMap<string, string>;

/** Parses `find`'s output: the cards of the driver amdgpu. */
export function readSysfs(text: string, receivedMs: number): ToolReading {
  const cards = cardsIn(text).filter(({ card }) => card.get('uevent DRIVER') === 'amdgpu');
  return readingOf(cards.map(({ card }, at) => shownIn(card, at, receivedMs)));
}

/** By card number; lines of `uevent` are `NAME=VALUE`. */
function cardsIn(text: string): readonly { readonly number: number; readonly card: Card }[] {
  const found = new Map<number, Map<string, string>>();
  for (const line of text.split(/\r?\n/)) {
    const [, digits, file, value = ''] =
      /\/card(\d+)\/device\/(?:hwmon\/hwmon\d+\/)?([a-z0-9_]+):(.*)/.exec(line) ?? [];
    if (digits === undefined || file === undefined) continue;
    const card = found.get(Number(digits)) ?? new Map<string, string>();
    found.set(Number(digits), card);
    const [name = '', ...rest] = value.split('=');
    if (file === 'uevent') card.set(`uevent ${name}`, rest.join('='));
    else card.set(file, value.trim());
  }
  return [...found].map(([number, card]) => ({ number, card })).sort((a, b) => a.number - b.number);
}

/** Divides by a thousand or a million by moving the decimal point in the text. */
const scaled = (text: string | undefined, by: number, unit: string): string | undefined =>
  text !== undefined && /^-?\d+$/.test(text) ? `${Number(text) / by} ${unit}` : undefined;

function shownIn(card: Card, index: number, receivedMs: number): Shown {
  const sensor = (kind: 'temp' | 'freq', label: string): string | undefined => {
    const [, at] = [...card].flatMap(([file, value]) =>
      value === label ? (new RegExp(`^${kind}(\\d)_label$`).exec(file) ?? []) : [],
    );
    return at === undefined ? undefined : card.get(`${kind}${at}_input`);
  };
  const texts: MeasureTexts = {
    utilPct: [card.get('gpu_busy_percent')],
    memBusyPct: [card.get('mem_busy_percent')],
    memoryUsedMiB: [bytes(memoryOf(card, 'used'))],
    // Chips before Vega have one sensor, without a label.
    tempC: [scaled(sensor('temp', 'edge') ?? card.get('temp1_input'), 1000, 'C')],
    tempHotspotC: [scaled(sensor('temp', 'junction'), 1000, 'C')],
    tempMemC: [scaled(sensor('temp', 'mem'), 1000, 'C')],
    powerW: [card.get('power1_average'), card.get('power1_input')].map(text => scaled(text, 1e6, 'W')),
    powerLimitW: [scaled(card.get('power1_cap'), 1e6, 'W')],
    fanRpm: [card.get('fan1_input')],
    fanPct: [fanPct(card)],
    clockSmMHz: [scaled(sensor('freq', 'sclk'), 1e6, 'MHz')],
    clockMemMHz: [scaled(sensor('freq', 'mclk'), 1e6, 'MHz')],
  };
  const device = deviceOf(card, index);
  // The power of a chip that is also the CPU includes both.
  const more = device.memoryKind === 'unified' ? { powerKind: 'soc' as const } : {};
  return shown(device, texts, receivedMs, more);
}

function deviceOf(card: Card, index: number): GpuDevice {
  const pciBusId = wordsOf(card.get('uevent PCI_SLOT_NAME'));
  const uuid = wordsOf(card.get('unique_id'));
  const id = wordsOf(card.get('uevent PCI_ID'))?.split(':')[1] ?? null;
  const revision = /^0x([0-9a-f]{2})$/i.exec(card.get('revision') ?? '')?.[1] ?? null;
  const product = wordsOf(card.get('product_name'));
  const total = memoryOf(card, 'total');
  return unknownDevice({
    key: pciBusId ?? uuid ?? `amd:${index}`,
    vendor: 'amd',
    index,
    uuid,
    pciBusId,
    name: product ?? (id === null ? null : chipName(id, revision)),
    memoryTotalMiB: total === null ? null : amountOf(`${total} B`, 'MiB'),
    memoryKind: isApu(card) ? 'unified' : total === null ? 'unknown' : 'dedicated',
  });
}

/** A chip's name from the driver, until libdrm's list has a better one. */
const chipName = (id: string, revision: string | null): string =>
  `AMD GPU ${id.toUpperCase()}${revision === null ? '' : `:${revision.toUpperCase()}`}`;

/** The id and revision in this form of name; null for other names. */
export function chipIn(name: string | null): { readonly id: string; readonly revision: string } | null {
  const [, id, revision] = /^AMD GPU ([0-9A-F]{4}):([0-9A-F]{2})$/.exec(name ?? '') ?? [];
  return id === undefined || revision === undefined ? null : { id, revision };
}

/** The driver reports a northbridge voltage only for APUs. */
const isApu = (card: Card): boolean => card.get('in1_label') === 'vddnb';

/** In bytes. An APU's graphics use a reserved part of memory and, beyond it, system memory (GTT). */
function memoryOf(card: Card, what: 'total' | 'used'): number | null {
  const read = (pool: 'vram' | 'gtt'): number | null => {
    const text = card.get(`mem_info_${pool}_${what}`) ?? '';
    return /^\d+$/.test(text) ? Number(text) : null;
  };
  const own = read('vram');
  if (!isApu(card) || own === null) return own;
  const shared = read('gtt');
  return shared === null ? null : own + shared;
}

const bytes = (count: number | null): string | undefined => (count === null ? undefined : `${count} B`);

function fanPct(card: Card): string | undefined {
  const [level, most] = [card.get('pwm1') ?? '', card.get('pwm1_max') ?? ''];
  if (!/^\d+$/.test(level) || !/^[1-9]\d*$/.test(most)) return undefined;
  return `${Math.round((Number(level) / Number(most)) * 1000) / 10} %`;
}

/** Chip names from libdrm's list: `744C,	C8,	AMD Radeon RX 7900 XTX`, by `ID:REVISION`. */
export function chipNames(text: string): ReadonlyMap<string, string> {
  const rows = text.split(/\r?\n/).flatMap(line => {
    const [, id, revision, name] = /([0-9A-F]{4}),\s*([0-9A-F]{1,2}),\s*(\S.*)/i.exec(line) ?? [];
    if (id === undefined || revision === undefined || name === undefined) return [];
    return [[`${id}:${revision.padStart(2, '0')}`.toUpperCase(), name.trimEnd()] as const];
  });
  return new Map(rows);
}
