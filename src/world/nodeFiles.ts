import { open, readFile, readdir, stat } from 'node:fs/promises';
import { join } from '../core/text/paths';
import type { FileAbsence, FileText, Files } from '../core/text/files';

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
      const found = await stat(file);
      if (found.isDirectory()) return { absence: 'directory' };
      if (!found.isFile()) return { absence: 'unavailable' };
      if (found.size > this.mostBytes) return { absence: 'too-large' };
      return decode(await readFile(file));
    } catch (error) {
      return { absence: absenceOf(error) };
    }
  }

  async bytes(path: string, offset: number, length: number): Promise<Uint8Array | null> {
    const file = join(this.root, path);
    try {
      if (!(await stat(file)).isFile()) return null;
      const handle = await open(file);
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
