import { readdir } from 'node:fs/promises';
import type { FileAbsence, Files, FileText } from '../core/text/files';
import { join } from '../core/text/paths';
import { boundedRead, openRegular } from '../files/bounded';

/** Four bytes for each of the characters that the YAML room reads at most. */
const MOST_BYTES = 16 * 1024 * 1024;

/** The file system as core's port: never throws, never opens what could block (pipes, devices). */
export class NodeFiles implements Files {
  /** Relative paths are taken from `root`, a path with '/' separators. */
  constructor(
    private readonly root: string,
    private readonly mostBytes = MOST_BYTES,
  ) {}

  async read(path: string): Promise<FileText> {
    const file = join(this.root, path);
    try {
      const read = await boundedRead(file, this.mostBytes);
      return 'why' in read ? { absence: ABSENCES[read.why] } : decode(read);
    } catch (error) {
      return { absence: absenceOf(error) };
    }
  }

  async bytes(path: string, offset: number, length: number): Promise<Uint8Array | null> {
    const file = join(this.root, path);
    try {
      const opened = await openRegular(file);
      if ('why' in opened) return null;
      const { handle } = opened;
      try {
        const { buffer, bytesRead } = await handle.read(new Uint8Array(length), 0, length, offset);
        return buffer.subarray(0, bytesRead);
      } finally {
        await handle.close();
      }
    } catch {
      return null;
    }
  }

  async list(folder: string): Promise<readonly string[]> {
    try {
      return (await readdir(join(this.root, folder))).sort();
    } catch {
      return [];
    }
  }
}

const ABSENCES = { directory: 'directory', special: 'unavailable', 'too-large': 'too-large' } as const;

/** UTF-8 or nothing: a guess at another encoding could not be written back. The byte order mark stays. */
function decode(bytes: Uint8Array): FileText {
  if (bytes.includes(0)) return { absence: 'binary' };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
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
