import type { Description } from '../../models/description';
import type { MeasuredPoint } from '../../models/description';
import type { Spread } from '../calibration';
import type { Described, Rows } from './rows';
import { loadOf } from './rows';
import { phrase } from '../../text/say';

/** Variation between two runs of one config: other kernels, other rows. */
const LEAST = 0.05;
/** A line through at most two points has no residuals to test it. */
const UNTESTED = 0.1;

/**
 * Memory on the line through the measurements: a fixed part, and a part per sample. `held`: bytes that every such
 * run holds with any batch; no line begins below them, because close, rounded points leave the intercept open.
 */
export function estimateAlongLine({ measured }: Description, rows: Rows, held: number): Described {
  const load = loadOf(rows, measured);
  const points = measured.map(point => ({ at: load(point), bytes: point.bytes }));
  const line = fitted(points);
  const now = load(rows);
  const { bytes, fixed } = amountAt(now, line, points, Math.min(held, ...measured.map(one => one.bytes)));
  const grown = bytes - fixed;
  const each = points.length === 1 ? phrase`1 measured run` : phrase`${points.length} measured runs`;
  return {
    bytes,
    spread: spreadOf(points, line, now),
    terms: [
      {
        term: 'weights',
        bytes: fixed,
        formula: `does not grow with the batch: states, gradients, context (${each})`,
        from: ['model'],
      },
      {
        term: 'activations',
        bytes: grown,
        formula: `grows with the batch (${each})`,
        from: ['microBatchSize', 'seqLen'],
      },
    ].filter(term => term.bytes > 0) as Described['terms'],
    says: describeMeasured(measured),
  };
}

function describeMeasured(measured: readonly MeasuredPoint[]): string {
  if (measured.length > 1) return phrase`memory lies on the line through ${measured.length} measured runs`;
  return phrase`memory grows with the batch from nothing: one measured run does not say what stays`;
}

interface Point {
  readonly at: number;
  readonly bytes: number;
}

interface Line {
  readonly fixed: number;
  readonly slope: number;
}

/** Least squares; through the origin if all points are at one place. Memory never shrinks with the batch. */
function fitted(points: readonly Point[]): Line {
  const mean = (of: (point: Point) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [at, bytes] = [mean(point => point.at), mean(point => point.bytes)];
  const spread = mean(point => (point.at - at) ** 2);
  if (spread === 0) return { fixed: 0, slope: bytes / at };
  const slope = Math.max(0, mean(point => (point.at - at) * (point.bytes - bytes)) / spread);
  return { fixed: bytes - slope * at, slope };
}

/**
 * The bytes of a run, and the fixed part of them. A line through two points passes through both. If it would begin
 * below what every run holds, runs with fewer rows than any point begin there, but never exceed the line at the
 * first point.
 */
function amountAt(
  now: number,
  { fixed, slope }: Line,
  points: readonly Point[],
  held: number,
): { readonly bytes: number; readonly fixed: number } {
  const first = Math.min(...points.map(({ at }) => at));
  const bytes = fixed + slope * now;
  if (fixed >= held || points.every(({ at }) => at === first)) return { bytes, fixed };
  if (now >= first) return { bytes, fixed: Math.min(held, bytes) };
  const squares = points.reduce((sum, point) => sum + point.at ** 2, 0);
  const each = points.reduce((sum, point) => sum + point.at * (point.bytes - held), 0) / squares;
  return { bytes: Math.min(fixed + slope * first, held + each * now), fixed: held };
}

/**
 * The largest residual, increased proportionally to the run's distance from the points, in units of their range.
 */
function spreadOf(points: readonly Point[], { fixed, slope }: Line, now: number): Spread {
  const places = points.map(({ at }) => at);
  const [first, last] = [Math.min(...places), Math.max(...places)];
  const residuals = points.map(({ at, bytes }) => Math.abs(bytes / (fixed + slope * at) - 1));
  const least = places.length > 2 ? LEAST : UNTESTED;
  const beyond = Math.max(0, first - now, now - last) / Math.max(last - first, last);
  const share = Math.max(least, ...residuals) * (1 + beyond);
  return { below: Math.min(0.9, share), above: share };
}
