import uPlot from 'uplot';
import type { Charted } from '../src/panel/page/charted';
import type { Buckets } from '../src/panel/page/buckets';
import { chartColors } from './theme';

const HEIGHT = 56;

/** The range of a chart's values, and the band drawn across it. */
interface Frame {
  readonly min: number;
  readonly max: number;
  /** The predicted range with its expected value. */
  readonly band: { readonly low: number; readonly middle: number; readonly high: number } | null;
}

let charts = 0;

const isAlike = (a: Frame['band'], b: Frame['band']): boolean =>
  a?.low === b?.low && a?.middle === b?.middle && a?.high === b?.high;

/** Charts move by at least one pixel, and by two if that takes no longer than this. */
const LAZY_MS = 2000;

const stepMs = (pixelMs: number): number => Math.max(pixelMs, Math.min(2 * pixelMs, LAZY_MS));

/** A line over time without axes: the surrounding text gives the values. */
export class Chart {
  private readonly plot: uPlot;
  private band: Frame['band'] = null;
  private max = 1;
  private min = 0;
  private points: Buckets | null = null;
  /** The last time step that was drawn. */
  private step = NaN;
  /** The fraction of a step by which this chart is offset, so that charts do not all move at once. */
  private readonly phase = (charts++ * 0.618) % 1;

  /** `pointed` receives the index of the point under the mouse, or null when the mouse leaves. */
  constructor(
    parent: HTMLElement,
    width: number,
    private readonly measure: Charted,
    pointed: (index: number | null) => void,
  ) {
    this.plot = new uPlot(this.options(width, pointed), [[], []], parent);
  }

  resize(width: number): void {
    if (this.plot.width === width) return;
    this.plot.setSize({ width, height: HEIGHT });
    this.step = NaN;
  }

  /** Draws the window that ends now; skipped until it has moved by a visible step. */
  draw(points: Buckets, nowMs: number, { min, max, band }: Frame): void {
    const { plot } = this;
    const step = Math.floor(nowMs / stepMs(points.windowMs / plot.width) + this.phase);
    const isSame = points === this.points && isAlike(band, this.band) && min === this.min && max === this.max;
    if (isSame && step === this.step) return;
    this.step = step;
    this.points = points;
    this.band = band;
    this.min = min;
    this.max = max;
    plot.batch(() => {
      plot.setData([points.timesMs, points.columns[this.measure]], false);
      plot.setScale('x', { min: nowMs - points.windowMs, max: nowMs });
    });
  }

  destroy(): void {
    this.plot.destroy();
  }

  private options(width: number, pointed: (index: number | null) => void): uPlot.Options {
    const { line, fill } = chartColors();
    return {
      width,
      height: HEIGHT,
      ms: 1,
      pxAlign: false,
      padding: [2, 0, 1, 0],
      legend: { show: false },
      axes: [{ show: false }, { show: false }],
      scales: { x: { time: true }, y: { range: () => [this.min, this.max] } },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 5 } },
      series: [
        {},
        {
          stroke: line[this.measure],
          fill: fill[this.measure],
          width: 1.25,
          points: { show: false },
          spanGaps: false,
        },
      ],
      hooks: {
        drawClear: [plot => this.drawBelow(plot)],
        draw: [plot => this.drawBand(plot)],
        setCursor: [
          ({ cursor }) =>
            pointed(cursor.left !== undefined && cursor.left >= 0 ? (cursor.idx ?? null) : null),
        ],
      },
    };
  }

  /** Grid lines at the bottom, the middle and the top. */
  private drawBelow({ ctx, bbox }: uPlot): void {
    ctx.save();
    ctx.strokeStyle = chartColors().grid;
    ctx.lineWidth = 1;
    ctx.beginPath();
    for (const share of [0, 0.5, 1]) {
      const y = Math.round(bbox.top + share * bbox.height) + 0.5;
      ctx.moveTo(bbox.left, y);
      ctx.lineTo(bbox.left + bbox.width, y);
    }
    ctx.stroke();
    ctx.restore();
  }

  private drawBand(plot: uPlot): void {
    const { band } = this;
    if (band === null) return;
    const { ctx, bbox } = plot;
    const at = (value: number): number => plot.valToPos(Math.min(value, this.max), 'y', true);
    const { grid, predicted } = chartColors();
    ctx.save();
    ctx.fillStyle = grid;
    ctx.fillRect(bbox.left, at(band.high), bbox.width, at(band.low) - at(band.high));
    ctx.strokeStyle = predicted;
    ctx.setLineDash([5 * uPlot.pxRatio, 3 * uPlot.pxRatio]);
    ctx.lineWidth = uPlot.pxRatio;
    ctx.beginPath();
    ctx.moveTo(bbox.left, at(band.middle));
    ctx.lineTo(bbox.left + bbox.width, at(band.middle));
    ctx.stroke();
    ctx.restore();
  }
}
