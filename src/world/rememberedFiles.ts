import type { FileText, Files } from '../core/text/files';

/** Files as they were when first asked for: one call of the command line looks once, however many configs ask. */
export class RememberedFiles implements Files {
  private readonly texts = new Map<string, Promise<FileText>>();
  private readonly folders = new Map<string, Promise<readonly string[]>>();

  constructor(private readonly files: Files) {}

  read(path: string): Promise<FileText> {
    return once(this.texts, path, () => this.files.read(path));
  }

  async bytes(path: string, offset: number, length: number): Promise<Uint8Array | null> {
    return (await this.files.bytes?.(path, offset, length)) ?? null;
  }

  list(folder: string): Promise<readonly string[]> {
    return once(this.folders, folder, () => this.files.list(folder));
  }
}

function once<T>(known: Map<string, Promise<T>>, path: string, ask: () => Promise<T>): Promise<T> {
  const found = known.get(path) ?? ask();
  known.set(path, found);
  return found;
}
