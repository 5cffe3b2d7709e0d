import { EventEmitter, RelativePattern, Uri } from 'vscode';
import type { Event } from 'vscode';
import { basename, dirname, LENGTHS, MEASUREMENTS } from '../../core/text/paths';
import { DisposableStore } from '../../host/disposables';
import type { Disposable } from '../../host/disposables';
import { onFiles } from '../../host/fileWatch';

/** A job that writes several lines counts as one change. */
const SETTLING_MS = 200;

/**
 * Notifies when measurements or length counts change on disk, whatever wrote them: a command, a job, the CLI, a
 * person.
 */
export class MeasurementWatch implements Disposable {
  private readonly store = new DisposableStore();
  private readonly emitter = this.store.add(new EventEmitter<void>());
  private timer: NodeJS.Timeout | null = null;

  readonly onDidChange: Event<void> = this.emitter.event;

  /** `own`: the user's own file for all workspaces; null: there is none. */
  constructor(own: string | null) {
    const ownPattern = own === null ? [] : [new RelativePattern(Uri.file(dirname(own)), basename(own))];
    for (const pattern of [`**/${MEASUREMENTS}`, `**/${LENGTHS}`, ...ownPattern]) {
      this.store.add(onFiles(pattern, () => this.changed()));
    }
  }

  dispose(): void {
    if (this.timer) clearTimeout(this.timer);
    this.store.dispose();
  }

  private changed(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = setTimeout(() => this.emitter.fire(), SETTLING_MS);
  }
}
