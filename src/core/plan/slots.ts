import { editsFor } from '../dialects/write';
import { perDevice } from './batch';
import { compareCosts } from './bestFirst';
import type { Cost } from './bestFirst';
import { trialOf } from './effect';
import type { Goal, PlanOptions } from './plan';
import { remedies } from './remedies/registry';
import type { Change } from '../spec/change';
import type { Price } from '../rules/remedy';
import type { Remedy, RemedyContext, RemedyOption } from './remedy';
import { said } from '../text/say';

/** An option of a slot, or none (null), with its cost for the goal. */
export interface SlotOption {
  readonly option: RemedyOption | null;
  readonly cost: Cost;
  /** Relative to the current ones; empty if the remedy decides more than sizes. */
  readonly sizes: readonly number[];
}

/** The options of one remedy, cheapest first, usually with the option to do nothing. */
export interface Slot {
  readonly remedy: Remedy;
  readonly options: readonly SlotOption[];
  /** It neither changes the result nor serves the goal: affects only memory, time and keys. */
  readonly isFree: boolean;
  /** Its options differ only in sizes. */
  readonly isSized: boolean;
  /** For each option the smaller ones, smallest first; each is nowhere larger than the next. */
  readonly chains: readonly (readonly number[])[];
  /** The option that needs the least memory by itself. */
  readonly leanest: { readonly option: RemedyOption; readonly deltaBytes: number } | null;
}

export interface Rejected {
  readonly remedy: string;
  readonly why: string;
}

/** The options of each remedy that the files can express and the user allows, and why other remedies have none. */
export function slotsOf(context: RemedyContext, options: PlanOptions) {
  const slots: Slot[] = [];
  const rejected: Rejected[] = [];
  for (const remedy of remedies) {
    const refusals = new Set<string>();
    const writable = offersOf(remedy, context, options).filter(option => {
      const why = refusalOf(option, context, options);
      if (why !== null) refusals.add(why);
      return why === null;
    });
    if (writable.length > 0) slots.push(slotOf(remedy, writable, context, options));
    else for (const why of refusals) rejected.push({ remedy: said(context.say, remedy.label), why });
  }
  return { slots, rejected };
}

/** Goals that may change what is learned, to fit at all. */
const FITS: ReadonlySet<Goal> = new Set<Goal>(['fit', 'fewest']);

/** To fill memory: undo a remedy or enlarge the batch, combined with changes that cost no time. */
function offersOf(remedy: Remedy, context: RemedyContext, { goal }: PlanOptions): readonly RemedyOption[] {
  const less = remedy.changesTask && !FITS.has(goal) ? [] : remedy.less(context);
  const more = remedy.more?.(context) ?? [];
  switch (goal) {
    case 'fit':
    case 'fewest':
      return less;
    case 'fill':
      return [...more, ...less.filter(({ price }) => price.time <= 1 && price.quality === null)];
    case 'fastest':
    case 'cheapest':
      return [...more, ...less];
    case 'longest':
    case 'largest':
    case 'steps':
      return remedy.towards?.goal === goal ? remedy.towards.options(context) : [...less, ...more];
  }
}

/** Why the files or the user refuse an option; null: they accept it. */
export function refusalOf(option: RemedyOption, context: RemedyContext, options: PlanOptions): string | null {
  const { quality } = option.price;
  if (quality !== null && !options.mayTrade) return context.say('it changes the result: {0}', quality);
  const written = editsFor(context.run, option.changes);
  if (!written.ok) return written.why;
  const paths = written.edits.flatMap(({ path, keys = [path] }) => keys);
  const kept = paths.find(path => options.keep?.some(key => isKey(path, key)));
  return kept === undefined ? null : context.say('you asked to keep {0}', kept);
}

const isKey = (path: string, key: string): boolean => path === key || path.endsWith(`.${key}`);

