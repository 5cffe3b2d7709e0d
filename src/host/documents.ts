import { FilePermission, Position, Range, workspace } from 'vscode';
import type { TextDocument, Uri } from 'vscode';
import type { Page } from './pages';
import { LineIndex } from '../core/text/span';
import type { Span } from '../core/text/span';

/** The range of a span in the document's text. */
export function rangeOf(document: TextDocument, span: Span): Range {
  return new Range(document.positionAt(span.start), document.positionAt(span.end));
}

/** The lines of the text that was last asked about: its findings are placed one after the other. */
let latest: { readonly text: string; readonly lines: LineIndex } | null = null;

/** The range of a span in any text. */
export function rangeIn(text: string, span: Span): Range {
  if (latest?.text !== text) latest = { text, lines: new LineIndex(text) };
  const { lines } = latest;
  const position = (offset: number): Position => {
    const { line, column } = lines.placeOf(offset);
    return new Position(line - 1, column - 1);
  };
  return new Range(position(span.start), position(span.end));
}

/**
 * Whether a saved document still matches the file on disk: VS Code learns of changes with a short delay. A file in
 * an encoding other than UTF-8, or of a notebook, cannot be compared here and counts as unchanged; VS Code itself guards saving it.
 */
export async function isAsOnDisk(document: Page): Promise<boolean> {
  if (!('lineCount' in document)) return true;
  const bytes = await workspace.fs.readFile(document.uri);
  const text = decode(bytes);
  return text === null || lines(text) === lines(document.getText());
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** VS Code normalizes all line endings of a document. */
const lines = (text: string): string => text.replace(/\r\n?/g, '\n');

/**
 * Whether a file may be written. A file without any write permission is read-only even for a user who could write
 * it.
 */
export async function isWritable(uri: Uri): Promise<boolean> {
  if (workspace.fs.isWritableFileSystem(uri.scheme) === false) return false;
  try {
    if (uri.scheme === 'file') return await (await import('./onDisk')).isWritableOnDisk(uri.fsPath);
    const { permissions } = await workspace.fs.stat(uri);
    return permissions === undefined || (permissions & FilePermission.Readonly) === 0;
  } catch {
    return false;
  }
}
