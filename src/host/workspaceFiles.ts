import { FileSystemError, FileType, workspace } from 'vscode';
import type { Uri } from 'vscode';
import type { FileAbsence, FileText, Files } from '../core/text/files';
import { openDocument, uriOf } from './uris';

/** Four bytes for each of the characters that `src/core/yaml` reads at most. */
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * Files as the editor sees them: an open document gives its unsaved text, every other file is read through VS
 * Code's file system, so remote and virtual workspaces work the same way. Texts have no byte order mark, as in
 * documents.
 */
export const workspaceFiles: Files = {
  async read(path) {
    const open = openDocument(path);
    return open ? { text: open.getText() } : readFile(uriOf(path));
  },

  async list(folder) {
    try {
      const entries = await workspace.fs.readDirectory(uriOf(folder));
      return entries.map(([name]) => name).sort();
    } catch {
      return [];
    }
  },
};

async function readFile(uri: Uri): Promise<FileText> {
  try {
    const { type, size } = await workspace.fs.stat(uri);
    if (type & FileType.Directory) return { absence: 'directory' };
    if (!(type & FileType.File)) return { absence: 'unavailable' };
    if (size > MOST_BYTES) return { absence: 'too-large' };
    // Files in /proc have no size and no end, so local files that report a size of 0 are not read.
    if (size === 0 && uri.scheme === 'file') return { text: '' };
    const bytes = await workspace.fs.readFile(uri);
    return bytes.length > MOST_BYTES ? { absence: 'too-large' } : decode(bytes);
  } catch (error) {
    return { absence: absenceOf(error) };
  }
}

/** UTF-8 or nothing: text decoded with a guessed encoding could not be written back. */
function decode(bytes: Uint8Array): FileText {
  if (bytes.includes(0)) return { absence: 'binary' };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { absence: 'binary' };
  }
}

const ABSENCES: Readonly<Record<string, FileAbsence>> = {
  FileNotFound: 'missing',
  FileNotADirectory: 'missing',
  FileIsADirectory: 'directory',
  NoPermissions: 'denied',
};

function absenceOf(error: unknown): FileAbsence {
  const known = error instanceof FileSystemError ? ABSENCES[error.code] : undefined;
  return known ?? 'unavailable';
}
