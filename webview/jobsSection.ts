import type { JobCard, JobsFromPage, JobsToPage } from '../src/panel/page/jobs';
import { el, order, setText, show } from './dom';
import { JobView } from './jobView';
import { t } from './texts';

/** Finished jobs to show; the list of all jobs has the rest. */
const MOST_OVER = 4;

/** The jobs above the GPUs: active ones, and the last finished ones. */
export class JobsSection {
  readonly element = el('section', 'jobs');
  private readonly cards = el('div', 'cards');
  private readonly count = el('span', 'count');
  private readonly views = new Map<string, JobView>();
  private readonly charted = new Set<string>();

  constructor(private readonly post: (message: JobsFromPage) => void) {
    const head = el('h2', '', t('Jobs'));
    head.id = 'jobs-head';
    this.element.setAttribute('aria-labelledby', head.id);
    this.element.append(el('header', '', head, this.count), this.cards);
    show(this.element, false);
  }

  receive(message: JobsToPage): void {
    if (message.type === 'jobs') this.update(message.jobs);
    else for (const [id, curves] of Object.entries(message.curves)) this.views.get(id)?.draw(curves);
  }

  /** Redraws, because colors may have changed. */
  redo(): void {
    for (const view of this.views.values()) view.redo();
  }

  private update(jobs: readonly JobCard[]): void {
    const over = jobs.filter(({ isOver }) => isOver);
    const shown = [...jobs.filter(({ isOver }) => !isOver), ...over.slice(0, MOST_OVER)];
    const ids = new Set(shown.map(({ id }) => id));
    for (const id of [...this.views.keys()]) if (!ids.has(id)) this.forget(id);
    order(
      this.cards,
      shown.map(card => this.viewOf(card).element),
    );
    const waiting = jobs.filter(({ state }) => state === 'queued').length;
    const running = jobs.length - over.length - waiting;
    const counts = [
      ...(running > 0 ? [t('{0} running', running)] : []),
      ...(waiting > 0 ? [t('{0} waiting', waiting)] : []),
    ];
    setText(this.count, counts.join(', '));
    show(this.element, shown.length > 0);
  }

  private viewOf(card: JobCard): JobView {
    const existing = this.views.get(card.id);
    const view = existing ?? this.newView(card);
    view.update(card);
    return view;
  }

  private newView(card: JobCard): JobView {
    const view = new JobView(card, {
      act: (action, job) => this.post({ type: 'job', action, job }),
      charted: (job, isCharted) => this.chart(job, isCharted),
    });
    this.views.set(card.id, view);
    return view;
  }

  private chart(id: string, isCharted: boolean): void {
    if (isCharted) this.charted.add(id);
    else this.charted.delete(id);
    this.post({ type: 'metrics', jobs: [...this.charted] });
  }

  private forget(id: string): void {
    this.views.delete(id);
    this.charted.delete(id);
  }
}