function slotOf(
  remedy: Remedy,
  writable: readonly RemedyOption[],
  context: RemedyContext,
  options: PlanOptions,
): Slot {
  const isSized = writable.every(({ sizes }) => sizes !== undefined);
  const choices = writable.map(option => {
    return { option, cost: costOf(option, options), sizes: isSized ? (option.sizes ?? []) : [] };
  });
  const asIs = choices[0]?.sizes.map(() => 1) ?? [];
  const nothing: SlotOption = { option: null, cost: NO_COST, sizes: asIs };
  const all = [...(mayIdle(remedy, context) ? [nothing] : []), ...choices].sort((a, b) =>
    compareCosts(a.cost, b.cost),
  );
  const chains = isSized ? chainsOf(all) : [];
  let leanest: Slot['leanest'] | undefined;
  return {
    remedy,
    options: all,
    isFree: writable.every(({ price, gain }) => price.quality === null && gain === undefined),
    isSized,
    chains,
    // Lazy: most slots are never asked.
    get leanest() {
      leanest = leanest === undefined ? leanestOf(smallestOf(all, chains) ?? writable, context) : leanest;
      return leanest;
    },
  };
}

/** True if a step has the requested number of samples without this remedy. */
function mayIdle({ setsBatch }: Remedy, { run, samplesPerGpu }: RemedyContext): boolean {
  const now = perDevice(run) ?? 0;
  return !setsBatch || samplesPerGpu === null || (now >= samplesPerGpu.least && now <= samplesPerGpu.most);
}

/** The changes of a combination. */
export const changesAt = (slots: readonly Slot[], indices: readonly number[]): readonly Change[] =>
  slots.flatMap((slot, i) => slot.options[indices[i] ?? 0]?.option?.changes ?? []);

function chainsOf(options: readonly SlotOption[]): readonly (readonly number[])[] {
  const sum = (i: number): number => options[i]?.sizes.reduce((total, size) => total + size, 0) ?? 0;
  const within = (a: number, b: number): boolean =>
    options[a]?.sizes.every((size, i) => size <= (options[b]?.sizes[i] ?? 0)) ?? false;
  // Of equals the first counts as the smaller one.
  const bySize = [...options.keys()].sort((a, b) => sum(a) - sum(b) || a - b);
  return options.map((_, from) => {
    const chain: number[] = [];
    // From large to small, so that each is within the one before it.
    for (const next of bySize.slice(0, bySize.indexOf(from)).toReversed()) {
      if (within(next, chain.at(-1) ?? from)) chain.push(next);
    }
    return chain.reverse();
  });
}

/** The option that is smallest in every size; null if there is none. */
function smallestOf(
  options: readonly SlotOption[],
  chains: readonly (readonly number[])[],
): readonly RemedyOption[] | null {
  const smallest = chains.findIndex((_, at) => chains.every((chain, i) => i === at || chain.includes(at)));
  const option = options[smallest]?.option;
  return option ? [option] : null;
}

const NO_COST: Cost = [0, 0, 0, 0];

/** How much a price gives up of the result; 0: nothing. */
export const tradeOf = ({ quality, trade = 1 }: Price): number => (quality === null ? 0 : trade);

/** Largest gain first, then least change of the mathematics, then fastest, then fewest keys. */
function costOf({ gain = 1, price, changes }: RemedyOption, { goal }: PlanOptions): Cost {
  const trades = tradeOf(price);
  const time = Math.log2(price.time);
  const first = -Math.log2(gain);
  return goal === 'fastest' ? [first, time, trades, changes.length] : [first, trades, time, changes.length];
}

function leanestOf(options: readonly RemedyOption[], context: RemedyContext): Slot['leanest'] {
  const trials = options.map(option => {
    const deltaBytes = trialOf(context, option.changes)?.deltaBytes ?? 0;
    return { option, deltaBytes };
  });
  return trials.filter(one => one.deltaBytes < 0).sort((a, b) => a.deltaBytes - b.deltaBytes)[0] ?? null;
}
