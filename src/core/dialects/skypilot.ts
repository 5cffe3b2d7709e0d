import type { Dialect } from './dialect';
import { asksForAccelerators, taskRuns } from './envelopes/skypilot';

/** SkyPilot's tasks: the GPUs of a node, how many nodes, and a shell's text. skypilot 0048bbf, yaml-spec.rst. */
export const skypilot: Dialect = {
  id: 'skypilot',
  title: 'SkyPilot',
  role: 'part',
  framework: { name: 'skypilot', version: '0.10.0' },
  loader: 'pyyaml',
  signature: {
    strong: ['resources.accelerators', 'resources.any_of[].accelerators', 'resources.ordered[].accelerators'],
    medium: ['run', 'setup', 'file_mounts', 'num_nodes', 'service', 'envs', 'secrets'],
    weak: ['workdir', 'name'],
    against: ['apiVersion', 'type', 'entrypoint', 'services'],
    least: 6,
    mentions: String.raw`/accelerators/`,
    accepts: asksForAccelerators,
  },
  quantities: {},
  launch: [
    {
      argv: ['sky', 'launch', '{config}'],
      handsTo: 'SkyPilot',
      source: 'skypilot docs/source/reference/cli.rst',
    },
  ],
  compose: taskRuns,
};
