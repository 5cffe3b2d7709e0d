import { builtIn } from './defined/compile';
import file from './k8s.yaml';
import type { Dialect } from './dialect';
import { asksForGpus, manifestRuns } from './envelopes/kubernetes';

/** Kubernetes manifests that request GPUs, and the custom resources of Kubeflow, KServe, Kaito and KubeAI. */
export const k8s: Dialect = builtIn(file, {
  accepts: asksForGpus,
  compose: manifestRuns,
});
