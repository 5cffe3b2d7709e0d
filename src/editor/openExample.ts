import { commands, FileSystemError, l10n, Uri, workspace } from 'vscode';
import { Refusal } from '../host/errors';

/** The examples of the walkthrough: folders of media/walkthrough/examples. */
const EXAMPLES: ReadonlySet<unknown> = new Set([
  'training-memory',
  'embedding-batch',
  'device-map',
  'utilisation',
]);

/** Opens an example in a window of its own: a copy, which is the user's to change and is made once. */
export async function openExample(extension: Uri, storage: Uri, name: unknown): Promise<void> {
  if (!EXAMPLES.has(name)) throw new Refusal(l10n.t("This example doesn't exist."));
  const folder = Uri.joinPath(storage, 'examples', String(name));
  const source = Uri.joinPath(extension, 'media/walkthrough/examples', String(name));
  try {
    await workspace.fs.copy(source, folder, { overwrite: false });
  } catch (error) {
    if (!(error instanceof FileSystemError && error.code === 'FileExists')) throw error;
  }
  await commands.executeCommand('vscode.openFolder', folder, { forceNewWindow: true });
}
