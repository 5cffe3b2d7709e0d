import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Uri } from 'vscode';

/**
 * A value kept as JSON in a file of the extension's storage. It is on disk when `write` resolves, and the file is
 * never half-written or missing: VS Code's own state reaches the disk seconds later, and `workspace.fs.rename`
 * deletes first.
 */
export class JsonFile {
  constructor(private readonly file: string) {}

  /** Null if the file is missing or unreadable. */
  async read(): Promise<unknown> {
    try {
      return JSON.parse(await readFile(this.file, 'utf8')) as unknown;
    } catch {
      return null;
    }
  }

  async write(value: unknown): Promise<void> {
    const next = `${this.file}.next`;
    await mkdir(dirname(this.file), { recursive: true });
    await writeFile(next, JSON.stringify(value));
    await rename(next, this.file);
  }
}

/** The file of a URI on disk. The browser's build has `src/web/jsonFile.ts` instead. */
export const jsonFileAt = ({ fsPath }: Uri): JsonFile => new JsonFile(fsPath);
