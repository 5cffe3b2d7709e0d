import { trialOf } from './effect';
import type { Priced } from './price';
import { priceChanges } from './price';
import { remedies } from './remedies/registry';
import type { PricedRemedy } from '../rules/remedy';
import type { RemedyContext, RemedyOption } from './remedy';

/** A fix that frees less is none. */
const LEAST_BYTES = 16 * 2 ** 20;

/** Quick fixes shown at one key. */
const MOST = 4;

/**
 * Single remedies for a quick fix: of each kind the mildest option that fits, else the mildest that is tight, else the
 * mildest there is. Those that fit come first, then those that keep the mathematics, then the fastest.
 */
export function quickRemedies(context: RemedyContext, wanted: 'fit' | 'fill'): PricedRemedy[] {
  const best = remedies.flatMap(remedy => {
    const options = wanted === 'fit' ? remedy.less(context) : (remedy.more?.(context) ?? []);
    const priced =
      wanted === 'fit' ? mildest(context, remedy.id, options) : boldest(context, remedy.id, options);
    return priced ? [priced] : [];
  });
  return best
    .sort((a, b) => rank(a) - rank(b) || a.remedy.price.time - b.remedy.price.time)
    .slice(0, MOST)
    .map(priced => priced.remedy);
}

type Success = Extract<Priced, { ok: true }>;

const fits = (priced: Success): boolean => priced.effect.verdict === 'fits';

const exceeds = (priced: Success): boolean => priced.effect.verdict === 'exceeds';

/** What fits comes before what is tight, and that before what is not enough; then what keeps the mathematics. */
const rank = (priced: Success): number =>
  (fits(priced) ? 0 : exceeds(priced) ? 4 : 2) + (priced.remedy.price.quality === null ? 0 : 1);

/** What can be known without replaying the allocator is asked first; of what exceeds only the first is worked out. */
function mildest(context: RemedyContext, id: string, options: readonly RemedyOption[]): Success | null {
  const short: (() => Success | null)[] = [];
  let tight: Success | null = null;
  for (const option of options) {
    const trial = trialOf(context, option.changes);
    if (!trial || -(trial.deltaBytes ?? 0) < LEAST_BYTES) continue;
    // What torch allocates less is not always less on the device.
    const price = (): Success | null => helping(success(priceChanges(context, id, option, trial.run)));
    if (trial.exceeds) {
      short.push(price);
      continue;
    }
    const priced = price();
    if (priced && fits(priced)) return priced;
    tight ??= priced;
  }
  return tight ?? firstOf(short);
}

const helping = (priced: Success | null): Success | null =>
  (priced?.remedy.savedBytes ?? 0) >= LEAST_BYTES ? priced : null;

/** The first that there is; the others are not asked for. */
function firstOf(ways: readonly (() => Success | null)[]): Success | null {
  for (const way of ways) {
    const found = way();
    if (found) return found;
  }
  return null;
}

/** To fill memory: the largest step that still fits. */
function boldest(context: RemedyContext, id: string, options: readonly RemedyOption[]): Success | null {
  for (const option of [...options].reverse()) {
    const trial = trialOf(context, option.changes);
    if (!trial || trial.exceeds) continue;
    const priced = success(priceChanges(context, id, option, trial.run));
    if (priced && fits(priced)) return priced;
  }
  return null;
}

const success = (priced: Priced): Success | null => (priced.ok ? priced : null);
