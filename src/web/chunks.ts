import * as vscode from 'vscode';

/** Where the chunks are: set once, by the entry point. */
let folder: vscode.Uri | null = null;

/** The chunks that were asked for. */
const loaded = new Map<string, Promise<unknown>>();

/** `uri`: the folder of the built chunks. */
export function openChunks(uri: vscode.Uri): void {
  folder = uri;
}

/**
 * Loads one of the build's chunks on first use. VS Code gives a browser's extension one file and a `require` that knows
 * only `vscode`, so the build makes each `import('./…')` of a chunk a call of this.
 */
export function loadChunk(name: string): Promise<unknown> {
  const known = loaded.get(name) ?? load(name);
  loaded.set(name, known);
  known.catch(() => loaded.delete(name));
  return known;
}

type Run = (module: object, exports: object, require: (name: string) => unknown) => void;

async function load(name: string): Promise<unknown> {
  if (folder === null) throw new Error('The chunks were not opened.');
  const bytes = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(folder, `${name}.js`));
  const module = { exports: {} };
  // As VS Code itself loads the entry point; the text is a file of this extension.
  const run = new Function('module', 'exports', 'require', new TextDecoder().decode(bytes)) as Run;
  run(module, module.exports, required);
  return module.exports;
}

function required(name: string): unknown {
  if (name === 'vscode') return vscode;
  if (name === 'headroom-chunks') return { loadChunk };
  throw new Error(`A chunk can't load ${name}.`);
}
