import { builtIn } from './defined/compile';
import file from './shellScript.yaml';
import type { Dialect } from './dialect';
import { SCRIPT } from './envelopes/batchScript';
import { scriptRuns } from './envelopes/script';

/** Shell scripts that a user runs: their programs and GPUs. A script without a known program is not recognized. */
export const shellScript: Dialect = builtIn(file, {
  accepts: ({ tag }) => tag === SCRIPT,
  compose: scriptRuns,
});
