import { workspace } from 'vscode';
import type { GlobPattern, Uri } from 'vscode';
import { DisposableStore } from './disposables';
import type { Disposable } from './disposables';

/** Notifies when a file of the pattern is created, written or deleted, whatever does it. */
export function onFiles(pattern: GlobPattern, changed: (file: Uri) => void): Disposable {
  const store = new DisposableStore();
  const watcher = store.add(workspace.createFileSystemWatcher(pattern));
  store.add(watcher.onDidCreate(changed));
  store.add(watcher.onDidChange(changed));
  store.add(watcher.onDidDelete(changed));
  return store;
}
