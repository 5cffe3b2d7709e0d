import { builtIn } from './defined/compile';
import file from './compose.yaml';
import type { Dialect } from './dialect';
import { composeRuns, reservesGpu } from './envelopes/compose';

/** Docker Compose: services with GPUs, and what they start. compose-spec, deploy.md and gpu-support. */
export const compose: Dialect = builtIn(file, {
  accepts: reservesGpu,
  compose: composeRuns,
});
