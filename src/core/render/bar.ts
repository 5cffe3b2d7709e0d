import type { DeviceEstimate } from '../memory/estimate';
import type { TermName } from '../models/terms';

export type ThemeKind = 'light' | 'dark' | 'high-contrast' | 'high-contrast-light';

export interface Palette {
  readonly frame: string;
  readonly over: string;
  /** The editor's background: separates the limit from the terms it crosses. */
  readonly halo: string;
  readonly terms: readonly string[];
}

/**
 * An image cannot read the editor's CSS variables, so these are the default values of `charts.blue`, `green`,
 * `yellow`, `purple`, `red` and `foreground` in VS Code's four kinds of theme.
 */
export const PALETTES: Readonly<Record<ThemeKind, Palette>> = {
  dark: {
    frame: '#cccccc',
    over: '#f14c4c',
    halo: '#1f1f1f',
    terms: ['#3794ff', '#89d185', '#cca700', '#b180d7', '#808080'],
  },
  light: {
    frame: '#3b3b3b',
    over: '#e51400',
    halo: '#ffffff',
    terms: ['#1a85ff', '#388a34', '#bf8803', '#652d90', '#9d9d9d'],
  },
  'high-contrast': {
    frame: '#ffffff',
    over: '#f48771',
    halo: '#000000',
    terms: ['#3794ff', '#89d185', '#ffd700', '#d7a6ff', '#c0c0c0'],
  },
  'high-contrast-light': {
    frame: '#292929',
    over: '#b5200d',
    halo: '#ffffff',
    terms: ['#0f4a85', '#374e06', '#895503', '#652d90', '#6b6b6b'],
  },
};

/** Terms that share a color: the model, training, one batch, the rest. */
const GROUPS: readonly (readonly TermName[])[] = [
  ['weights', 'adapters'],
  ['gradients', 'optimizer states'],
  ['activations', 'kv cache'],
  ['logits and loss'],
];

const WIDTH = 320;
const HEIGHT = 14;

/** The estimate as a bar against the device's memory, as SVG text. High contrast gets outlines, not only colors. */
export function memoryBar(device: DeviceEstimate, theme: ThemeKind): string {
  const palette = PALETTES[theme];
  const full = Math.max(device.capacityBytes ?? 0, device.device.expected);
  const scale = (bytes: number): number => Math.round((bytes / full) * (WIDTH - 2) * 10) / 10;
  let x = 1;
  const parts = grouped(device).map((bytes, i) => {
    const width = scale(bytes);
    const part = `<rect x="${x}" y="1" width="${width}" height="${HEIGHT - 2}" fill="${palette.terms[i] ?? ''}" stroke="${palette.frame}" stroke-width="0.5"/>`;
    x = Math.round((x + width) * 10) / 10;
    return width > 0 ? part : '';
  });
  const limit =
    device.capacityBytes === null ? '' : limitLine(scale(device.capacityBytes) + 1, palette, device);
  const frame = `<rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${HEIGHT - 1}" fill="none" stroke="${palette.frame}"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" role="img">${parts.join('')}${frame}${limit}</svg>`;
}

function limitLine(x: number, palette: Palette, device: DeviceEstimate): string {
  if (device.capacityBytes === null || device.device.expected <= device.capacityBytes) return '';
  const line = (color: string, width: number): string =>
    `<line x1="${x}" x2="${x}" y1="0" y2="${HEIGHT}" stroke="${color}" stroke-width="${width}"/>`;
  return line(palette.halo, 6) + line(palette.over, 2);
}

/** The color that a term has in the bar. */
function termColor(term: TermName, theme: ThemeKind): string {
  const group = GROUPS.findIndex(names => names.includes(term));
  return PALETTES[theme].terms[group < 0 ? GROUPS.length : group] ?? PALETTES[theme].frame;
}

/** The color as a small picture for a legend, as SVG text. */
export const swatch = (term: TermName, theme: ThemeKind): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect x="0.5" y="0.5" width="9" height="9" fill="${termColor(term, theme)}" stroke="${PALETTES[theme].frame}" stroke-width="0.5"/></svg>`;

/** Bytes per group; the last one has all terms without a group. */
export function grouped(device: DeviceEstimate): number[] {
  const sums = new Array<number>(GROUPS.length + 1).fill(0);
  for (const term of device.terms) {
    const group = GROUPS.findIndex(names => names.includes(term.term));
    const at = group < 0 ? GROUPS.length : group;
    sums[at] = (sums[at] ?? 0) + term.bytes;
  }
  return sums;
}
