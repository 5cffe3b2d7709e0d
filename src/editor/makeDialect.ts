import { l10n, Uri, window, workspace } from 'vscode';
import { basename, DIALECTS, isProgram } from '../core/text/paths';
import { definitionOf } from '../core/dialects/defined/definition';
import type { DialectDefinition } from '../core/dialects/defined/definition';
import { Refusal } from '../host/errors';
import type { Analyzed } from './analysisService';
import { chosenRun } from './chosenRun';
import type { EditorServices } from './services';

/** The generic reading of a document; null if a dialect reads it, or if it is a program, whose calls no dialect describes. */
export function genericReading({ analysis, document }: Analyzed): DialectDefinition | null {
  const [first] = isProgram(document.uri.path) ? [] : analysis.runs;
  const definition = first ? definitionOf(first.run) : null;
  return definition?.file === '' ? definition : null;
}

/**
 * *Make a Dialect of This Reading*: writes a file to `.headroom/dialects` that states how the config was read, and
 * opens it for correction.
 */
export async function makeDialect(services: EditorServices, file: Uri | null): Promise<void> {
  const chosen = await chosenRun(services, file, undefined);
  if (!chosen) return;
  const definition = genericReading(chosen.analyzed);
  if (!definition) {
    throw new Refusal(l10n.t('Headroom already knows this format.'));
  }
  const { document } = chosen.analyzed;
  const folder = workspace.getWorkspaceFolder(document.uri)?.uri ?? Uri.joinPath(document.uri, '..');
  const { definitionText, dialectName } = await services.core();
  const name = dialectName(basename(folder.path));
  const { uri, id } = await freePlace(Uri.joinPath(folder, DIALECTS), name);
  const config = workspace.asRelativePath(document.uri, false);
  await workspace.fs.writeFile(uri, new TextEncoder().encode(definitionText(definition, id, config)));
  await window.showTextDocument(uri);
}

/** A file name that no dialect here uses yet. */
async function freePlace(folder: Uri, name: string): Promise<{ readonly uri: Uri; readonly id: string }> {
  for (let count = 1; ; count++) {
    const id = count === 1 ? name : `${name}-${count}`;
    const uri = Uri.joinPath(folder, `${id}.yaml`);
    if (!(await exists(uri))) return { uri, id };
  }
}

async function exists(uri: Uri): Promise<boolean> {
  try {
    await workspace.fs.stat(uri);
    return true;
  } catch {
    return false;
  }
}
