import type { AdviceRule } from '../advice';
import { utilisationAtWork } from '../busy';
import { median, overMinutes, recent } from '../signals';

const POWER = /power/i;
const OFTEN = 0.5;

/** At work, and its power limit holds its clock back. */
export const powerLimited: AdviceRule = {
  id: 'power-limited',
  source: 'nvidia-smi(1), “Clocks Event Reasons”: SW Power Cap, HW Power Brake Slowdown',
  check(signals) {
    const util = utilisationAtWork(signals);
    const reason = signals.throttled?.find(one => POWER.test(one.reason) && one.share >= OFTEN) ?? null;
    if (util === null || reason === null) return null;
    const power = recent(signals.powerW, signals.nowMs);
    const limit = recent(signals.powerLimitW, signals.nowMs);
    const draw = power === null ? '' : `${Math.round(median(power))} W`;
    const of = limit === null ? '' : ` of ${Math.round(median(limit))} W`;
    const amount = draw === '' ? '' : `${draw}${of}, `;
    return {
      severity: 'information',
      message:
        'The power limit throttles the clock. That is normal under full load; if the limit was lowered, raising it makes the GPU faster.',
      signal: `${amount}${reason.reason} in ${Math.round(100 * reason.share)} % of the readings, ${overMinutes(util)}`,
      fix: null,
    };
  },
};
