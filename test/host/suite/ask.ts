import * as vscode from 'vscode';

const PATIENCE_MS = 30_000;
const POLL_MS = 50;

/**
 * Asks until there is an answer. VS Code drops a provider's request whenever another extension registers a provider
 * meanwhile, so one request is never enough. The timeout's error includes what the probe last reported as `seen`.
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

/** A workspace file; the workspace is a copy of the sample. */
export function fileOf(path: string): vscode.Uri {
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (!folder) throw new Error('the suite needs a workspace folder');
  return vscode.Uri.joinPath(folder.uri, path);
}

/** Writes a new workspace file. */
export async function writeFile(path: string, text: string): Promise<vscode.Uri> {
  const uri = fileOf(path);
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  return uri;
}

/** Writes a new workspace file and opens it in an editor. */
export async function openFile(path: string, text: string): Promise<vscode.TextDocument> {
  const uri = await writeFile(path, text);
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document);
  return document;
}

/** Headroom's problems of a file, once there are some. */
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

/** Titles of the code lenses of a file, once one matches. */
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
