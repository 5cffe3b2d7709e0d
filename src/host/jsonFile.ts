import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * A value kept as JSON in a file of the extension's own storage. It is on disk when `write` is done, and there is
 * never half of it or none: VS Code's own state reaches the disk some seconds later, and its `rename` deletes first.
 */
export class JsonFile {
  constructor(private readonly file: string) {}

  /** Null when there is none, or nothing that could be read. */
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
