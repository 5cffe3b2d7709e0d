import { readdirSync, readSync } from 'node:fs';
import type { FileAbsence, Files, FileText } from '../core/text/files';
import { join } from '../core/text/paths';
import { boundedReadSync, MOST_TEXT_BYTES, withRegularSync } from '../files/bounded';

/** The file system as core's port: never throws, never opens anything that could block (pipes, devices). */
export class NodeFiles implements Files {
  /** Relative paths start at `root`, a path with '/' separators. */
  constructor(
    private readonly root: string,
    private readonly mostBytes = MOST_TEXT_BYTES,
  ) {}

  read(path: string): Promise<FileText> {
    const file = join(this.root, path);
    try {
      const read = boundedReadSync(file, this.mostBytes);
      return Promise.resolve('why' in read ? { absence: ABSENCES[read.why] } : decode(read));
    } catch (error) {
      return Promise.resolve({ absence: absenceOf(error) });
    }
  }

  bytes(path: string, offset: number, length: number): Promise<Uint8Array | null> {
    const file = join(this.root, path);
    try {
      const read = withRegularSync(file, handle => {
        const bytes = new Uint8Array(length);
        return bytes.subarray(0, readSync(handle, bytes, 0, length, offset));
      });
      return Promise.resolve('why' in read ? null : read);
    } catch {
      return Promise.resolve(null);
    }
  }

  list(folder: string): Promise<readonly string[]> {
    try {
      return Promise.resolve(readdirSync(join(this.root, folder)).sort());
    } catch {
      return Promise.resolve([]);
    }
  }
}

const ABSENCES = { directory: 'directory', special: 'unavailable', 'too-large': 'too-large' } as const;

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** UTF-8 or nothing: text decoded with a guessed encoding could not be written back. The byte order mark stays. */
function decode(bytes: Uint8Array): FileText {
  if (bytes.includes(0)) return { absence: 'binary' };
  try {
    return { text: UTF8.decode(bytes) };
  } catch {
    return { absence: 'binary' };
  }
}

const MISSING = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG']);
const DENIED = new Set(['EACCES', 'EPERM']);

function absenceOf(error: unknown): FileAbsence {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (MISSING.has(code)) return 'missing';
  return DENIED.has(code) ? 'denied' : 'unavailable';
}

/** Files of which only some may be read: the others have no text, and their folders no names. */
export class SomeFiles implements Files {
  constructor(
    private readonly files: Files,
    private readonly mayRead: (path: string) => boolean,
  ) {}

  read(path: string): Promise<FileText> {
    return this.mayRead(path) ? this.files.read(path) : Promise.resolve({ absence: 'denied' });
  }

  async bytes(path: string, offset: number, length: number): Promise<Uint8Array | null> {
    return this.mayRead(path) ? ((await this.files.bytes?.(path, offset, length)) ?? null) : null;
  }

  list(folder: string): Promise<readonly string[]> {
    return this.mayRead(folder) ? this.files.list(folder) : Promise.resolve([]);
  }
}

/** Files as they were on first access: one CLI call reads each file once, for any number of configs. */
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
