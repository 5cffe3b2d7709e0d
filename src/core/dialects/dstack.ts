import { builtIn } from './defined/compile';
import file from './dstack.yaml';
import type { Dialect } from './dialect';
import { asksForGpu, dstackRuns } from './envelopes/dstack';

/** dstack's tasks and services. dstackai/dstack 511c318, mkdocs/docs/concepts/tasks.md. */
export const dstack: Dialect = builtIn(file, {
  accepts: asksForGpu,
  compose: dstackRuns,
});
