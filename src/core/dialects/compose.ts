import type { Dialect } from './dialect';
import { composeRuns, reservesGpu } from './envelopes/compose';

/** Docker Compose: which services get GPUs, and what they start. compose-spec, deploy.md and gpu-support. */
export const compose: Dialect = {
  id: 'compose',
  title: 'Docker Compose',
  role: 'part',
  framework: { name: 'compose', version: '2.30.0' },
  loader: 'pyyaml',
  signature: {
    strong: ['services'],
    medium: ['services.*.image', 'services.*.build'],
    weak: ['version', 'networks', 'volumes', 'name'],
    against: ['apiVersion'],
    needs: ['services'],
    least: 4,
    mentions: String.raw`/nvidia|\bgpus?\b/i`,
    accepts: reservesGpu,
  },
  quantities: {},
  launch: [
    {
      argv: ['docker', 'compose', '-f', '{config}', 'up'],
      source: 'docs.docker.com/reference/cli/docker/compose/up',
    },
  ],
  compose: composeRuns,
};
