import type { Memento } from 'vscode';

const KEY = 'headroom.jobs.followed';
const MOST = 50;

/** Ids of the jobs that this window shows in terminals or tells of; they outlive a reload of the window. */
export class Followed {
  constructor(private readonly state: Memento) {}

  all(): readonly string[] {
    const kept: unknown = this.state.get(KEY);
    return Array.isArray(kept) ? kept.filter(id => typeof id === 'string') : [];
  }

  add(id: string): void {
    if (!this.all().includes(id)) void this.state.update(KEY, [...this.all(), id].slice(-MOST));
  }

  remove(id: string): void {
    if (this.all().includes(id)) {
      void this.state.update(
        KEY,
        this.all().filter(one => one !== id),
      );
    }
  }
}
