import { EventEmitter, workspace } from 'vscode';
import type { Event, Uri } from 'vscode';
import { DisposableStore } from '../host/disposables';
import type { Disposable } from '../host/disposables';
import { pathOf } from '../host/uris';

const FILES = '**/*.{sh,bash,sbatch,slurm,yaml,yml}';

/** Notifies when a file that may start a config changes: on disk, or while it is edited. */
export class LaunchFiles implements Disposable {
  private readonly store = new DisposableStore();
  private readonly emitter = this.store.add(new EventEmitter<string>());

  readonly onDidChange: Event<string> = this.emitter.event;

  /** `mayStart` tests a text; a file that is not open always counts. */
  constructor(mayStart: (path: string, text: string) => boolean) {
    const watcher = this.store.add(workspace.createFileSystemWatcher(FILES));
    const changed = (uri: Uri): void => this.emitter.fire(pathOf(uri));
    this.store.add(watcher.onDidCreate(changed));
    this.store.add(watcher.onDidChange(changed));
    this.store.add(watcher.onDidDelete(changed));
    this.store.add(
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        const path = pathOf(document.uri);
        if (contentChanges.length > 0 && mayStart(path, document.getText())) this.emitter.fire(path);
      }),
    );
  }

  dispose(): void {
    this.store.dispose();
  }
}
