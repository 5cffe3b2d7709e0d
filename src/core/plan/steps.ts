import { commas } from '../text/lists';
import { changed } from '../dialects/change';
import type { Signal } from '../signal';
import { scalarsOf } from '../spec/scalarKeys';
import { formatBytes } from '../units';
import { arithmetic } from './arithmetic';
import { priceOf, roomOf } from './candidates';
import { effectOf } from './effect';
import { holdsElsewhere } from './elsewhere';
import { scaledRates } from './learningRate';
import { modelOfRun } from './modelSizes';
import { NO_PLANS } from './plan';
import type { Plan, PlanOptions, PlanSearch, StepKind } from './plan';
import { priceChanges } from './price';
import { layers, LAYER_KEYS } from './remedies/layers';
import { largerBatches } from './remedies/microBatch';
import { modelSize } from './remedies/modelSize';
import { rank } from './remedies/rank';
import { width, WIDTH_KEYS } from './remedies/width';
import type { Remedy, RemedyContext, RemedyOption } from './remedy';
import { isRoomy } from './serving';
import { refusalOf } from './slots';
import type { Rejected } from './slots';
import type { Pause } from './walk';
import { said, template } from '../text/say';
import type { Template } from '../text/say';

/** The options of one step, largest first. */
interface StepRow {
  readonly kind: StepKind;
  readonly label: Template;
  readonly options: (context: RemedyContext) => readonly RemedyOption[];
}

const STEPS: readonly StepRow[] = [
  { kind: 'batch', label: template('a larger batch'), options: largerBatches },
  { kind: 'capacity', label: template('more layers, width or rank'), options: capacities },
  { kind: 'backbone', label: template('a larger backbone'), options: context => towards(modelSize, context) },
];

/** A model that is larger by this factor trains differently; one step does not exceed it. */
const MOST_CAPACITY = 8;

function towards(remedy: Remedy, context: RemedyContext): readonly RemedyOption[] {
  const options = remedy.towards?.options(context) ?? [];
  return options.toSorted((a, b) => (b.gain ?? 1) - (a.gain ?? 1));
}

/** Options for width, layers and adapter rank, separately and together, largest first. */
function capacities(context: RemedyContext): readonly RemedyOption[] {
  let all: RemedyOption[][] = [[]];
  for (const remedy of [width, layers, rank]) {
    const more = towards(remedy, context);
    all = all.flatMap(parts => [parts, ...more.map(option => [...parts, option])]);
  }
  return all
    .filter(parts => parts.length > 0)
    .map(parts => ({
      changes: parts.flatMap(({ changes }) => changes),
      price: priceOf(context.say, parts),
      gain: parts.reduce((product, { gain = 1 }) => product * gain, 1),
    }))
    .filter(({ gain }) => gain <= MOST_CAPACITY)
    .sort((a, b) => b.gain - a.gain);
}

/** The steps so far, applied to the files. */
interface StepsSoFar {
  readonly done: readonly RemedyOption[];
  readonly context: RemedyContext;
  readonly plans: readonly Plan[];
}

/**
 * Batch, capacity, backbone: each step is a plan that includes those before it. A step is as large as possible
 * while the smallest option of each later step still fits.
 */
export async function searchSteps(
  start: RemedyContext,
  options: PlanOptions,
  pause: Pause,
  signal: Signal,
): Promise<PlanSearch> {
  if (!start.estimate) return NO_PLANS;
  const rejected: Rejected[] = [];
  let soFar: StepsSoFar = { done: [], context: start, plans: [] };
  let tried = 0;
  const rows = STEPS.filter(row => row.options(start).length > 0);
  for (const row of STEPS.filter(one => !rows.includes(one))) rejected.push(noneOf(row, start));
  for (const [i, row] of rows.entries()) {
    await pause();
    if (signal.aborted) return NO_PLANS;
    const step = stepOf(start, soFar, rows.slice(i), options);
    tried += step.tried;
    if ('why' in step) rejected.push({ remedy: said(start.say, row.label), why: step.why });
    else soFar = step.soFar;
  }
  return { ...NO_PLANS, plans: soFar.plans, tried, rejected };
}

type Step = { readonly tried: number } & ({ readonly soFar: StepsSoFar } | { readonly why: string });

/**
 * The largest option that the files accept and that leaves room for later steps; if there is none, the largest that
 * fits.
 */
