import type { AdviceRule } from '../advice';
import { LOW_UTIL_PCT, SPARE_SHARE, isSawTooth, memoryShare, utilisationAtWork } from '../busy';
import { median, overMinutes } from '../signals';
import { formatShare } from '../../units';

/**
 * Well used, with memory to spare. The utilisation guide calls 40–60 % of the memory enough; the other two want more, and
 * this rule sides with them only below 60 %, where all agree that there is room.
 */
const ALL_AGREE_SHARE = 0.6;

export const memorySpare: AdviceRule = {
  id: 'memory-spare',
  source:
    `embedding batch guide, “Testing Before Full Run”: until memory is ${SPARE_SHARE * 100}–95 % used; ` +
    'training-memory guide: 80–90 %; the utilisation guide takes 40–60 % for enough',
  check(signals) {
    const util = utilisationAtWork(signals);
    const full = memoryShare(signals);
    if (util === null || full === null || full >= ALL_AGREE_SHARE) return null;
    if (median(util) < LOW_UTIL_PCT || isSawTooth(util)) return null;
    return {
      severity: 'information',
      message: `${formatShare(1 - full)} of the memory stays free: a larger micro-batch with less accumulation may be faster.`,
      signal: `memory at most ${formatShare(full)}, utilization ${Math.round(median(util))} % (median), ${overMinutes(util)}`,
      fix: 'optimize',
    };
  },
};
