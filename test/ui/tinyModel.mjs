// The small model of the embedding suites, and texts of words that it knows, for windows.
import * as esbuild from 'esbuild';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from '../../scripts/lib/root.mjs';

const require = createRequire(import.meta.url);

/** `writeTinyModel` and `tinyTexts` of test/unit/embed/tinyModel.ts. */
export async function loadTinyModel() {
  const outfile = join(root, 'out/ui-harness/tinyModel.cjs');
  await esbuild.build({
    entryPoints: [join(root, 'test/unit/embed/tinyModel.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'warning',
  });
  return require(outfile);
}
