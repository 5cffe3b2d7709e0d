import { builtIn } from './defined/compile';
import file from './shellScript.yaml';
import type { Dialect } from './dialect';
import { SCRIPT } from './envelopes/batchScript';
import { scriptRuns } from './envelopes/script';

/** Shell scripts that a person starts: what they start on which GPUs. A script that starts nothing of ours is nobody's. */
export const shellScript: Dialect = builtIn(file, {
  accepts: ({ tag }) => tag === SCRIPT,
  compose: scriptRuns,
});
