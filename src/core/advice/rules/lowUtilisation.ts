import type { AdviceRule } from '../advice';
import { LOW_UTIL_PCT, SPARE_SHARE, isSawTooth, memoryShare, utilisationAtWork } from '../busy';
import { median, overMinutes } from '../signals';
import { formatShare } from '../../units';

/** Busy less than half of the time with memory to spare: each step is too small to fill the GPU. */
export const lowUtilisation: AdviceRule = {
  id: 'low-utilisation',
  source: 'embedding batch guide, “Optimization Signals”: GPU util < 50 % → batch too small → increase it',
  check(signals) {
    const util = utilisationAtWork(signals);
    const full = memoryShare(signals);
    if (util === null || full === null || full >= SPARE_SHARE) return null;
    // Bursts between pauses are a matter of what feeds the GPU, not of the batch.
    if (median(util) >= LOW_UTIL_PCT || isSawTooth(util)) return null;
    return {
      severity: 'information',
      message:
        'The GPU waits for work most of the time and has memory to spare: a larger batch would use both.',
      signal: `utilization ${Math.round(median(util))} % (median), memory at most ${formatShare(full)}, ${overMinutes(util)}`,
      fix: 'optimize',
    };
  },
};
