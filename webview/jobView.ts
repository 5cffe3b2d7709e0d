import { formatBytes } from '../src/core/units';
import type { JobAction, JobCard, JobCurves } from '../src/panel/page/jobs';
import { iconButton, nameIcon } from './controls';
import { el, newId, setAttribute, setText, show } from './dom';
import { JOB_CHARTS } from './jobCurves';
import { JobParts } from './jobParts';
import { LineChart } from './lineChart';
import { TONES } from './jobTones';
import { t } from './texts';

interface JobActions {
  act(action: JobAction, job: string): void;
  /** A job's curves became visible or hidden. */
  charted(job: string, isCharted: boolean): void;
}

/** The default place, which is not shown. */
const HERE = t('this machine');

/**
 * One job: its state, progress and memory, the metrics of its output over its steps, and the readings of its GPUs.
 */
export class JobView {
  readonly element = el('article', 'card job');
  private readonly name = el('h3');
  private readonly state = el('span', 'state');
  private readonly place = el('span', 'badge');
  private readonly words = el('p', 'job-words');
  private readonly bar = el('div', 'progress-bar', el('div', 'progress-done'));
  private readonly memory = el('div', 'job-memory');
  private readonly predicted = new MemoryBar(t('Predicted'));
  private readonly measured = new MemoryBar(t('Measured'));
  private readonly charts = JOB_CHARTS.map(({ kind, curve }) => ({ chart: new LineChart(kind), curve }));
  private readonly metrics = el('details', 'job-metrics', el('summary', '', t('Metrics')));
  private readonly nothing = el('p', 'count', t('No figures yet from its output or its GPUs.'));
  private readonly parts = new JobParts();
  private readonly stop: HTMLButtonElement;
  private readonly resume: HTMLButtonElement;
  private readonly config: HTMLButtonElement;
  private readonly fetch: HTMLButtonElement;

  constructor(card: JobCard, actions: JobActions) {
    const { id } = card;
    const output = iconButton('output', '', () => actions.act('output', id));
    nameIcon(output, t('Show the output of {0}', card.name));
    this.config = iconButton('config', t('Open the config of {0}', card.name), () =>
      actions.act('config', id),
    );
    this.stop = iconButton('stop', t('Stop {0}', card.name), () => actions.act('stop', id));
    this.resume = iconButton('resume', t('Resume {0}', card.name), () => actions.act('resume', id));
    this.fetch = iconButton('fetch', t('Download results of {0}', card.name), () => actions.act('fetch', id));
    const tools = el('span', 'tools', output, this.config, this.fetch, this.resume, this.stop);
    this.name.id = newId('job');
    this.element.setAttribute('aria-labelledby', this.name.id);
    this.bar.setAttribute('role', 'progressbar');
    this.bar.setAttribute('aria-label', t('Progress of {0}', card.name));
    this.memory.append(this.predicted.element, this.measured.element);
    for (const { chart } of this.charts) show(chart.element, false);
    const charts = this.charts.map(({ chart }) => chart.element);
    this.metrics.append(this.nothing, el('div', 'charts', ...charts));
    this.metrics.addEventListener('toggle', () => actions.charted(id, this.metrics.open));
    this.metrics.open = !card.isOver;
    const header = el('header', '', this.name, this.state, this.place, tools);
    this.element.append(header, this.bar, this.words, this.parts.element, this.memory, this.metrics);
  }

  update(card: JobCard): void {
    setText(this.name, card.name);
    setText(this.state, card.stateWords);
    setAttribute(this.state, 'class', `state ${TONES[card.state]}`);
    setText(this.place, card.place);
    show(this.place, card.place !== HERE);
    setText(this.words, card.words === card.stateWords ? '' : card.words);
    show(this.words, this.words.textContent !== '');
    this.updateBar(card);
    this.updateMemory(card);
    this.parts.update(card.parts);
    show(this.metrics, card.state !== 'queued');
    show(this.stop, !card.isOver);
    show(this.resume, card.isOver);
    show(this.config, card.hasConfig);
    show(this.fetch, card.canFetch);
  }

  /** Draws the metrics of its output and its GPUs; nothing if there are none. */
  draw(curves: JobCurves): void {
    const shown = this.charts.filter(({ chart, curve }) => chart.show(curve(curves)));
    for (const one of this.charts) show(one.chart.element, shown.includes(one));
    show(this.nothing, shown.length === 0);
  }

  redo(): void {
    for (const { chart } of this.charts) chart.redo();
  }

  private updateBar({ share, isOver, state }: JobCard): void {
    show(this.bar, share !== null && (!isOver || state === 'succeeded'));
    if (share === null) return;
    const percent = Math.round(share * 100);
    setAttribute(this.bar, 'aria-valuenow', String(percent));
    const done = this.bar.firstElementChild;
    if (done instanceof HTMLElement) done.style.width = `${percent}%`;
  }

  private updateMemory({ predictedBytes, measuredBytes, measuredBy, isOver }: JobCard): void {
    const most = Math.max(predictedBytes ?? 0, measuredBytes ?? 0);
    this.predicted.update(predictedBytes, most, null, 'unknown');
    this.measured.update(measuredBytes, most, measuredBy, isOver ? t('not measured') : t('not yet'));
    show(this.memory, most > 0);
  }
}

/** An amount of memory compared with another. */
class MemoryBar {
  private readonly value = el('span', 'value');
  private readonly done = el('div', 'progress-done');
  readonly element: HTMLElement;

  constructor(name: string) {
    const bar = el('div', 'progress-bar', this.done);
    bar.setAttribute('aria-hidden', 'true');
    this.element = el(
      'div',
      `memory-bar of-${name.toLowerCase()}`,
      el('span', 'name', name),
      bar,
      this.value,
    );
  }

  update(bytes: number | null, most: number, by: string | null, without: string): void {
    setText(this.value, bytes === null ? without : formatBytes(bytes));
    setAttribute(this.element, 'title', by ?? '');
    this.done.style.width = bytes === null || most === 0 ? '0' : `${Math.round((100 * bytes) / most)}%`;
  }
}
