import type { AdviceRule } from '../advice';
import { median, overMinutes, recent } from '../signals';

/** The guides' bar for sustained work. */
const HOT_C = 85;

const THERMAL = /therm/i;

/** Too warm for sustained work, or already slowed down for it. */
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
      signal: `${Math.round(median(heat))} °C (median)${how}, ${overMinutes(heat)}`,
      fix: null,
    };
  },
};
