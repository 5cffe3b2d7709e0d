import type { Dialect } from './dialect';
import { SCRIPT } from './envelopes/batchScript';
import { scriptRuns } from './envelopes/script';

/** Shell scripts that a person starts: what they start on which GPUs. A script that starts nothing of ours is nobody's. */
export const shellScript: Dialect = {
  id: 'shell',
  title: 'Shell script',
  role: 'part',
  framework: { name: 'bash', version: '5.2' },
  loader: 'pyyaml',
  signature: {
    strong: [SCRIPT],
    medium: [],
    weak: [],
    against: [],
    needs: [SCRIPT],
    least: 3,
    mentions: String.raw`/^(?!)/`,
    accepts: ({ tag }) => tag === SCRIPT,
  },
  quantities: {},
  launch: [{ argv: ['bash', '{config}'], source: 'bash(1)' }],
  compose: scriptRuns,
};
