import { rename, writeFile } from 'node:fs/promises';
import { readJson } from '../files';
import { isRecord } from '../../core/text/json';

/** How far one part of a job that was spread is. */
export interface PartProgress {
  readonly rows: number;
  readonly rowsTotal: number | null;
}

/**
 * How far each part is, next to the output that says how far all are: asked by itself a host tells seconds later, and the parts
 * would lag behind their sum.
 */
export class PartsFile {
  private isWriting = false;

  constructor(private readonly path: string) {}

  /** In their order. While one is being written the next is left out: another will come. */
  async put(parts: readonly (PartProgress | null)[]): Promise<void> {
    if (this.isWriting) return;
    this.isWriting = true;
    const unfinished = `${this.path}.${process.pid}`;
    try {
      const kept = parts.map(part => part && { rows: part.rows, rowsTotal: part.rowsTotal });
      await writeFile(unfinished, JSON.stringify({ schema: SCHEMA, parts: kept }), { mode: 0o600 });
      await rename(unfinished, this.path);
    } catch {
      // It is for show: the job goes on without.
    } finally {
      this.isWriting = false;
    }
  }
}

const SCHEMA = 'headroom-part-progress/1';

/** In their order; none where no one has written any. */
export async function readParts(path: string): Promise<readonly (PartProgress | null)[]> {
  const file = await readJson(path);
  if (!isRecord(file) || file['schema'] !== SCHEMA || !Array.isArray(file['parts'])) return [];
  return file['parts'].map((part: unknown) => {
    if (!isRecord(part) || typeof part['rows'] !== 'number') return null;
    const { rows, rowsTotal } = part;
    return { rows, rowsTotal: typeof rowsTotal === 'number' ? rowsTotal : null };
  });
}
