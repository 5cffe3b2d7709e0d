import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import type { Measurement, ProgramRun } from '../core/learn/measurement';

/** Larger files are not code: `src/python` has the same limit. */
const MOST_BYTES = 4 << 20;
/** `sha256`, shortened as `src/python` does. */
const LETTERS = 16;

/** Whether the files that a program's dry run depends on are still the same. */
export class ProgramFiles {
  private readonly known = new Map<string, { readonly stamp: string; readonly digest: string | null }>();

  /** The measurement, with the file that has changed since, if any. `kept`: the file that has the measurement. */
  async checked(measurement: Measurement, kept: string): Promise<Measurement> {
    const { program } = measurement;
    if (!program) return measurement;
    const folder = isAbsolute(program.folder) ? program.folder : resolve(kept, '../..', program.folder);
    for (const [name, digest] of Object.entries(program.files)) {
      if ((await this.digest(join(folder, name))) !== digest) {
        return { ...measurement, program: { ...program, folder, changed: name } };
      }
    }
    return { ...measurement, program: { ...program, folder } };
  }

  forget(): void {
    this.known.clear();
  }

  private async digest(path: string): Promise<string | null> {
    const found = await stat(path).catch(() => null);
    if (!found?.isFile() || found.size > MOST_BYTES) return null;
    const stamp = `${found.mtimeMs} ${found.size} ${found.ino}`;
    const known = this.known.get(path);
    if (known?.stamp === stamp) return known.digest;
    const bytes = await readFile(path).catch(() => null);
    const digest = bytes && createHash('sha256').update(bytes).digest('hex').slice(0, LETTERS);
    this.known.set(path, { stamp, digest });
    return digest;
  }
}

/** Their paths, so that a change is noticed. `folder` is absolute after a check. */
export const filesOf = ({ folder, files }: ProgramRun): readonly string[] =>
  isAbsolute(folder) ? Object.keys(files).map(name => join(folder, name)) : [];
