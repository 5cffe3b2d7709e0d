import { EventEmitter } from 'vscode';
import type { Event } from 'vscode';
import { DisposableStore } from '../host/disposables';
import type { Disposable } from '../host/disposables';
import type { Log } from '../host/log';
import { onTrustGranted } from '../host/trust';
import type { JobRecord } from '../jobs/job';
import type { JobView, Jobs } from '../jobs/jobs';
import { isOver } from './jobText';

/** The number of finished jobs to keep. */
const MOST_OVER = 30;

/** A job that ended while this window knew it, or before it was first seen. */
export interface Ending {
  readonly record: JobRecord;
  /** It was running when this window last looked. */
  readonly isNews: boolean;
}

/**
 * This user's jobs as this window knows them: active ones are followed, even if another window started them; of
 * finished ones the records are kept. Nothing is read before `begin`, or in Restricted Mode.
 */
export class JobBoard implements Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new EventEmitter<void>());
  private readonly ended = this.store.add(new EventEmitter<Ending>());
  private readonly views = new Map<string, JobView>();
  private readonly following = new Map<string, () => void>();
  private begun: Promise<Jobs | null> | null = null;
  private looking: Promise<void> | null = null;
  private looksAgain = false;

  readonly onDidChange: Event<void> = this.changed.event;
  readonly onDidEnd: Event<Ending> = this.ended.event;

  constructor(
    private readonly open: () => Promise<Jobs | null>,
    private readonly log: Log,
  ) {
    this.store.add(
      onTrustGranted(() => {
        this.begun = null;
        void this.begin();
      }),
    );
  }

  /** The jobs; null in Restricted Mode. The first call starts reading them. */
  begin(): Promise<Jobs | null> {
    this.begun ??= this.meet().catch((error: unknown) => {
      this.log.error('Jobs', error);
      this.begun = null;
      return null;
    });
    return this.begun;
  }

  /** Newest first, active jobs before finished ones; without parts of spread jobs. */
  all(): readonly JobView[] {
    const views = [...this.views.values()]
      .filter(({ record }) => !this.isPart(record))
      .sort((a, b) => b.record.createdMs - a.record.createdMs);
    const over = views.filter(({ record }) => isOver(record)).slice(0, MOST_OVER);
    return [...views.filter(({ record }) => !isOver(record)), ...over];
  }

  underWay(): readonly JobView[] {
    return this.all().filter(({ record }) => !isOver(record));
  }

  /** The parts of a spread job in order, the last attempt of each. */
  parts(id: string): readonly JobView[] {
    const tries = [...this.views.values()]
      .filter(({ record }) => record.partOf === id)
      .sort((a, b) => a.record.createdMs - b.record.createdMs);
    const last = new Map(tries.map(view => [view.record.name, view]));
    return [...last.values()].sort((a, b) =>
      a.record.name.localeCompare(b.record.name, 'en', { numeric: true }),
    );
  }

  /** The job is part of a spread job that reports it. */
  isPart({ partOf }: JobRecord): boolean {
    return partOf !== undefined && this.views.has(partOf);
  }

  get(id: string): JobView | null {
    return this.views.get(id) ?? null;
  }

  /** Reads the records now: jobs just started are known when this resolves. */
  async look(): Promise<void> {
    if (this.looking) {
      this.looksAgain = true;
      return this.looking;
    }
    this.looking = this.lookAtAll().finally(() => (this.looking = null));
    await this.looking;
    if (!this.looksAgain) return;
    this.looksAgain = false;
    await this.look();
  }

  dispose(): void {
    for (const end of this.following.values()) end();
    this.following.clear();
    void this.begun?.then(jobs => jobs?.dispose());
    this.store.dispose();
  }

  private async meet(): Promise<Jobs | null> {
    const jobs = await this.open();
    if (jobs === null) return null;
    this.store.add({ dispose: jobs.onChange(() => void this.look()) });
    await this.lookAt(jobs);
    return jobs;
  }

  private async lookAtAll(): Promise<void> {
    const jobs = await this.begun;
    if (!jobs) return;
    await this.lookAt(jobs).catch((error: unknown) => this.log.error('Loading jobs', error));
  }

  private async lookAt(jobs: Jobs): Promise<void> {
    const records = await jobs.list();
    const ids = new Set(records.map(({ id }) => id));
    for (const id of this.views.keys()) if (!ids.has(id)) this.forget(id);
    for (const record of records) {
      const { progress = null, parts = [] } = this.views.get(record.id) ?? {};
      this.take({ record, progress, parts });
      if (!isOver(record) && !this.following.has(record.id)) {
        this.following.set(
          record.id,
          jobs.follow(record.id, view => this.take(view)),
        );
      }
    }
    this.changed.fire();
  }

  private take(view: JobView): void {
    const { record } = view;
    const before = this.views.get(record.id) ?? null;
    this.views.set(record.id, view);
    const isEnd = isOver(record) && (before === null || !isOver(before.record));
    if (isOver(record)) {
      // Deferred, because the listener that reports the end is still subscribed.
      const end = this.following.get(record.id);
      this.following.delete(record.id);
      if (end) queueMicrotask(end);
    }
    if (isEnd) this.ended.fire({ record, isNews: before !== null });
    if (before !== null) this.changed.fire();
  }

  private forget(id: string): void {
    this.following.get(id)?.();
    this.following.delete(id);
    this.views.delete(id);
  }
}
