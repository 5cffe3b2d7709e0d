import { builtIn } from './defined/compile';
import file from './ray.yaml';
import type { Dialect } from './dialect';
import { rayRuns, servesModels } from './envelopes/ray';

/** Ray Serve's configs and KubeRay's resources; ray-project/kuberay feeaf72. */
export const ray: Dialect = builtIn(file, {
  accepts: servesModels,
  compose: rayRuns,
});
