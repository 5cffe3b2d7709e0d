import { EventEmitter, workspace } from 'vscode';
import type { Event, Uri } from 'vscode';
import { definesDialect } from '../core/text/paths';
import { DisposableStore } from '../host/disposables';
import type { Disposable } from '../host/disposables';
import { onFiles } from '../host/fileWatch';
import { pathOf } from '../host/uris';

const FILES = '**/.headroom/dialects/*.{yaml,yml}';
const NOT_OURS = '**/{node_modules,.git,.venv,venv,site-packages}/**';

/** Delay after typing before every open config is read again. */
const TYPING_MS = 200;

/**
 * Whether the workspace defines dialects; notifies when one of their files changes, on disk or while it is edited.
 */
export class OwnDialects implements Disposable {
  private readonly store = new DisposableStore();
  private readonly emitter = this.store.add(new EventEmitter<void>());
  private found: Promise<boolean> | null = null;
  private timer: NodeJS.Timeout | null = null;

  readonly onDidChange: Event<void> = this.emitter.event;

  constructor() {
    this.store.add(onFiles(FILES, uri => this.changed(uri)));
    this.store.add(workspace.onDidChangeTextDocument(({ document }) => this.changed(document.uri)));
    this.store.add(workspace.onDidCloseTextDocument(({ uri }) => this.changed(uri)));
    this.store.add(workspace.onDidChangeWorkspaceFolders(() => (this.found = null)));
  }

  /** False: no dialects need to be searched for. */
  async any(): Promise<boolean> {
    if (workspace.textDocuments.some(({ uri }) => definesDialect(uri.path))) return true;
    return (this.found ??= search());
  }

  dispose(): void {
    if (this.timer) clearTimeout(this.timer);
    this.store.dispose();
  }

  private changed(uri: Uri): void {
    if (!definesDialect(pathOf(uri))) return;
    this.found = null;
    if (this.timer) clearTimeout(this.timer);
    this.timer = setTimeout(() => this.emitter.fire(), TYPING_MS);
  }
}

/** A search may take minutes; on a file system that cannot be searched, it never ends. */
const SEARCH_MS = 2000;

/** True if it is not known in time: then they are looked for around each config. */
async function search(): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>(resolve => (timer = setTimeout(resolve, SEARCH_MS, true)));
  const found = workspace.findFiles(FILES, NOT_OURS, 1).then(files => files.length > 0);
  try {
    return await Promise.race([found, late]);
  } finally {
    clearTimeout(timer);
  }
}
