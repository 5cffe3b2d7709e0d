import { EXIT } from '../exit';
import { withSentences } from '../embed/load';
import { count } from '../embed/progress';
import { terminalOutput } from '../output';
import type { OutputOptions } from '../output';

interface VerifyOptions extends OutputOptions {
  /** Rows and components that it has to have. */
  readonly shape?: readonly [number, number];
  readonly json?: boolean;
}

/** `headroom verify DIR`: count, shape, checksums, ids, finite, length 1. Exit code 1 when something is wrong. */
export async function verify(folder: string, options: VerifyOptions): Promise<void> {
  const { out, err, paint } = terminalOutput(options);
  await withSentences(async embedding => {
    const [rows, dimensions] = options.shape ?? [];
    const found = await embedding.verify(folder, { rows, dimensions });
    if (options.json) out(JSON.stringify({ folder, ...found }, null, 2));
    else {
      const { norms, repeatedIds, files } = found;
      const lengths = norms ? ` · lengths ${norms.least.toFixed(4)} to ${norms.most.toFixed(4)}` : '';
      const ids =
        repeatedIds === null
          ? ''
          : repeatedIds === 0
            ? ' · ids unique'
            : ` · ${count(repeatedIds)} ids repeat`;
      const verdict = found.flaws.length === 0 ? paint.good('whole') : paint.bad('not whole');
      out(
        `${folder}: (${found.rows}, ${found.dimensions ?? 0}) in ${files} ${files === 1 ? 'file' : 'files'}${lengths}${ids} · ${verdict}`,
      );
    }
    for (const flaw of found.flaws) err(flaw);
    return found.flaws.length === 0 ? EXIT.fits : EXIT.exceeds;
  });
}
