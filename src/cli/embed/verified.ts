import { json, terminal } from '../../core/text/terminal';
import type { Embedding } from '../../embed/chunk';
import { EXIT } from '../exit';
import type { ExitCode } from '../exit';
import { terminalOutput } from '../output';
import type { OutputOptions } from '../output';
import { count } from './progress';

export interface VerifyOptions extends OutputOptions {
  /** The expected rows and components. */
  readonly shape?: readonly [number, number];
  readonly json?: boolean;
}

/** Reads a folder of vectors again and reports flaws. */
export async function verified(
  embedding: Embedding,
  folder: string,
  options: VerifyOptions,
): Promise<ExitCode> {
  const { out, err, paint } = terminalOutput(options);
  const [rows, dimensions] = options.shape ?? [];
  const found = await embedding.verify(folder, { rows, dimensions });
  if (options.json) out(json({ folder, ...found }, 2));
  else {
    const { norms, repeatedIds, files } = found;
    const lengths = norms ? ` · lengths ${norms.least.toFixed(4)} to ${norms.most.toFixed(4)}` : '';
    const verdict = found.flaws.length === 0 ? paint.good('whole') : paint.bad('not whole');
    out(
      terminal`${folder}: (${found.rows}, ${found.dimensions ?? 0}) in ${files} ${files === 1 ? 'file' : 'files'}${lengths}${idsText(repeatedIds)} · ${verdict}`,
    );
  }
  for (const flaw of found.flaws) err(flaw);
  return found.flaws.length === 0 ? EXIT.fits : EXIT.exceeds;
}

function idsText(repeated: number | null): string {
  if (repeated === null) return '';
  return repeated === 0 ? ' · ids unique' : ` · ${count(repeated)} ids repeat`;
}
