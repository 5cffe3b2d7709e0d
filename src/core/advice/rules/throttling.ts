import type { AdviceRule } from '../advice';
import { utilizationAtWork } from '../busy';
import { median, periodText, recent } from '../signals';
import type { Recent } from '../signals';
import { commas } from '../../text/lists';
import type { Say } from '../../text/say';

/** The guides' limit for sustained work. */
const HOT_C = 85;

const THERMAL = /therm/i;

/** Too warm for sustained work, or already throttled. */
export const hot: AdviceRule = {
  id: 'hot',
  source: 'embedding batch guide, “Key Metrics”, and utilisation guide, “Target”: keep below 85 °C',
  check({ tempC, throttled, nowMs }, say) {
    const heat = recent(tempC, nowMs);
    if (heat === null) return null;
    const slowed = throttled?.find(({ reason, share }) => THERMAL.test(reason) && share >= 0.1) ?? null;
    if (median(heat) <= HOT_C && slowed === null) return null;
    const degrees = Math.round(median(heat));
    const period = periodText(say, heat);
    return {
      severity: 'warning',
      message:
        slowed === null
          ? say('Above {0} °C for minutes: check fans, dust and airflow before the GPU throttles.', HOT_C)
          : say(
              'The GPU throttles because of its temperature: check fans, dust and airflow, or lower its power limit.',
            ),
      signal:
        slowed === null
          ? say('{0} °C (median), {1}', degrees, period)
          : say(
              '{0} °C (median), slowed down for it in {1} % of the readings, {2}',
              degrees,
              Math.round(100 * slowed.share),
              period,
            ),
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
  check(signals, say) {
    const util = utilizationAtWork(signals);
    const reason = signals.throttled?.find(one => POWER.test(one.reason) && one.share >= OFTEN) ?? null;
    if (util === null || reason === null) return null;
    const power = recent(signals.powerW, signals.nowMs);
    const limit = recent(signals.powerLimitW, signals.nowMs);
    const reasons = say(
      '{0} in {1} % of the readings, {2}',
      reason.reason,
      Math.round(100 * reason.share),
      periodText(say, util),
    );
    return {
      severity: 'information',
      message: say(
        'The power limit throttles the clock. That is normal under full load; if the limit was lowered, raising it makes the GPU faster.',
      ),
      signal: power === null ? reasons : commas(say, [drawText(say, power, limit), reasons]),
      fix: null,
    };
  },
};

function drawText(say: Say, power: Recent, limit: Recent | null): string {
  const draw = Math.round(median(power));
  return limit === null ? `${draw} W` : say('{0} W of {1} W', draw, Math.round(median(limit)));
}
