import type { DeviceEstimate } from '../memory/estimate';
import { grouped, PALETTES } from './bar';
import type { Palette, ThemeKind } from './bar';
import type { Plan } from '../plan/plan';
import { stepRows } from './steps';
import { phaseText } from '../memory/words';
import { formatCapacity, gigabytes } from '../units';
import { english, said, template } from '../text/say';
import type { Say, Template } from '../text/say';

/** Labels of the bar's colors, in its order. */
const LEGEND: readonly Template[] = [
  template('model'),
  template('gradients, optimizer'),
  template('activations, cache'),
  template('logits, loss'),
  template('the rest'),
];

/** The width of a page next to an editor, so that text keeps its size. */
const WIDTH = 480;
const LEFT = 126;
const RIGHT = 84;
const ROW = 26;
const BAR = 16;
const THIN = 9;

/** The width of a sum at the end of a bar: `19.4 GB`. */
const SUM = 48;

/** Values that all rows of a chart share. */
interface Canvas {
  readonly palette: Palette;
  /** The device's memory; 0: unknown. */
  readonly capacity: number;
  /** Converts bytes to a length. */
  readonly scale: (bytes: number) => number;
}

/**
 * The run before and after a plan as SVG text: peak memory by kind of term against the device's memory, and below
 * it torch's memory in each phase. Planned bars are filled, previous ones outlined.
 */
export function planChart(
  before: DeviceEstimate | null,
  after: DeviceEstimate,
  theme: ThemeKind,
  say: Say = english,
): string {
  const palette = PALETTES[theme];
  const capacity = after.capacityBytes ?? 0;
  const full = Math.max(capacity, before?.device.expected ?? 0, after.device.expected);
  const scale = (bytes: number): number => round((bytes / full) * (WIDTH - LEFT - RIGHT));
  const canvas = { palette, capacity, scale };
  const peaks = [
    ...(before ? [stacked(canvas, say('before, at the peak'), before, 0)] : []),
    stacked(canvas, say('after, at the peak'), after, before ? 1 : 0),
  ];
  const legendTop = peaks.length * ROW + 14;
  const phaseTop = legendTop + 2 * 18 + 14;
  const rows = phaseRows(say, before, after).map((row, i) => phaseRow(canvas, row, phaseTop + i * ROW));
  const height = phaseTop + rows.length * ROW + 6;
  const limit = capacity > 0 ? limitLine(canvas, capacity, peaks.length * ROW) : '';
  return picture(palette, height, [...peaks, limit, legend(say, palette, legendTop), ...rows]);
}

const round = (value: number): number => Math.round(value * 10) / 10;

const text = (x: number, y: number, words: string, anchor: 'start' | 'end' = 'start'): string =>
  `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}">${words}</text>`;

function rect(x: number, y: number, width: number, height: number, fill: string, stroke: string): string {
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(Math.max(0, width))}" height="${height}" fill="${fill}" stroke="${stroke}" stroke-width="0.75"/>`;
}

/** Each step as a stacked bar against the device's memory, as SVG text; empty without steps. */
export function stepChart(plans: readonly Plan[], theme: ThemeKind, say: Say = english): string {
  const rows = stepRows(say, plans);
  const palette = PALETTES[theme];
  const capacity = rows[0]?.device.capacityBytes ?? 0;
  const full = Math.max(capacity, ...rows.map(({ device }) => device.device.expected));
  const scale = (bytes: number): number => round((bytes / full) * (WIDTH - LEFT - RIGHT));
  const canvas = { palette, capacity, scale };
  const bars = rows.map(({ name, device }, i) => stacked(canvas, name, device, i));
  const limit = capacity > 0 ? limitLine(canvas, capacity, rows.length * ROW) : '';
  const legendTop = rows.length * ROW + 14;
  return rows.length === 0
    ? ''
    : picture(palette, legendTop + 2 * 18 + 6, [...bars, limit, legend(say, palette, legendTop)]);
}

function picture({ frame }: Palette, height: number, parts: readonly string[]): string {
  const style = `font-family="system-ui, sans-serif" font-size="12" fill="${frame}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" ${style}>${parts.join('')}</svg>`;
}

/** The peak as a stacked bar by kind of term, with its sum at the end. */
function stacked(
  { palette, capacity, scale }: Canvas,
  name: string,
  device: DeviceEstimate,
  row: number,
): string {
  const y = row * ROW + 4;
  let x = LEFT;
  const parts = grouped(device).map((bytes, i) => {
    const width = scale(bytes);
    const part = width > 0 ? rect(x, y, width, BAR, palette.terms[i] ?? '', palette.frame) : '';
    x += width;
    return part;
  });
  const label = text(LEFT - 8, y + 12.5, name, 'end');
  const limit = capacity > 0 ? LEFT + scale(capacity) : Infinity;
  // The line of the limit would strike the sum through.
  const at = x < limit + 4 && x + 5 + SUM > limit ? limit + 7 : x + 5;
  return `${label}${parts.join('')}${text(at, y + 12.5, `${gigabytes(device.device.expected)} GB`)}`;
}

/** The device's memory limit, across all bars of the peak. */
function limitLine({ palette, scale }: Canvas, capacity: number, height: number): string {
  const x = round(LEFT + scale(capacity));
  const line = (color: string, width: number): string =>
    `<line x1="${x}" x2="${x}" y1="0" y2="${height + 2}" stroke="${color}" stroke-width="${width}"/>`;
  const words = text(x, height + 12, formatCapacity(capacity), 'end');
  return line(palette.halo, 5) + line(palette.over, 2) + words;
}

/** Names next to their colors, in columns of three. */
function legend(say: Say, { terms, frame }: Palette, top: number): string {
  const parts = LEGEND.map((name, i) => {
    const x = 8 + (i % 3) * 150;
    const y = top + Math.floor(i / 3) * 18;
    return rect(x, y + 6, 10, 10, terms[i] ?? '', frame) + text(x + 15, y + 15, said(say, name));
  });
  return parts.join('');
}

interface PhaseRow {
  readonly name: string;
  readonly was: number | null;
  readonly is: number | null;
}

/** Phases of both estimates, in chronological order. */
export function phaseRows(
  say: Say,
  before: DeviceEstimate | null,
  after: DeviceEstimate,
): readonly PhaseRow[] {
  const names = new Set([...(before?.phases ?? []), ...after.phases].map(({ phase }) => phase));
  const bytesIn = (device: DeviceEstimate | null, name: DeviceEstimate['peakPhase']): number | null =>
    device?.phases.find(({ phase }) => phase === name)?.bytes ?? null;
  return [...names].map(name => ({
    name: phaseText(say, name),
    was: bytesIn(before, name),
    is: bytesIn(after, name),
  }));
}

function phaseRow({ palette, scale }: Canvas, { name, was, is }: PhaseRow, y: number): string {
  const fill = palette.terms[0] ?? '';
  const old = was === null ? '' : rect(LEFT, y + 2, scale(was), THIN, 'none', palette.frame);
  const planned = is === null ? '' : rect(LEFT, y + 2 + THIN + 1, scale(is), THIN, fill, palette.frame);
  const end = LEFT + Math.max(scale(was ?? 0), scale(is ?? 0)) + 5;
  const texts = [was, is].map(bytes => (bytes === null ? '–' : gigabytes(bytes)));
  const numbers = was === null ? (texts[1] ?? '') : texts.join(' → ');
  return text(LEFT - 8, y + 15, name, 'end') + old + planned + text(end, y + 15, numbers);
}
