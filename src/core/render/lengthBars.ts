import { tokenBins } from '../lengths/record';
import type { LengthRecord } from '../lengths/record';
import { PALETTES } from './bar';
import type { ThemeKind } from './bar';

const WIDTH = 320;
const HEIGHT = 36;
const COLUMNS = 64;

/** Histogram of row lengths from zero to the longest or the limit, with a line at the limit, as SVG text. */
export function lengthBars(record: LengthRecord, limit: number | null, theme: ThemeKind): string {
  const palette = PALETTES[theme];
  const bins = tokenBins(record);
  const full = Math.max(bins.at(-1)?.[0] ?? 1, limit ?? 0);
  const columns = new Array<number>(COLUMNS).fill(0);
  for (const [upTo, rows] of bins) {
    const at = Math.min(COLUMNS - 1, Math.floor(((upTo - 1) / full) * COLUMNS));
    columns[at] = (columns[at] ?? 0) + rows;
  }
  const most = Math.max(...columns);
  const width = (WIDTH - 2) / COLUMNS;
  const color = (at: number): string =>
    limit !== null && (at * full) / COLUMNS >= limit ? palette.over : (palette.terms[0] ?? '');
  const bars = columns.map((rows, at) => {
    // A tail of single rows decides the memory, so it must be visible.
    const height = rows === 0 ? 0 : Math.max(1.5, rounded((rows / most) * (HEIGHT - 4)));
    return height === 0
      ? ''
      : `<rect x="${rounded(1 + at * width)}" y="${rounded(HEIGHT - 1 - height)}" width="${rounded(width - 0.5)}" height="${height}" fill="${color(at)}"/>`;
  });
  const base = `<line x1="0" x2="${WIDTH}" y1="${HEIGHT - 0.5}" y2="${HEIGHT - 0.5}" stroke="${palette.frame}"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" role="img">${bars.join('')}${base}${limitLine(limit, full, palette.frame)}</svg>`;
}

function limitLine(limit: number | null, full: number, color: string): string {
  if (limit === null) return '';
  const x = rounded(Math.min(WIDTH - 1, 1 + (limit / full) * (WIDTH - 2)));
  return `<line x1="${x}" x2="${x}" y1="0" y2="${HEIGHT}" stroke="${color}" stroke-width="2" stroke-dasharray="3 2"/>`;
}

const rounded = (n: number): number => Math.round(n * 10) / 10;
