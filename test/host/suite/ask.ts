import * as vscode from 'vscode';

const PATIENCE_MS = 30_000;
const POLL_MS = 50;

/**
 * Asks until the answer is there. VS Code drops a provider's request whenever another extension registers a provider
 * meanwhile, so one question is never enough. What a probe says it has `seen` stands in the error of one that gave up.
 */
export async function until<T>(
  what: string,
  probe: (seen: (what: readonly string[]) => void) => Thenable<T | null | undefined | false>,
): Promise<T> {
  const end = Date.now() + PATIENCE_MS;
  let last = '';
  const seen = (texts: readonly string[]): void => {
    last = `; last seen: ${texts.join(' | ') || 'nothing'}`;
  };
  for (;;) {
    const answer = await probe(seen);
    if (answer !== null && answer !== undefined && answer !== false) return answer;
    if (Date.now() > end) throw new Error(`${what}: not within ${PATIENCE_MS / 1000} s${last}`);
    await new Promise(resolve => setTimeout(resolve, POLL_MS));
  }
}

/** A file of the workspace, which is a copy of the sample. */
export function fileOf(path: string): vscode.Uri {
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (!folder) throw new Error('the suite needs a workspace folder');
  return vscode.Uri.joinPath(folder.uri, path);
}

/** A new file of the workspace. */
export async function writeFile(path: string, text: string): Promise<vscode.Uri> {
  const uri = fileOf(path);
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  return uri;
}

/** A new file of the workspace, open in an editor. */
export async function openFile(path: string, text: string): Promise<vscode.TextDocument> {
  const uri = await writeFile(path, text);
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document);
  return document;
}

/** Our own problems of a file, once there are some. */
export function problemsOf(uri: vscode.Uri): Promise<readonly vscode.Diagnostic[]> {
  return until('problems', () => {
    const all = vscode.languages.getDiagnostics(uri).filter(({ source }) => source === 'Headroom');
    return Promise.resolve(all.length > 0 && all);
  });
}

/** Quick fixes and rewrites on a key. */
export function actionsOn(
  document: vscode.TextDocument,
  key: string,
  wanted: RegExp,
): Promise<readonly vscode.CodeAction[]> {
  const start = document.positionAt(document.getText().indexOf(key));
  const range = new vscode.Range(start, start.translate(0, key.length));
  return until(`action ${wanted.source}`, async seen => {
    const found = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      'vscode.executeCodeActionProvider',
      document.uri,
      range,
    );
    seen(found.map(({ title }) => title));
    return found.some(({ title }) => wanted.test(title)) && found;
  });
}

/** Titles of the code lenses of a file, once one is as expected. */
export function lensesOf(uri: vscode.Uri, wanted: RegExp): Promise<readonly string[]> {
  return until(`lens ${wanted.source}`, async seen => {
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      uri,
      100,
    );
    const titles = lenses.map(({ command }) => command?.title ?? '');
    seen(titles);
    return titles.some(title => wanted.test(title)) && titles;
  });
}
