import type { Dialect } from './dialect';
import { rayRuns, servesModels } from './envelopes/ray';

/** Ray Serve's configs and KubeRay's resources; ray-project/kuberay feeaf72. */
export const ray: Dialect = {
  id: 'ray',
  title: 'Ray',
  role: 'part',
  framework: { name: 'ray', version: '2.52.0' },
  loader: 'pyyaml',
  signature: {
    strong: ['apiVersion~^ray\\.io/', 'kind~^Ray(?:Cluster|Job|Service)$', 'applications[].import_path'],
    medium: [
      'spec.serveConfigV2',
      'spec.rayClusterConfig',
      'spec.rayClusterSpec',
      'spec.workerGroupSpecs',
      'applications[].args',
    ],
    weak: ['applications[].name', 'applications[].route_prefix'],
    against: ['services'],
    least: 5,
    mentions: String.raw`/nvidia\.com\/gpu|num[-_]gpus|accelerator_type|llm_configs|serveConfigV2/`,
    accepts: servesModels,
  },
  quantities: {},
  launch: [{ argv: ['serve', 'run', '{config}'], source: 'docs.ray.io, serve/production-guide/config' }],
  compose: rayRuns,
};