function stepOf(
  start: RemedyContext,
  soFar: StepsSoFar,
  rows: readonly StepRow[],
  options: PlanOptions,
): Step {
  const [row, ...later] = rows;
  if (!row) return { tried: 0, why: '' };
  const refusals = new Set<string>();
  let [tried, least] = [0, Infinity];
  let alone: StepsSoFar | null = null;
  for (const option of row.options(soFar.context)) {
    const why = refusalOf(option, soFar.context, options);
    if (why !== null) {
      refusals.add(why);
      continue;
    }
    tried += 1;
    const plan = planAt(start, soFar, row, option);
    least = Math.min(least, plan?.after.device.expected ?? Infinity);
    if (!plan || !isGood(start, plan, options)) continue;
    const next = onwards(start, soFar, plan, option);
    if (leavesRoom(start, next, later, options)) return { tried, soFar: next };
    alone ??= next;
  }
  if (alone) return { tried, soFar: alone };
  const isKnown = tried > 0 && least < Infinity;
  return {
    tried,
    why: isKnown ? start.say('it needs {0} at least', formatBytes(least)) : [...refusals].join('; '),
  };
}

const isGood = (start: RemedyContext, plan: Plan, options: PlanOptions): boolean =>
  plan.after.device.expected <= roomOf(start, options) &&
  isRoomy(start, plan.after, options) &&
  holdsElsewhere(start, plan.changes, options);

/** True if the smallest option of each later step still fits. */
function leavesRoom(
  start: RemedyContext,
  soFar: StepsSoFar,
  rows: readonly StepRow[],
  options: PlanOptions,
): boolean {
  const [row, ...later] = rows;
  if (!row) return true;
  const isWanted = (one: RemedyOption): boolean => refusalOf(one, soFar.context, options) === null;
  const option = row.options(soFar.context).findLast(isWanted);
  if (!option) return leavesRoom(start, soFar, later, options);
  const plan = planAt(start, soFar, row, option);
  if (!plan || !isGood(start, plan, options)) return false;
  return later.length === 0 || leavesRoom(start, onwards(start, soFar, plan, option), later, options);
}

/** The plan of all steps so far plus one more option. */
function planAt(
  start: RemedyContext,
  { done, plans }: StepsSoFar,
  { kind }: StepRow,
  option: RemedyOption,
): Plan | null {
  const all = [...done, option];
  const changes = all.flatMap(one => one.changes);
  const id = [...plans.map(({ step }) => step?.kind ?? ''), kind].join('+');
  const priced = priceChanges(start, id, { changes, price: priceOf(start.say, all) });
  const after = priced.ok ? priced.effect.estimate?.devices[0] : undefined;
  if (!priced.ok || !after) return null;
  const before = plans.at(-1)?.edits ?? [];
  const isNew = ({ file, path, to }: Plan['edits'][number]): boolean =>
    !before.some(one => one.file === file && one.path === path && one.to === to);
  return {
    ...priced.remedy,
    before: start.estimate?.devices[0] ?? null,
    after,
    arithmetic: arithmetic(start, priced.effect),
    reason: said(start.say, REASONS[kind]),
    gpus: null,
    step: {
      kind,
      edits: priced.remedy.edits.filter(isNew),
      share: after.capacityBytes === null ? null : after.device.expected / after.capacityBytes,
      rates: scaledRates(start.run, priced.effect.run),
    },
  };
}

const REASONS: Readonly<Record<StepKind, Template>> = {
  batch: template('batch first: fewer, larger steps'),
  capacity: template('then capacity: the model learns more, and each step takes longer'),
  backbone: template('then the backbone: a larger model of the same series'),
};

/** The context after a step, for the next step. */
function onwards(
  start: RemedyContext,
  { done, plans }: StepsSoFar,
  plan: Plan,
  option: RemedyOption,
): StepsSoFar {
  const run = changed(start.run, plan.changes);
  const context = {
    ...start,
    run,
    model: modelOfRun(start, run),
    estimate: effectOf(start, plan.changes).estimate,
  };
  return { done: [...done, option], plans: [...plans, plan], context };
}

/** Why a kind of step is not available. */
function noneOf({ kind, label }: StepRow, { run, say }: RemedyContext): Rejected {
  const isSize = (name: string): boolean => WIDTH_KEYS.has(name) || LAYER_KEYS.has(name);
  const unread = kind === 'capacity' ? scalarsOf(run).filter(({ name }) => isSize(name)) : [];
  const why =
    unread.length > 0
      ? say(
          'the estimate does not count {0}; headroom profile --entry measures it',
          commas(
            say,
            unread.map(({ path }) => path),
          ),
        )
      : kind === 'backbone' && run.ownModel
        ? say('the config builds its model itself')
        : said(say, NONE[kind]);
  return { remedy: said(say, label), why };
}

const NONE: Readonly<Record<StepKind, Template>> = {
  batch: template('no key sets the batch of a GPU'),
  capacity: template('no key sets layers, width or rank'),
  backbone: template('the model is the largest of its series, or in none that is known'),
};
