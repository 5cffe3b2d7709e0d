import { bestFirst } from './bestFirst';
import { trialOf } from './effect';
import type { PlanOptions } from './plan';
import type { Change, Price, RemedyContext, RemedyOption } from './remedy';
import { marginOf } from './serving';
import { tradeOf } from './slots';
import type { Slot } from './slots';

const MIB = 2 ** 20;

/** Options of several remedies, to be done together. */
export interface Candidate {
  readonly ids: readonly string[];
  readonly changes: readonly Change[];
  readonly price: Price;
  /** What of the result is given up, added up. */
  readonly trades: number;
  /** How much more of what the goal wants, as a factor. */
  readonly gain: number;
  /** Which in the order of all combinations it is, from 1. */
  readonly place: number;
  /** What a device has to hold at least with what it trades or gains, whatever free remedies do beside; null: not known. */
  readonly floorBytes: number | null;
}

/** Combinations are made one after the other and most are turned away unestimated; nobody waits for more than these. */
const MOST_TRIED = 100_000;

/**
 * Combinations of one option per remedy, best first for the goal, without those that bring nothing of it or that cannot
 * be enough on this device, whatever else is done.
 */
export function* candidatesOf(
  slots: readonly Slot[],
  context: RemedyContext,
  options: PlanOptions,
): Generator<Candidate> {
  const floorOf = floors(context, slots);
  const room = roomOf(context, options);
  let place = 0;
  for (const { indices } of bestFirst(slots.map(slot => slot.options.map(({ cost }) => cost)))) {
    if (place === MOST_TRIED) return;
    place += 1;
    const candidate = candidateOf(slots, indices, place);
    if (candidate.changes.length === 0 || !isWanted(candidate, context, options)) continue;
    const floorBytes = floorOf(indices);
    if (floorBytes === null || floorBytes <= room) yield { ...candidate, floorBytes };
  }
}

/** What a plan may take of a device; Infinity where its memory is not known. */
export function roomOf({ run, target }: RemedyContext, options: Pick<PlanOptions, 'margin'>): number {
  return target ? (target.usableMiB - target.busyMiB) * MIB * marginOf(run, options) : Infinity;
}

/**
 * What has to be there with what a combination trades, or gains: with every free remedy at its leanest. Asked once for
 * all combinations that differ in free remedies only.
 */
function floors(context: RemedyContext, slots: readonly Slot[]) {
  const known = new Map<string, number | null>();
  return (indices: readonly number[]): number | null => {
    const key = slots.map((slot, i) => (slot.isFree ? -1 : (indices[i] ?? 0))).join();
    const before = known.get(key);
    if (before !== undefined) return before;
    const changes = slots.flatMap((slot, i) => {
      const option = slot.isFree ? slot.leanest?.option : slot.options[indices[i] ?? 0]?.option;
      return option?.changes ?? [];
    });
    const floor = trialOf(context, changes)?.leastBytes ?? null;
    known.set(key, floor);
    return floor;
  };
}

function candidateOf(slots: readonly Slot[], indices: readonly number[], place: number): Candidate {
  const chosen = slots.flatMap((slot, i) => {
    const option = slot.options[indices[i] ?? 0]?.option ?? null;
    return option === null ? [] : [{ id: slot.remedy.id, option }];
  });
  return {
    ids: chosen.map(({ id }) => id),
    changes: chosen.flatMap(({ option }) => option.changes),
    price: priceOf(chosen.map(({ option }) => option)),
    trades: chosen.reduce((sum, { option }) => sum + tradeOf(option.price), 0),
    gain: chosen.reduce((product, { option }) => product * (option.gain ?? 1), 1),
    place,
    floorBytes: null,
  };
}

function priceOf(options: readonly RemedyOption[]): Price {
  const words = (of: (price: Price) => string | null): string | null =>
    options.flatMap(({ price }) => of(price) ?? []).join(', ') || null;
  return {
    time: options.reduce((product, { price }) => product * price.time, 1),
    speed: words(({ speed }) => speed),
    quality: words(({ quality }) => quality),
    trade: options.reduce((sum, { price }) => sum + tradeOf(price), 0),
  };
}

/** It brings what the goal is about. */
function isWanted(
  { price, gain }: Candidate,
  { samplesPerGpu }: RemedyContext,
  { goal }: PlanOptions,
): boolean {
  switch (goal) {
    case 'fit':
    case 'fewest':
      return true;
    case 'fill':
    case 'fastest':
      // To fill memory is to save time; a batch that was asked for is reason enough by itself.
      return price.time < 1 || samplesPerGpu !== null;
    case 'longest':
    case 'largest':
      return gain > 1;
  }
}
