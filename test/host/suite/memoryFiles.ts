import * as vscode from 'vscode';

/** An in-memory file system with the operations that VS Code needs: to an extension, it looks like a remote one. */
export class MemoryFiles implements vscode.FileSystemProvider {
  private readonly files = new Map<string, Uint8Array>();
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  /** Files that cannot be written, by the end of their path. */
  broken: string | null = null;

  readonly onDidChangeFile = this.changed.event;

  text(path: string): string | null {
    const bytes = this.files.get(path);
    return bytes ? new TextDecoder().decode(bytes) : null;
  }

  put(path: string, text: string): void {
    this.files.set(path, new TextEncoder().encode(text));
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  stat({ path }: vscode.Uri): vscode.FileStat {
    const bytes = this.files.get(path);
    if (bytes) {
      return { type: vscode.FileType.File, ctime: 0, mtime: this.times.get(path) ?? 0, size: bytes.length };
    }
    const isFolder = [...this.files.keys()].some(file => file.startsWith(`${path.replace(/\/$/, '')}/`));
    if (!isFolder) throw vscode.FileSystemError.FileNotFound(path);
    return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };
  }

  readDirectory({ path }: vscode.Uri): [string, vscode.FileType][] {
    const folder = `${path.replace(/\/$/, '')}/`;
    const names = [...this.files.keys()].filter(file => file.startsWith(folder));
    return names.map(file => [file.slice(folder.length), vscode.FileType.File]);
  }

  readFile({ path }: vscode.Uri): Uint8Array {
    const bytes = this.files.get(path);
    if (!bytes) throw vscode.FileSystemError.FileNotFound(path);
    return bytes;
  }

  writeFile(uri: vscode.Uri, content: Uint8Array): void {
    if (this.broken !== null && uri.path.endsWith(this.broken)) {
      throw vscode.FileSystemError.Unavailable('the line is down');
    }
    const type = this.files.has(uri.path) ? vscode.FileChangeType.Changed : vscode.FileChangeType.Created;
    this.files.set(uri.path, content);
    this.times.set(uri.path, (this.times.get(uri.path) ?? 0) + 1);
    this.changed.fire([{ type, uri }]);
  }

  delete(uri: vscode.Uri): void {
    this.files.delete(uri.path);
    this.changed.fire([{ type: vscode.FileChangeType.Deleted, uri }]);
  }

  createDirectory(): void {
    // Folders exist implicitly.
  }

  rename(): void {
    throw vscode.FileSystemError.NoPermissions('nobody renames here');
  }

  names(): readonly string[] {
    return [...this.files.keys()].sort();
  }

  private readonly times = new Map<string, number>();
}
