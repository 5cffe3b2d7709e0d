import { rename, writeFile } from 'node:fs/promises';
import { readJson } from '../files';
import { isRecord } from '../../core/text/json';

/** The progress of one part of a spread job. */
export interface PartProgress {
  readonly rows: number;
  readonly rowsTotal: number | null;
}

/**
 * The progress of each part, next to the output with their total: a host queried separately reports seconds later,
 * so that the parts would lag behind the total.
 */
export class PartsFile {
  private isWriting = false;

  constructor(private readonly path: string) {}

  /** In order. Skips an update while another is being written; more will follow. */
  async put(parts: readonly (PartProgress | null)[]): Promise<void> {
    if (this.isWriting) return;
    this.isWriting = true;
    const unfinished = `${this.path}.${process.pid}`;
    try {
      const kept = parts.map(part => part && { rows: part.rows, rowsTotal: part.rowsTotal });
      await writeFile(unfinished, JSON.stringify({ schema: SCHEMA, parts: kept }), { mode: 0o600 });
      await rename(unfinished, this.path);
    } catch {
      // Only for display: the job continues without it.
    } finally {
      this.isWriting = false;
    }
  }
}

const SCHEMA = 'headroom-part-progress/1';

/** In order; empty if none were written. */
export async function readParts(path: string): Promise<readonly (PartProgress | null)[]> {
  const file = await readJson(path);
  if (!isRecord(file) || file['schema'] !== SCHEMA || !Array.isArray(file['parts'])) return [];
  return file['parts'].map((part: unknown) => {
    if (!isRecord(part) || typeof part['rows'] !== 'number') return null;
    const { rows, rowsTotal } = part;
    return { rows, rowsTotal: typeof rowsTotal === 'number' ? rowsTotal : null };
  });
}
