import type { AdviceRule } from '../advice';
import { utilizationAtWork } from '../busy';
import { median, periodText, recent } from '../signals';

/** The guides' limit for sustained work. */
const HOT_C = 85;

const THERMAL = /therm/i;

/** Too warm for sustained work, or already throttled. */
export const hot: AdviceRule = {
  id: 'hot',
  source: 'embedding batch guide, “Key Metrics”, and utilisation guide, “Target”: keep below 85 °C',
  check({ tempC, throttled, nowMs }) {
    const heat = recent(tempC, nowMs);
    if (heat === null) return null;
    const slowed = throttled?.find(({ reason, share }) => THERMAL.test(reason) && share >= 0.1) ?? null;
    if (median(heat) <= HOT_C && slowed === null) return null;
    const how =
      slowed === null ? '' : `, slowed down for it in ${Math.round(100 * slowed.share)} % of the readings`;
    return {
      severity: 'warning',
      message:
        slowed === null
          ? `Above ${HOT_C} °C for minutes: check fans, dust and airflow before the GPU throttles.`
          : 'The GPU throttles because of its temperature: check fans, dust and airflow, or lower its power limit.',
      signal: `${Math.round(median(heat))} °C (median)${how}, ${periodText(heat)}`,
      fix: null,
    };
  },
};

const POWER = /power/i;
const OFTEN = 0.5;

/** Busy, with the clock held back by the power limit. */
export const powerLimited: AdviceRule = {
  id: 'power-limited',
  source: 'nvidia-smi(1), “Clocks Event Reasons”: SW Power Cap, HW Power Brake Slowdown',
  check(signals) {
    const util = utilizationAtWork(signals);
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
      signal: `${amount}${reason.reason} in ${Math.round(100 * reason.share)} % of the readings, ${periodText(util)}`,
      fix: null,
    };
  },
};
