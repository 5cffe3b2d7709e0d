import { commas } from '../text/lists';
import type { Say } from '../text/say';
import { batchMark } from './price';
import { keyEditsOn } from '../dialects/write';
import { stepsOf } from '../dialects/change';
import { arithmetic } from './arithmetic';
import { effectOn } from './effect';
import { carriedTo, holds } from './elsewhere';
import type { Part } from './elsewhere';
import type { Plan, PlanOptions } from './plan';
import { editsTitle, effectText, sharedFiles } from './price';
import type { KeyEdit } from '../yaml/keyEdit';
import type { RemedyContext } from './remedy';
import { slotsOf } from './slots';
import type { Slot } from './slots';
import { walk } from './walk';
import type { Found, Pause } from './walk';
import type { Signal } from '../signal';

/** Number of plans for the first run that are extended to the others. */
const MOST_EXTENDED = 3;

/**
 * Plans that hold for all runs of a config. If no plan for the largest run does, applies its plan and searches for
 * what the next remaining run still needs. Null if aborted.
 */
export async function walkTogether(
  context: RemedyContext,
  slots: readonly Slot[],
  options: PlanOptions,
  pause: Pause,
  signal: Signal,
): Promise<{ readonly plans: readonly Plan[]; readonly tried: number } | null> {
  const all = await walk(context, slots, options, pause, signal);
  if (all === null) return null;
  const plans = all.found.map(({ plan }) => plan);
  const { others = [] } = context;
  if (plans.length > 0 || others.length === 0 || options.goal !== 'fit') return { plans, tried: all.tried };
  const alone = await walk({ ...context, others: [] }, slots, options, pause, signal);
  if (alone === null) return null;
  const extended: Plan[] = [];
  for (const found of alone.found.slice(0, MOST_EXTENDED)) {
    const plan = await extendedOver(context, others, found, options, pause, signal);
    if (plan) extended.push(plan);
  }
  return { plans: extended, tried: all.tried + alone.tried };
}

/** A plan for the first run, extended by what the others need; null if one of them cannot be made to fit. */
async function extendedOver(
  context: RemedyContext,
  others: readonly RemedyContext[],
  { candidate, plan }: Found,
  options: PlanOptions,
  pause: Pause,
  signal: Signal,
): Promise<Plan | null> {
  const parts: Part[] = [{ run: context.run, changes: candidate.changes }];
  const ids = [...candidate.ids];
  let { price } = plan;
  for (const other of others) {
    const now = contextAfter(other, parts);
    if (holds(now, options)) continue;
    const before = [context, ...others].filter(one => one !== other).map(one => contextAfter(one, parts));
    const done = before.filter(one => holds(one, options));
    const extended = { ...now, others: done };
    const more = await walk(extended, slotsOf(extended, options).slots, options, pause, signal);
    const [first] = more?.found ?? [];
    if (!first) return null;
    parts.push({ run: now.run, changes: first.candidate.changes });
    ids.push(...first.candidate.ids);
    price = together(context.say, price, first.plan.price);
  }
  return combined(context, plan, { parts, ids, price });
}

/** The context after all changes so far. */
const contextAfter = (context: RemedyContext, parts: readonly Part[]): RemedyContext =>
  parts.reduce(carriedTo, context);

/** Runs of one config run in sequence; the slower of the two counts. */
const together = (say: Say, a: Plan['price'], b: Plan['price']): Plan['price'] => ({
  time: Math.max(a.time, b.time),
  speed: joined(say, a.speed, b.speed),
  ...requirementsOf(say, a, b),
  quality: joined(say, a.quality, b.quality),
});

/** What two plans require together; none where neither requires anything. */
function requirementsOf(say: Say, a: Plan['price'], b: Plan['price']): Pick<Plan['price'], 'requires'> {
  const requires = joined(say, a.requires ?? null, b.requires ?? null);
  return requires === null ? {} : { requires };
}

const joined = (say: Say, a: string | null, b: string | null): string | null =>
  commas(say, [...new Set([a, b].filter(text => text !== null))]) || null;

interface Done {
  readonly parts: readonly Part[];
  readonly ids: readonly string[];
  readonly price: Plan['price'];
}

function combined(context: RemedyContext, plan: Plan, { parts, ids, price }: Done): Plan | null {
  const edits = editsOf(context, parts);
  const effect = effectOn(context, contextAfter(context, parts).run);
  const device = effect.estimate?.devices[0];
  if (edits === null || !device) return null;
  return {
    ...plan,
    id: [...new Set(ids)].join('+'),
    title: editsTitle(context.say, edits),
    effect: effectText(context, effect, price, sharedFiles(context, edits)),
    savedBytes: effect.deltaBytes === null ? null : -effect.deltaBytes,
    ...batchMark(context, effect),
    price,
    changes: parts.flatMap(({ changes }) => changes),
    edits,
    after: device,
    arithmetic: arithmetic(context, effect),
  };
}

/** The edits of all changes; if a key changes more than once, the last change wins. */
function editsOf(context: RemedyContext, parts: readonly Part[]): readonly KeyEdit[] | null {
  const sources = [context, ...(context.others ?? [])].flatMap(({ run }) => run.sources);
  return keyEditsOn(
    sources,
    parts.flatMap(({ run, changes }) => stepsOf(run, changes)),
  );
}
