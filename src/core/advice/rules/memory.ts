import { formatShare } from '../../units';
import type { AdviceRule } from '../advice';
import { FULL_SHARE, isSawTooth, LOW_UTIL_PCT, memoryShare, SPARE_SHARE, utilizationAtWork } from '../busy';
import { median, periodText } from '../signals';
import type { Signals } from '../signals';
import type { Say } from '../../text/say';

/** Busy, with almost no memory left. */
export const memoryFull: AdviceRule = {
  id: 'memory-full',
  source: 'embedding batch guide, “Key Metrics”: near capacity but not OOM; memory is to be 85–95 % used',
  check(signals, say) {
    const util = utilizationAtWork(signals);
    const full = memoryShare(signals);
    if (util === null || full === null || full < FULL_SHARE) return null;
    return {
      severity: 'warning',
      message: say(
        'Almost no memory is left: a longer sequence, evaluation or fragmentation may no longer fit.',
      ),
      signal: say('memory up to {0}, {1}', formatShare(full), periodText(say, util)),
      fix: 'optimize',
    };
  },
};

/**
 * Well utilized, with spare memory. The utilization guide calls 40–60 % of the memory enough; the other two want
 * more, and this rule follows them only below 60 %, where all agree that there is room.
 */
const ALL_AGREE_SHARE = 0.6;

const GUIDES =
  `embedding batch guide, “Testing Before Full Run”: until memory is ${SPARE_SHARE * 100}–95 % used; ` +
  'training-memory guide: 80–90 %; the utilisation guide takes 40–60 % for enough';

/** A GPU that is busy without pauses: its memory share, with the signal; null if it is not well utilized. */
function wellUsed(say: Say, signals: Signals): { readonly full: number; readonly signal: string } | null {
  const util = utilizationAtWork(signals);
  const full = memoryShare(signals);
  if (util === null || full === null || median(util) < LOW_UTIL_PCT || isSawTooth(util)) return null;
  const signal = say(
    'memory at most {0}, utilization {1} % (median), {2}',
    formatShare(full),
    Math.round(median(util)),
    periodText(say, util),
  );
  return { full, signal };
}

export const memorySpare: AdviceRule = {
  id: 'memory-spare',
  source: GUIDES,
  check(signals, say) {
    const used = wellUsed(say, signals);
    if (used === null || used.full >= ALL_AGREE_SHARE) return null;
    return {
      severity: 'information',
      message: say(
        '{0} of the memory stays free: a larger micro-batch with less accumulation may be faster.',
        formatShare(1 - used.full),
      ),
      signal: used.signal,
      fix: 'optimize',
    };
  },
};

/** Well utilized, with room up to the target of two of the guides; the third is satisfied from 40 % on. */
export const memoryBelowTarget: AdviceRule = {
  id: 'memory-below-target',
  source: GUIDES,
  check(signals, say) {
    const used = wellUsed(say, signals);
    if (used === null || used.full < ALL_AGREE_SHARE || used.full >= SPARE_SHARE) return null;
    return {
      severity: 'information',
      message: say(
        'Memory is below the target of {0}–95 %: a slightly larger micro-batch may be faster.',
        SPARE_SHARE * 100,
      ),
      signal: used.signal,
      fix: 'optimize',
    };
  },
};
