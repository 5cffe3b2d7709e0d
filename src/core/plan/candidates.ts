import { commas } from '../text/lists';
import type { Say } from '../text/say';
import { bestFirst } from './bestFirst';
import type { PlanOptions } from './plan';
import type { Change } from '../spec/change';
import type { Price } from '../rules/remedy';
import type { RemedyContext, RemedyOption } from './remedy';
import { marginOf } from './serving';
import { changesAt, tradeOf } from './slots';
import type { Slot } from './slots';
import type { OversizedCombinations } from './oversizedCombinations';
import { MIB } from '../units';

/** Options of several remedies that are applied together. */
export interface Candidate {
  /** The option index of each slot. */
  readonly indices: readonly number[];
  readonly ids: readonly string[];
  readonly changes: readonly Change[];
  readonly price: Price;
  /** Sum of what the options give up of the result. */
  readonly trades: number;
  /** Gain toward the goal, as a factor. */
  readonly gain: number;
  /** Position in the order of all combinations, from 1. */
  readonly place: number;
}

/** Most combinations are rejected without an estimate; trying more would take too long. */
const MOST_TRIED = 100_000;

/**
 * Combinations of one option per remedy, best first for the goal. Skips combinations without any benefit for it, or
 * that are known to exceed this device.
 */
export function* candidatesOf(
  slots: readonly Slot[],
  context: RemedyContext,
  options: PlanOptions,
  oversized: () => OversizedCombinations,
): Generator<Candidate> {
  let place = 0;
  for (const { indices } of bestFirst(slots.map(slot => slot.options.map(({ cost }) => cost)))) {
    if (place === MOST_TRIED) return;
    place += 1;
    if (oversized().knows(indices)) continue;
    const candidate = candidateOf(context.say, slots, indices, place);
    if (candidate.changes.length > 0 && isWanted(candidate, context, options)) yield candidate;
  }
}

/** Number of combinations, up to the limit. */
export const countOf = (slots: readonly Slot[]): number =>
  Math.min(
    MOST_TRIED,
    slots.reduce((count, { options }) => count * options.length, 1),
  );

/** Memory of a device that a plan may take; Infinity if the device's memory is unknown. */
export function roomOf({ run, target }: RemedyContext, options: Pick<PlanOptions, 'margin'>): number {
  return target ? (target.usableMiB - target.busyMiB) * MIB * marginOf(run, options) : Infinity;
}

function candidateOf(say: Say, slots: readonly Slot[], indices: readonly number[], place: number): Candidate {
  const chosen = slots.flatMap((slot, i) => {
    const option = slot.options[indices[i] ?? 0]?.option ?? null;
    return option === null ? [] : [{ id: slot.remedy.id, option }];
  });
  return {
    indices,
    ids: chosen.map(({ id }) => id),
    changes: changesAt(slots, indices),
    price: priceOf(
      say,
      chosen.map(({ option }) => option),
    ),
    trades: chosen.reduce((sum, { option }) => sum + tradeOf(option.price), 0),
    gain: chosen.reduce((product, { option }) => product * (option.gain ?? 1), 1),
    place,
  };
}

/** Combined price of several options. */
export function priceOf(say: Say, options: readonly RemedyOption[]): Price {
  const words = (of: (price: Price) => string | null | undefined): string | null =>
    commas(
      say,
      options.flatMap(({ price }) => of(price) ?? []),
    ) || null;
  const requires = words(price => price.requires);
  return {
    time: options.reduce((product, { price }) => product * price.time, 1),
    speed: words(({ speed }) => speed),
    ...(requires !== null && { requires }),
    quality: words(({ quality }) => quality),
    trade: options.reduce((sum, { price }) => sum + tradeOf(price), 0),
  };
}

/** True if the combination serves the goal. */
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
    case 'cheapest':
      // Filling memory should save time; a requested batch is sufficient reason on its own.
      return price.time < 1 || samplesPerGpu !== null;
    case 'longest':
    case 'largest':
    case 'steps':
      return gain > 1;
  }
}
