import { RelativePattern, workspace } from 'vscode';
import type { Uri } from 'vscode';
import type { Disposable } from '../host/disposables';
import { DisposableStore } from '../host/disposables';
import { fullPath, pathOf, uriOf } from '../host/uris';
import { Followers } from './followers';

/**
 * Delays for rereading a folder that has just appeared: files created in it before the system's watcher is ready
 * (`mkdir -p`, a download) are never reported.
 */
const LOOK_AGAIN_MS = [1000, 3000, 10_000, 30_000];

/** A file can name thousands; each folder of them is a watch. */
const MOST_FOLLOWED = 500;

/**
 * Notifies followers of changed files: each follower names the files it depends on (missing ones too; a folder,
 * ending with a slash, for the names in it) and is notified when one of them is written, created or deleted.
 * Folders are watched only while a follower needs something in them.
 */
export class DependencyWatch<Follower> implements Disposable {
  private readonly followers = new Followers<Follower>();
  private readonly watchers = new Map<string, Disposable>();
  private readonly looks = new Map<string, NodeJS.Timeout>();

  constructor(private readonly onChange: (follower: Follower) => void) {}

  /** Replaces a follower's dependencies. */
  follow(follower: Follower, paths: readonly string[]): void {
    this.followers.set(follower, paths.slice(0, MOST_FOLLOWED).map(fullPath));
    this.watchFolders();
  }

  forget(follower: Follower): void {
    this.follow(follower, []);
  }

  /** A file changed, on disk or in an editor. */
  changed(path: string): void {
    for (const follower of this.followers.of(path)) this.onChange(follower);
  }

  /** A text is being edited: followers of only the names in its folder are not notified. */
  typed(path: string): void {
    for (const follower of this.followers.ofText(path)) this.onChange(follower);
  }

  dispose(): void {
    this.followers.clear();
    this.watchFolders();
    for (const timer of this.looks.values()) clearTimeout(timer);
    this.looks.clear();
  }

  private appeared(path: string): void {
    this.changed(path);
    this.lookBelow(path, 0);
  }

  private lookBelow(folder: string, times: number): void {
    clearTimeout(this.looks.get(folder));
    this.looks.delete(folder);
    const followers = this.followers.below(folder);
    for (const follower of followers) this.onChange(follower);
    const delay = LOOK_AGAIN_MS[times];
    if (followers.length === 0 || delay === undefined) return;
    this.looks.set(
      folder,
      setTimeout(() => this.lookBelow(folder, times + 1), delay),
    );
  }

  private watchFolders(): void {
    const wanted = this.followers.folders();
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
    store.add(watcher.onDidCreate(uri => this.appeared(pathOf(uri))));
    store.add(watcher.onDidChange(changed));
    store.add(watcher.onDidDelete(changed));
    return store;
  }
}
