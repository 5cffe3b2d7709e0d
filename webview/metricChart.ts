import uPlot from 'uplot';
import type { Metric, MetricSeries } from '../src/core/output/progress/series';
import { el, setText } from './dom';
import { chartColors } from './theme';
import { Widths } from './widths';

const HEIGHT = 56;

const NAMES: Readonly<Record<Metric, string>> = {
  loss: 'Loss',
  learningRate: 'Learning rate',
  tokensPerSecond: 'Tokens/s',
};

/** Colours that a theme has for charts anyway. */
const COLOR_OF = { loss: 'tempC', learningRate: 'powerW', tokensPerSecond: 'utilPct' } as const;

const charts = new WeakMap<Element, MetricChart>();
const widths = new Widths(element => charts.get(element)?.draw());

/** What an output says over its steps, as a line without axes. */
export class MetricChart {
  private readonly value = el('span', 'value');
  private readonly canvas = el('div', 'canvas');
  readonly element: HTMLElement;
  private plot: uPlot | null = null;
  private series: MetricSeries | null = null;
  private pointed: number | null = null;

  constructor(private readonly metric: Metric) {
    const caption = el('figcaption', '', el('span', 'name', NAMES[metric]), this.value);
    this.canvas.setAttribute('aria-hidden', 'true');
    charts.set(this.canvas, this);
    widths.watch(this.canvas);
    this.element = el('figure', `chart metric-${metric}`, caption, el('div', 'plot', this.canvas));
  }

  /** Says whether there is anything to draw. */
  show(series: MetricSeries): boolean {
    this.series = series;
    this.write();
    this.draw();
    return series.columns[this.metric].some(value => value !== null);
  }

  draw(): void {
    const width = widths.of(this.canvas);
    if (this.series === null || width === 0) return;
    this.plot ??= new uPlot(this.options(width), [[], []], this.canvas);
    if (this.plot.width !== width) this.plot.setSize({ width, height: HEIGHT });
    this.plot.setData([[...this.series.steps], [...this.series.columns[this.metric]]]);
  }

  /** Colours may have changed. */
  redo(): void {
    this.plot?.destroy();
    this.plot = null;
    this.draw();
  }

  private write(): void {
    if (this.series === null) return;
    const column = this.series.columns[this.metric];
    const last = column.findLastIndex(value => value !== null);
    const at = this.pointed ?? last;
    const value = column[at];
    const step = this.series.steps[at];
    const where = this.pointed === null || step === undefined ? '' : ` at step ${step}`;
    setText(this.value, value === null || value === undefined ? '' : `${figure(value)}${where}`);
  }

  private point(index: number | null): void {
    if (index === this.pointed) return;
    this.pointed = index;
    this.write();
  }

  private options(width: number): uPlot.Options {
    const { line, fill } = chartColors();
    const color = COLOR_OF[this.metric];
    return {
      width,
      height: HEIGHT,
      pxAlign: false,
      padding: [2, 0, 1, 0],
      legend: { show: false },
      axes: [{ show: false }, { show: false }],
      scales: { x: { time: false } },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 5 } },
      series: [
        {},
        { stroke: line[color], fill: fill[color], width: 1.25, points: { show: false }, spanGaps: true },
      ],
      hooks: {
        setCursor: [
          ({ cursor }) =>
            this.point(cursor.left !== undefined && cursor.left >= 0 ? (cursor.idx ?? null) : null),
        ],
      },
    };
  }
}

const figure = (value: number): string => {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return value.toExponential(1);
  return size >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(4)));
};
