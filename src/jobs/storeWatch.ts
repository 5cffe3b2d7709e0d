import { watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isJobId } from './id';

/** File watchers may miss changes (network file systems), so changes are also polled at this interval. */
const POLL_MS = 2000;
const SETTLE_MS = 100;

/** Notifies of records that are added, changed or removed, while there are listeners. */
export class StoreWatch {
  private readonly listeners = new Set<() => void>();
  private watcher: FSWatcher | null = null;
  private timer: NodeJS.Timeout | null = null;
  private soon: NodeJS.Timeout | null = null;
  private last = '';

  constructor(private readonly folder: string) {}

  on(listener: () => void): () => void {
    const entry = (): void => listener();
    if (this.listeners.size === 0) this.begin();
    this.listeners.add(entry);
    return () => {
      this.listeners.delete(entry);
      if (this.listeners.size === 0) this.end();
    };
  }

  dispose(): void {
    this.listeners.clear();
    this.end();
  }

  private begin(): void {
    void this.look(false);
    this.timer = setInterval(() => void this.look(true), POLL_MS);
    this.timer.unref();
    try {
      this.watcher = watch(this.folder, { persistent: false }, () => this.lookSoon());
      this.watcher.on('error', () => undefined);
    } catch {
      // There are no jobs yet.
      this.watcher = null;
    }
  }

  private end(): void {
    this.watcher?.close();
    if (this.timer) clearInterval(this.timer);
    if (this.soon) clearTimeout(this.soon);
    this.watcher = this.timer = this.soon = null;
  }

  private lookSoon(): void {
    this.soon ??= setTimeout(() => {
      this.soon = null;
      void this.look(true);
    }, SETTLE_MS);
    this.soon.unref();
  }

  private async look(notifies: boolean): Promise<void> {
    const ids = (await readdir(this.folder).catch(() => [])).filter(isJobId).sort();
    const stamps = await Promise.all(
      ids.map(id =>
        stat(join(this.folder, id, 'job.json')).then(
          ({ mtimeMs, ino }) => `${id} ${mtimeMs} ${ino}`,
          () => id,
        ),
      ),
    );
    const now = stamps.join('\n');
    if (now === this.last) return;
    this.last = now;
    if (notifies) for (const listener of this.listeners) listener();
  }
}
