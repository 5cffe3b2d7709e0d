import { builtIn } from './defined/compile';
import file from './skypilot.yaml';
import type { Dialect } from './dialect';
import { asksForAccelerators, taskRuns } from './envelopes/skypilot';

/** SkyPilot's tasks: GPUs per node, number of nodes, and shell text. skypilot 0048bbf, yaml-spec.rst. */
export const skypilot: Dialect = builtIn(file, {
  accepts: asksForAccelerators,
  compose: taskRuns,
});
