import type { Prediction } from '../src/core/analyse/prediction';
import { CHARTED } from '../src/panel/page/charted';
import type { Charted } from '../src/panel/page/charted';
import type { Buckets } from '../src/panel/page/buckets';
import type { DeviceCard, DeviceNow } from '../src/panel/page/protocol';
import { Chart } from './chart';
import { t } from './texts';
import { el, setText, show } from './dom';
import { MEASURE_NAMES, duration, plain, reading } from './format';
import { scaleOf } from './frames';
import { Widths } from './widths';

/** The input of the charts. */
export interface Drawing {
  readonly device: DeviceCard;
  readonly now: DeviceNow | null;
  readonly points: Buckets | null;
  readonly prediction: Prediction | null;
  readonly nowMs: number;
  readonly windowMs: number;
  /** The readings are old and shown as such. */
  readonly isOld: boolean;
}

/** The charts of one device, each with its name, latest value and the value at its top. */
export class Charts {
  readonly element = el('div', 'charts');
  private readonly figures = CHARTED.map(measure => new Figure(measure));
  private readonly start = el('span');
  private readonly times = el('div', 'times', this.start, el('span', '', t('now')));

  constructor() {
    this.times.setAttribute('aria-hidden', 'true');
    this.element.append(...this.figures.map(({ element }) => element), this.times);
  }

  /** Updates the values as text; cheap. */
  write(drawing: Drawing): void {
    for (const figure of this.figures) figure.write(drawing);
    setText(this.start, `−${duration(drawing.windowMs)}`);
  }

  /** Draws the lines; only for visible cards. */
  draw(drawing: Drawing): void {
    for (const figure of this.figures) figure.draw(drawing);
  }

  /** Redraws, because colors may have changed. */
  redo(): void {
    for (const figure of this.figures) figure.redo();
  }
}

const figures = new WeakMap<Element, Figure>();

const widths = new Widths(element => figures.get(element)?.resized());

class Figure {
  private readonly value = el('span', 'value');
  private readonly top = el('span', 'top');
  private readonly canvas = el('div', 'canvas');
  readonly element: HTMLElement;
  private chart: Chart | null = null;
  private pointed: number | null = null;
  private latest: Drawing | null = null;
  private drawn: Drawing | null = null;

  constructor(private readonly charted: Charted) {
    const caption = el('figcaption', '', el('span', 'name', MEASURE_NAMES[charted]), this.value);
    this.canvas.setAttribute('aria-hidden', 'true');
    figures.set(this.canvas, this);
    widths.watch(this.canvas);
    this.element = el('figure', `chart chart-${charted}`, caption, el('div', 'plot', this.canvas, this.top));
  }

  write(drawing: Drawing): void {
    this.latest = drawing;
    const { device, now, isOld } = drawing;
    const pointedAt = this.pointedText(drawing);
    setText(this.value, pointedAt ?? reading(this.charted, device, now));
    this.value.classList.toggle('old', isOld && pointedAt === null);
  }

  /** Redraws at a new width. */
  resized(): void {
    if (this.drawn) this.draw(this.drawn);
  }

  draw(drawing: Drawing): void {
    this.drawn = drawing;
    const { device, now, points, prediction, nowMs } = drawing;
    const width = widths.of(this.canvas);
    if (points === null || width === 0) return;
    const values = points.columns[this.charted];
    const hasValues = values.some(value => value !== null);
    this.element.classList.toggle('empty', !hasValues);
    const scale = scaleOf(this.charted, device, now, values, prediction);
    setText(this.top, hasValues || scale.band ? scale.top : '');
    show(this.top, this.top.textContent !== '');
    this.chart ??= new Chart(this.canvas, width, this.charted, index => this.point(index));
    this.chart.resize(width);
    this.chart.draw(points, nowMs, scale);
  }

  redo(): void {
    this.chart?.destroy();
    this.chart = null;
  }

  private point(index: number | null): void {
    if (index === this.pointed) return;
    this.pointed = index;
    if (this.latest) this.write(this.latest);
  }

  /** The value under the mouse and its time; null if the mouse is elsewhere. */
  private pointedText({ points }: Drawing): string | null {
    if (this.pointed === null || points === null) return null;
    const time = points.timesMs[this.pointed];
    if (time === undefined) return null;
    const value = plain(this.charted, points.columns[this.charted][this.pointed] ?? null);
    return `${value} at ${new Date(time).toLocaleTimeString()}`;
  }
}
