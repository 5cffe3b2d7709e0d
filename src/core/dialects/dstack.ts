import type { Dialect } from './dialect';
import { asksForGpu, dstackRuns } from './envelopes/dstack';

/** dstack's tasks and services. dstackai/dstack 511c318, mkdocs/docs/concepts/tasks.md. */
export const dstack: Dialect = {
  id: 'dstack',
  title: 'dstack',
  role: 'part',
  framework: { name: 'dstack', version: '0.19.0' },
  loader: 'pyyaml',
  signature: {
    strong: ['type~^(?:task|service|dev-environment)$'],
    medium: ['commands', 'resources.gpu', 'ide', 'nodes'],
    weak: ['image', 'env', 'python', 'name'],
    against: ['apiVersion', 'task', 'services'],
    needs: ['resources'],
    least: 6,
    mentions: String.raw`/\bgpu\b/`,
    accepts: asksForGpu,
  },
  quantities: {},
  launch: [
    {
      argv: ['dstack', 'apply', '-f', '{config}'],
      handsTo: 'dstack',
      source: 'dstack mkdocs/docs/reference/cli',
    },
  ],
  compose: dstackRuns,
};
