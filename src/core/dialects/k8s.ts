import type { Dialect } from './dialect';
import { asksForGpus, manifestRuns } from './envelopes/kubernetes';

/** Kubernetes manifests that ask for GPUs, and the custom resources of Kubeflow, KServe, Kaito and KubeAI. */
export const k8s: Dialect = {
  id: 'k8s',
  title: 'Kubernetes',
  role: 'part',
  framework: { name: 'kubernetes', version: '1.34' },
  loader: 'pyyaml',
  signature: {
    strong: ['apiVersion'],
    medium: ['kind', 'metadata.name', 'spec'],
    weak: ['data', 'resource', 'inference', 'tuning'],
    against: ['services', 'apiVersion~^ray\\.io/'],
    needs: ['kind'],
    least: 6,
    mentions: String.raw`/nvidia\.com\/(?:gpu|mig)|instanceType|resourceProfile|amd\.com\/gpu|ConfigMap/`,
    accepts: asksForGpus,
  },
  quantities: {},
  launch: [
    {
      argv: ['kubectl', 'apply', '-f', '{config}'],
      handsTo: 'Kubernetes',
      source: 'kubernetes.io/docs/reference/kubectl',
    },
  ],
  compose: manifestRuns,
};
