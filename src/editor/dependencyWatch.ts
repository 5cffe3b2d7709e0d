import { RelativePattern, workspace } from 'vscode';
import type { Uri } from 'vscode';
import { dirname } from '../core/text/paths';
import type { Disposable } from '../host/disposables';
import { DisposableStore } from '../host/disposables';
import { fullPath, pathOf, uriOf } from '../host/uris';

/**
 * Tells whose files have changed: followers name the files they rest on (missing ones too; a folder, ending with a
 * slash, for the names in it), and hear when one of them is written, appears or goes. Folders are watched only while
 * somebody follows something in them.
 */
export class DependencyWatch<Follower> implements Disposable {
  private readonly files = new Map<Follower, ReadonlySet<string>>();
  private readonly watchers = new Map<string, Disposable>();

  constructor(private readonly tell: (follower: Follower) => void) {}

  /** Replaces what a follower rests on. */
  follow(follower: Follower, paths: readonly string[]): void {
    if (paths.length === 0) this.files.delete(follower);
    else this.files.set(follower, new Set(paths.map(fullPath)));
    this.watchFolders();
  }

  forget(follower: Follower): void {
    this.follow(follower, []);
  }

  /** A file has changed, on disk or in an editor. */
  changed(path: string): void {
    const folder = `${dirname(path)}/`;
    for (const [follower, paths] of this.files) {
      if (paths.has(path) || paths.has(folder)) this.tell(follower);
    }
  }

  dispose(): void {
    this.files.clear();
    this.watchFolders();
  }

  private watchFolders(): void {
    const wanted = new Set([...this.files.values()].flatMap(paths => [...paths].map(dirname)));
    for (const [folder, watcher] of this.watchers) {
      if (wanted.has(folder)) continue;
      watcher.dispose();
      this.watchers.delete(folder);
    }
    for (const folder of wanted) {
      if (folder !== '' && !this.watchers.has(folder)) this.watchers.set(folder, this.watchFolder(folder));
    }
  }

  private watchFolder(folder: string): Disposable {
    const store = new DisposableStore();
    const pattern = new RelativePattern(uriOf(folder), '*');
    const watcher = store.add(workspace.createFileSystemWatcher(pattern));
    const changed = (uri: Uri): void => this.changed(pathOf(uri));
    store.add(watcher.onDidCreate(changed));
    store.add(watcher.onDidChange(changed));
    store.add(watcher.onDidDelete(changed));
    return store;
  }
}
