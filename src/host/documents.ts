import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { FilePermission, Position, Range, workspace } from 'vscode';
import type { TextDocument, Uri } from 'vscode';
import { LineIndex } from '../core/text/span';
import type { Span } from '../core/text/span';

/** A span of the document's own text. */
export function rangeOf(document: TextDocument, span: Span): Range {
  return new Range(document.positionAt(span.start), document.positionAt(span.end));
}

/** The lines of the text that was last asked about: its findings are placed one after the other. */
let latest: { readonly text: string; readonly lines: LineIndex } | null = null;

/** A span of any text. */
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
 * Whether a saved document still is what is on disk: VS Code hears of a change a moment late. A file in an encoding
 * other than UTF-8 cannot be compared here and counts as the same; saving it is guarded by VS Code itself.
 */
export async function isAsOnDisk(document: TextDocument): Promise<boolean> {
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

/** VS Code makes all line ends of a document the same. */
const lines = (text: string): string => text.replace(/\r\n?/g, '\n');

const WRITE_BITS = 0o222;

/** May a file be written? One without any write permission may not, not even by a user who could. */
export async function isWritable(uri: Uri): Promise<boolean> {
  if (workspace.fs.isWritableFileSystem(uri.scheme) === false) return false;
  try {
    if (uri.scheme === 'file') return await isWritableOnDisk(uri.fsPath);
    const { permissions } = await workspace.fs.stat(uri);
    return permissions === undefined || (permissions & FilePermission.Readonly) === 0;
  } catch {
    return false;
  }
}

async function isWritableOnDisk(file: string): Promise<boolean> {
  await access(file, constants.W_OK);
  return ((await stat(file)).mode & WRITE_BITS) !== 0;
}

/** A fingerprint of a text: tells whether someone has touched it since. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
