import { Uri, workspace } from 'vscode';
import type { JsonFile } from '../host/jsonFile';

/** In place of `src/host/jsonFile.ts` in the browser's build: the extension's storage is in the browser. */
export const jsonFileAt = (file: Uri): Pick<JsonFile, 'read' | 'write'> => ({
  async read() {
    try {
      return JSON.parse(new TextDecoder().decode(await workspace.fs.readFile(file))) as unknown;
    } catch {
      return null;
    }
  },
  async write(value) {
    await workspace.fs.createDirectory(Uri.joinPath(file, '..'));
    await workspace.fs.writeFile(file, new TextEncoder().encode(JSON.stringify(value)));
  },
});
