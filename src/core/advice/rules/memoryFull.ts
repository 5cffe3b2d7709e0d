import type { AdviceRule } from '../advice';
import { FULL_SHARE, memoryShare, utilisationAtWork } from '../busy';
import { overMinutes } from '../signals';
import { formatShare } from '../../units';

/** At work with hardly any memory left. */
export const memoryFull: AdviceRule = {
  id: 'memory-full',
  source: 'embedding batch guide, “Key Metrics”: near capacity but not OOM; memory is to be 85–95 % used',
  check(signals) {
    const util = utilisationAtWork(signals);
    const full = memoryShare(signals);
    if (util === null || full === null || full < FULL_SHARE) return null;
    return {
      severity: 'warning',
      message: 'Almost no memory is left: a longer sequence, evaluation or fragmentation may no longer fit.',
      signal: `memory up to ${formatShare(full)}, ${overMinutes(util)}`,
      fix: 'optimize',
    };
  },
};
