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

/** Options of several remedies, to be done together. */
export interface Candidate {
  /** The option of each slot. */
  readonly indices: readonly number[];
  readonly ids: readonly string[];
  readonly changes: readonly Change[];
  readonly price: Price;
  /** What of the result is given up, added up. */
  readonly trades: number;
  /** How much more of what the goal wants, as a factor. */
  readonly gain: number;
  /** Which in the order of all combinations it is, from 1. */
  readonly place: number;
}

/** Combinations are made one after the other and most are turned away unestimated; more would take too long. */
const MOST_TRIED = 100_000;

/**
 * Combinations of one option per remedy, best first for the goal, without those that bring nothing of it or that are
 * known not to be enough on this device.
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
    const candidate = candidateOf(slots, indices, place);
    if (candidate.changes.length > 0 && isWanted(candidate, context, options)) yield candidate;
  }
}

/** How many there are, as far as they would be looked at. */
export const countOf = (slots: readonly Slot[]): number =>
  Math.min(
    MOST_TRIED,
    slots.reduce((count, { options }) => count * options.length, 1),
  );

/** What a plan may take of a device; Infinity where its memory is not known. */
export function roomOf({ run, target }: RemedyContext, options: Pick<PlanOptions, 'margin'>): number {
  return target ? (target.usableMiB - target.busyMiB) * MIB * marginOf(run, options) : Infinity;
}

function candidateOf(slots: readonly Slot[], indices: readonly number[], place: number): Candidate {
  const chosen = slots.flatMap((slot, i) => {
    const option = slot.options[indices[i] ?? 0]?.option ?? null;
    return option === null ? [] : [{ id: slot.remedy.id, option }];
  });
  return {
    indices,
    ids: chosen.map(({ id }) => id),
    changes: changesAt(slots, indices),
    price: priceOf(chosen.map(({ option }) => option)),
    trades: chosen.reduce((sum, { option }) => sum + tradeOf(option.price), 0),
    gain: chosen.reduce((product, { option }) => product * (option.gain ?? 1), 1),
    place,
  };
}

/** The price of several options together. */
export function priceOf(options: readonly RemedyOption[]): Price {
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
    case 'steps':
      return gain > 1;
  }
}
