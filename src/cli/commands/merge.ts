import { json } from '../../core/text/terminal';
import { withEngineErrors } from '../embed/load';
import { count } from '../embed/progress';
import { verified } from '../embed/verified';
import type { VerifyOptions } from '../embed/verified';
import { EXIT } from '../exit';
import { BadInput, terminalOutput } from '../output';
import type { OutputOptions } from '../output';

interface MergeOptions extends OutputOptions {
  readonly out?: string;
  readonly format?: 'npy' | 'safetensors' | 'parquet';
  readonly rowsPerShard?: number;
  readonly json?: boolean;
}

const SAY_EVERY_MS = 10_000;

/** `headroom merge PART… --out DIR`: merges the parts of an embedding in order. */
export async function merge(folders: readonly string[], options: MergeOptions): Promise<void> {
  const { out: folder, format, rowsPerShard } = options;
  if (folder === undefined) throw new BadInput('Missing output folder. Set a new folder with --out.');
  const { out, err } = terminalOutput(options);
  await withEngineErrors(async embedding => {
    let printedMs = performance.now();
    const progress = (rows: number, of: number): void => {
      if (performance.now() - printedMs < SAY_EVERY_MS) return;
      printedMs = performance.now();
      err(`${count(rows)} of ${count(of)} rows`);
    };
    const { rows, dimensions, shards } = await embedding.merge({
      folders,
      out: folder,
      format,
      rowsPerShard,
      progress,
    });
    if (options.json) out(json({ folder, shape: [rows, dimensions], shards }, 2));
    else {
      out(
        `${folder}: (${rows ?? 0}, ${dimensions ?? 0}) in ${shards.length} ${shards.length === 1 ? 'file' : 'files'}`,
      );
    }
    return EXIT.fits;
  });
}

/**
 * `headroom verify DIR`: checks count, shape, checksums, ids, finite values and unit length. Exit code 1 on any
 * flaw.
 */
export const verify = (folder: string, options: VerifyOptions): Promise<void> =>
  withEngineErrors(embedding => verified(embedding, folder, options));
