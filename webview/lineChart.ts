import uPlot from 'uplot';
import type { Charted } from '../src/panel/page/charted';
import { el, setText } from './dom';
import { chartColors } from './theme';
import { Widths } from './widths';

const HEIGHT = 56;

/** Values over steps or times; null if there is none. `level`: a value to draw as a horizontal line. */
export interface Curve {
  readonly xs: readonly number[];
  readonly values: readonly (number | null)[];
  readonly level?: number | null;
  /** Its name if it depends on the data; absent: the name of its kind. */
  readonly name?: string;
  /** The tooltip of the name. */
  readonly title?: string;
}

/** A kind of chart. */
export interface CurveKind {
  readonly name: string;
  readonly className: string;
  /** Themes have colors for GPU measures only; other charts reuse them. */
  readonly color: Charted;
  readonly figure: (value: number) => string;
  /** ` at step 120`. */
  readonly at: (x: number) => string;
  /** The axis starts at 0, for values that are shares. */
  readonly fromZero: boolean;
}

const charts = new WeakMap<Element, LineChart>();
const widths = new Widths(element => charts.get(element)?.draw());

/** One complete curve, as a line without axes. */
export class LineChart {
  private readonly name = el('span', 'name');
  private readonly value = el('span', 'value');
  private readonly canvas = el('div', 'canvas');
  readonly element: HTMLElement;
  private plot: uPlot | null = null;
  private curve: Curve | null = null;
  private pointed: number | null = null;

  constructor(private readonly kind: CurveKind) {
    const caption = el('figcaption', '', this.name, this.value);
    this.canvas.setAttribute('aria-hidden', 'true');
    charts.set(this.canvas, this);
    widths.watch(this.canvas);
    this.element = el('figure', `chart ${kind.className}`, caption, el('div', 'plot', this.canvas));
  }

  /** Returns whether there is anything to draw. */
  show(curve: Curve | null): boolean {
    this.curve = curve;
    this.write();
    this.draw();
    return curve?.values.some(value => value !== null) ?? false;
  }

  draw(): void {
    const width = widths.of(this.canvas);
    if (this.curve === null || width === 0) return;
    this.plot ??= new uPlot(this.options(width), [[], [], []], this.canvas);
    if (this.plot.width !== width) this.plot.setSize({ width, height: HEIGHT });
    const { xs, values, level = null } = this.curve;
    this.plot.setData([[...xs], [...values], xs.map(() => level)]);
  }

  /** Redraws, because colors may have changed. */
  redo(): void {
    this.plot?.destroy();
    this.plot = null;
    this.draw();
  }

  private write(): void {
    setText(this.name, this.curve?.name ?? this.kind.name);
    this.name.title = this.curve?.title ?? '';
    if (this.curve === null) return;
    const { xs, values } = this.curve;
    const at = this.pointed ?? values.findLastIndex(value => value !== null);
    const [x, value] = [xs[at], values[at]];
    const where = this.pointed === null || x === undefined ? '' : this.kind.at(x);
    setText(this.value, value === null || value === undefined ? '' : `${this.kind.figure(value)}${where}`);
  }

  private point(index: number | null): void {
    if (index === this.pointed) return;
    this.pointed = index;
    this.write();
  }

  private options(width: number): uPlot.Options {
    const { line, fill, predicted } = chartColors();
    const { color, fromZero } = this.kind;
    const whole = fromZero ? { range: (_: uPlot, __: number, max: number) => [0, max * 1.05 || 1] } : {};
    const level = { stroke: predicted, width: 1, dash: [5, 3], points: { show: false } };
    return {
      width,
      height: HEIGHT,
      pxAlign: false,
      padding: [2, 0, 1, 0],
      legend: { show: false },
      axes: [{ show: false }, { show: false }],
      scales: { x: { time: false }, y: whole as uPlot.Scale },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 5 } },
      series: [
        {},
        { stroke: line[color], fill: fill[color], width: 1.25, points: { show: false }, spanGaps: true },
        level,
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
