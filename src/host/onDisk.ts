import { workspace } from 'vscode';
import type { TextDocument } from 'vscode';

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
