import type { Timers } from '../../gpu/timers';
import { jobsFromPage } from './jobs';
import type { JobsToPage, PanelJobs } from './jobs';

interface JobsFeedOptions {
  readonly jobs: PanelJobs;
  readonly timers: Timers;
  readonly post: (message: JobsToPage) => void;
}

/** Updates of several jobs within this time are sent together. */
const GATHER_MS = 300;
/** Curves need no faster updates. */
const METRICS_MS = 3000;

/** Sends jobs to one page while it is visible. */
export class JobsFeed {
  private readonly ends: (() => void)[] = [];
  private charted: readonly string[] = [];
  private gathering: (() => void) | null = null;
  private lastPosted = '';
  private drawnMs = -Infinity;
  private isReady = false;
  private isDisposed = false;

  constructor(private readonly options: JobsFeedOptions) {
    this.ends.push(options.jobs.onChange(() => this.gather()));
  }

  receive(message: unknown): void {
    const request = jobsFromPage(message);
    if (request?.type === 'job') this.options.jobs.act(request.action, request.job);
    if (request?.type === 'metrics') {
      this.charted = request.jobs;
      void this.postMetrics(request.jobs);
    }
    if (request?.type !== 'ready') return;
    this.isReady = true;
    this.lastPosted = '';
    this.postJobs();
  }

  dispose(): void {
    this.isDisposed = true;
    this.gathering?.();
    for (const end of this.ends.splice(0)) end();
  }

  private gather(): void {
    this.gathering ??= this.options.timers.after(GATHER_MS, () => {
      this.gathering = null;
      this.postJobs();
    });
  }

  private postJobs(): void {
    if (!this.isReady || this.isDisposed) return;
    const { jobs, timers, post } = this.options;
    const cards = jobs.cards();
    const now = JSON.stringify(cards);
    if (now !== this.lastPosted) post({ type: 'jobs', jobs: cards });
    this.lastPosted = now;
    const running = new Set(cards.filter(({ isOver }) => !isOver).map(({ id }) => id));
    const moving = this.charted.filter(id => running.has(id));
    if (moving.length === 0 || timers.now() - this.drawnMs < METRICS_MS) return;
    void this.postMetrics(moving);
  }

  private async postMetrics(ids: readonly string[]): Promise<void> {
    const { jobs, timers, post } = this.options;
    this.drawnMs = timers.now();
    const curves = await Promise.all(ids.map(async id => [id, await jobs.curves(id)] as const));
    if (curves.length > 0 && !this.isDisposed) post({ type: 'metrics', curves: Object.fromEntries(curves) });
  }
}
