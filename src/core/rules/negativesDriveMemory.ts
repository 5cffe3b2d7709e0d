import type { Rule } from './rule';
import { GUIDE } from './dialectGroups';
import { numberOf } from './raw';
import { quoted, setKey } from './when';

export const negativesDriveMemory: Rule = {
  id: 'negatives-drive-memory',
  severity: 'information',
  summary: 'The stage is short of memory because of its negatives.',
  sources: [
    'training-memory guide, “OOM Error”: reduce negatives in early stages',
    'lowmason/naics-embedder e418955 scripts/optimize_gpu_config.py: batch_size × (1 + 1 + n_negatives) sequences',
  ],
  dialects: GUIDE,
  check(context) {
    const { estimate, run } = context;
    const negatives = numberOf(context, 'n_negatives');
    const short = estimate?.devices.some(({ verdict }) => verdict === 'exceeds' || verdict === 'tight');
    if (!short || negatives === null || negatives < 2) return [];
    const fewer = Math.floor(negatives / 2);
    const stage = run.name === '' ? '' : ` in ${run.name}`;
    const message =
      `${quoted(context, 'n_negatives')}${stage} makes every sample ${2 + negatives} sequences; ${fewer} negatives make it ${2 + fewer}. ` +
      'Unlike a smaller batch_size, this changes the task: fewer negatives are easier to tell apart.';
    return [{ at: ['n_negatives'], message, remedies: [setKey('n_negatives', fewer)] }];
  },
};
