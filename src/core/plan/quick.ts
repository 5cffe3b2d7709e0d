import type { Verdict } from '../memory/estimate';
import type { Price, PricedRemedy } from '../rules/remedy';
import { TO_BE_REPLAYED, trialOf } from './effect';
import type { Priced } from './price';
import { priceChanges } from './price';
import { remedies } from './remedies/registry';
import type { RemedyContext, RemedyOption } from './remedy';

/** A fix must free at least this much. */
const LEAST_BYTES = 16 * 2 ** 20;

/** Quick fixes shown at one key. */
const MOST = 4;

/**
 * Single remedies for a quick fix: of each kind the mildest option that fits, else the mildest that is tight, else the
 * mildest there is. Those that fit come first, then those that keep the mathematics, then the fastest. A kind is worked
 * out only as far as it can still be among those that are shown: of most the price alone says that it comes later.
 */
export function quickRemedies(context: RemedyContext, wanted: 'fit' | 'fill'): PricedRemedy[] {
  const kinds = remedies.map(remedy =>
    wanted === 'fit'
      ? new Kind(mildest(context, remedy.id, remedy.less(context)))
      : new Kind(boldest(context, remedy.id, remedy.more?.(context) ?? [])),
  );
  const best: PricedRemedy[] = [];
  while (best.length < MOST) {
    const next = kinds.reduce<Kind | null>((first, kind) => (kind.isBefore(first) ? kind : first), null);
    if (next === null) break;
    const priced = next.further();
    if (priced) best.push(priced.remedy);
  }
  return best;
}

type Success = Extract<Priced, { ok: true }>;

const fits = (priced: Success): boolean => priced.effect.verdict === 'fits';

/** Where a remedy stands among the others: the smaller the numbers, the earlier, the first one before the second. */
type Rank = readonly [worth: number, time: number];

const isLess = ([worth, time]: Rank, other: Rank): boolean =>
  worth < other[0] || (worth === other[0] && time < other[1]);

/** Fits before tight before exceeds; then options that keep the mathematics. */
const rankOf = ({ quality, time }: Price, verdict: Verdict): Rank => [
  (verdict === 'fits' ? 0 : verdict === 'exceeds' ? 4 : 2) + (quality === null ? 0 : 1),
  time,
];

/** At best an option fits. */
const bestRank = ({ price }: RemedyOption): Rank => rankOf(price, 'fits');

const earliest = (ranks: readonly Rank[]): Rank =>
  ranks.reduce((least, rank) => (isLess(rank, least) ? rank : least), [Infinity, Infinity]);

/** Works out one remedy; says before each step the earliest rank that it can still come to. */
type Search = Generator<Rank, Success | null, undefined>;

/** One kind of remedy, worked out so far. */
class Kind {
  /** The rank that it has, or the earliest that it can have; null: it has nothing, or is among those shown. */
  private rank: Rank | null = null;
  private found: Success | null = null;

  constructor(private readonly search: Search) {
    this.step();
  }

  /** Of equal ranks the first in the list comes first. */
  isBefore(other: Kind | null): boolean {
    if (this.rank === null) return false;
    return !other?.rank || isLess(this.rank, other.rank);
  }

  /** The remedy where it is worked out, once; else null, after one more step. */
  further(): Success | null {
    const { found } = this;
    if (found === null) this.step();
    else this.rank = this.found = null;
    return found;
  }

  private step(): void {
    const { done, value } = this.search.next();
    if (done !== true) this.rank = value;
    else {
      this.found = value;
      this.rank = value && rankOf(value.remedy.price, value.effect.verdict);
    }
  }
}

/** Tries options without an allocator replay first; of those that exceed, only the first is priced. */
function* mildest(context: RemedyContext, id: string, options: readonly RemedyOption[]): Search {
  const short: { readonly rank: Rank; readonly price: () => Success | null }[] = [];
  let tight: Success | null = null;
  // What is allocated alone exceeds the device: a replay finds no less. Measurements may.
  const shortRank = ({ price }: RemedyOption) => rankOf(price, context.lessons ? 'fits' : 'exceeds');
  for (const [i, option] of options.entries()) {
    const others = tight ? [rankOf(tight.remedy.price, tight.effect.verdict)] : short.map(({ rank }) => rank);
    yield earliest([...options.slice(i).map(bestRank), ...others]);
    const trial = trialOf(context, option.changes, TO_BE_REPLAYED);
    if (!trial || -(trial.deltaBytes ?? 0) < LEAST_BYTES) continue;
    // Fewer allocated bytes are not always fewer device bytes.
    const price = (): Success | null => helping(success(priceChanges(context, id, option, trial.run)));
    if (trial.exceeds) {
      short.push({ rank: shortRank(option), price });
      continue;
    }
    const priced = price();
    if (priced && fits(priced)) return priced;
    tight ??= priced;
  }
  if (tight) return tight;
  for (const [i, { price }] of short.entries()) {
    yield earliest(short.slice(i).map(({ rank }) => rank));
    const found = price();
    if (found) return found;
  }
  return null;
}

const helping = (priced: Success | null): Success | null =>
  (priced?.remedy.savedBytes ?? 0) >= LEAST_BYTES ? priced : null;

/** To fill memory: the largest step that still fits. */
function* boldest(context: RemedyContext, id: string, options: readonly RemedyOption[]): Search {
  const boldestFirst = options.toReversed();
  for (const [i, option] of boldestFirst.entries()) {
    yield earliest(boldestFirst.slice(i).map(bestRank));
    const trial = trialOf(context, option.changes, TO_BE_REPLAYED);
    if (!trial || trial.exceeds) continue;
    const priced = success(priceChanges(context, id, option, trial.run));
    if (priced && fits(priced)) return priced;
  }
  return null;
}

const success = (priced: Priced): Success | null => (priced.ok ? priced : null);
