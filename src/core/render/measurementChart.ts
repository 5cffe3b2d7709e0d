import { PALETTES } from './bar';
import type { Palette, ThemeKind } from './bar';
import type { MeasuredPair } from './measurements';
import { formatBytes } from '../units';

/** The width of a page next to an editor, so that text keeps its size. */
const WIDTH = 480;
const LEFT = 150;
const RIGHT = 118;
const ROW = 34;
const THICK = 11;
const LEGEND = 22;

/** A page has no room for more pairs: draws the newest; the table has all. */
const MOST = 12;

/**
 * Predicted memory of runs (outlined) above the measured memory (filled), with the difference at the end, as SVG
 * text. Runs that took more than predicted have a separate color.
 */
export function measurementChart(pairs: readonly MeasuredPair[], theme: ThemeKind): string {
  const palette = PALETTES[theme];
  const shown = pairs.slice(-MOST);
  const full = Math.max(1, ...shown.flatMap(({ bytes, predicted }) => [bytes, predicted]));
  const scale = (bytes: number): number => round((bytes / full) * (WIDTH - LEFT - RIGHT));
  const rows = shown.map((pair, i) => row(pair, LEGEND + i * ROW, scale, palette));
  const height = LEGEND + shown.length * ROW + 4;
  const style = `font-family="system-ui, sans-serif" font-size="12" fill="${palette.frame}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" ${style}>${legend(palette)}${rows.join('')}</svg>`;
}

function row(pair: MeasuredPair, y: number, scale: (bytes: number) => number, palette: Palette): string {
  const { at, metric, bytes, predicted } = pair;
  const isOver = bytes > predicted;
  const fill = (isOver ? palette.over : palette.terms[0]) ?? '';
  const share = Math.abs(bytes / Math.max(1, predicted) - 1) * 100;
  const x = LEFT + Math.max(scale(bytes), scale(predicted)) + 6;
  return (
    text(LEFT - 8, y + 13, `${at.slice(0, 10)}, ${metric}`, 'end') +
    text(LEFT - 8, y + 27, rowsOf(pair), 'end') +
    rect(LEFT, y + 4, scale(predicted), 'none', palette.frame) +
    rect(LEFT, y + 4 + THICK + 1, scale(bytes), fill, palette.frame) +
    text(x, y + 13, formatBytes(predicted)) +
    text(x, y + 27, `${formatBytes(bytes)}, ${isOver ? '+' : '−'}${share.toFixed(1)} %`)
  );
}

function rowsOf({ rows: { batch, sequence }, source }: MeasuredPair): string {
  const of = batch === null ? '' : `, ${batch}${sequence === null ? '' : ` × ${sequence}`}`;
  return `${source}${of}`;
}

function legend({ frame, terms, over }: Palette): string {
  const entries = [
    ['predicted', 'none', 0],
    ['measured', terms[0] ?? '', 90],
    ['measured, more than predicted', over, 176],
  ] as const;
  return entries
    .map(
      ([words, fill, x]) =>
        `<rect x="${x + 1}" y="3" width="10" height="10" fill="${fill}" stroke="${frame}" stroke-width="0.75"/>${text(x + 17, 12, words)}`,
    )
    .join('');
}

const round = (value: number): number => Math.round(value * 10) / 10;

const text = (x: number, y: number, words: string, anchor: 'start' | 'end' = 'start'): string =>
  `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}">${words}</text>`;

const rect = (x: number, y: number, width: number, fill: string, stroke: string): string =>
  `<rect x="${round(x)}" y="${round(y)}" width="${round(Math.max(1, width))}" height="${THICK}" fill="${fill}" stroke="${stroke}" stroke-width="0.75"/>`;
