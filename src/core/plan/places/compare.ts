import { PLACE_KINDS } from '../../compare/place';
import type { Place } from '../../compare/place';
import type { Target } from '../../hardware/gpu';
import { priceOf } from '../../hardware/price';
import type { DataLengths } from '../../learn/dataLengths';
import { estimated } from '../../learn/publishedRows';
import type { Lessons } from '../../learn/learned';
import type { MemorySession } from '../../memory/session';
import type { ModelFacts } from '../../models/model';
import type { Signal } from '../../signal';
import type { RunSpec } from '../../spec/runSpec';
import { MIB } from '../../units';
import { mildestPlans } from '../mildest';
import { hasSpeed, runSpeed } from '../speed';
import type { PlanOptions } from '../plan';
import type { RemedyContext } from '../remedy';
import type { Pause } from '../walk';
import type { Answer, ComparedPlace, Fit } from './fit';
import { largestBatches } from './largestBatch';
import { contextBytes, libraryWorkspaces } from '../../memory/context';
import { hasFlash } from '../../memory/setup/recompute';
import { english } from '../../text/say';
import type { Say } from '../../text/say';

/**
 * The traits of a device that affect estimates and remedies in addition to its memory: devices with the same
 * traits, memory and count give the same estimate. If an estimate uses another property of a device, add it here; a
 * test over the catalog checks this.
 */
export function deviceTraits(target: Target): string {
  const { gpu, count, nodes } = target;
  const flash = `${hasFlash(target)} ${gpu?.supports.flashAttention2 ?? null}`;
  return [libraryWorkspaces(target, 1)[0], contextBytes(target), flash, count, nodes].join(' ');
}

export interface CompareOptions extends Pick<PlanOptions, 'margin' | 'mayTrade'> {
  /** Also compute fixes and batches, which takes longer than the verdicts. */
  readonly details: boolean;
}

/** A run to compare, whatever target it was analyzed with. */
interface ComparedRun {
  readonly run: RunSpec;
  readonly model: ModelFacts | null;
  /** Measurements for the run; absent: none count. */
  readonly lessons?: Lessons | undefined;
  /** The data's lengths; absent or null: not counted. */
  readonly data?: DataLengths | null;
  /** Shared between estimates; absent: each is computed separately. */
  readonly memory?: MemorySession | undefined;
  /** Absent: English. */
  readonly say?: Say;
}

/** Estimates between two pauses. */
const SLICE = 4;

/**
 * The verdicts of a run in all places, in their order; the same as judging each place alone. Places that an
 * estimate cannot distinguish are computed once, and fixes and batches in one pass over all memory sizes of a kind
 * of GPU. Null once `signal` is aborted.
 */
export async function comparePlaces(
  compared: ComparedRun,
  places: readonly Place[],
  options: CompareOptions,
  pause: Pause,
  signal: Signal,
): Promise<readonly ComparedPlace[] | null> {
  const fits = new Map<string, Fit>();
  const { lessons } = compared;
  for (const targets of groupTargets(
    places.map(place => place.target),
    lessons,
  )) {
    const contexts: RemedyContext[] = [];
    for (const [i, target] of targets.entries()) {
      if (i % SLICE === SLICE - 1) await pause();
      if (signal.aborted) return null;
      const { context, fit } = judged(compared, target);
      contexts.push(context);
      fits.set(keyOf(target, lessons), fit);
    }
    if (!options.details) continue;
    const done = await addDetails(contexts, fits, options, pause, signal);
    if (!done) return null;
  }
  return places.map(place =>
    comparedPlace(compared, place, fits.get(keyOf(place.target, lessons)) ?? UNKNOWN),
  );
}

const UNKNOWN: Fit = {
  verdict: 'unknown',
  estimate: null,
  need: null,
  headroomBytes: null,
  fix: null,
  largestBatch: null,
  missing: [],
  evidence: null,
};

/** The memory that a program can have now. */
const roomMiB = ({ usableMiB, busyMiB }: Target): number => usableMiB - busyMiB;

/** Measurements only hold for the GPU that they were made on. */
const kindOf = (target: Target, lessons: Lessons | undefined): string =>
  (lessons?.measurements.length ?? 0) > 0
    ? `${deviceTraits(target)}|${target.gpu?.name ?? ''}`
    : deviceTraits(target);

const keyOf = (target: Target, lessons: Lessons | undefined): string =>
  `${kindOf(target, lessons)}|${target.totalMiB}|${roomMiB(target)}`;

/**
 * Groups targets that differ only in memory, most room first, with one target for all that an estimate cannot
 * distinguish.
 */
function groupTargets(
  targets: readonly Target[],
  lessons: Lessons | undefined,
): readonly (readonly Target[])[] {
  const different = new Map(targets.map(target => [keyOf(target, lessons), target]));
  const groups = new Map<string, Target[]>();
  for (const target of different.values()) {
    const kind = kindOf(target, lessons);
    groups.set(kind, [...(groups.get(kind) ?? []), target]);
  }
  return [...groups.values()].map(group => group.sort((a, b) => roomMiB(b) - roomMiB(a)));
}

function judged(
  { run, model, lessons, memory, say = english }: ComparedRun,
  target: Target,
): { context: RemedyContext; fit: Fit } {
  const { result, evidence } = estimated({ run, model, target, lessons }, { session: memory });
  const estimate = result.ok ? result.estimate : null;
  const device = estimate?.devices[0];
  const fit: Fit = {
    ...UNKNOWN,
    verdict: device?.verdict ?? 'unknown',
    estimate,
    need: device?.device ?? null,
    headroomBytes: device ? roomMiB(target) * MIB - device.device.expected : null,
    missing: result.ok ? [] : result.missing,
    evidence,
  };
  return { context: { run, model, target, estimate, samplesPerGpu: null, lessons, say }, fit };
}

async function addDetails(
  contexts: readonly RemedyContext[],
  fits: Map<string, Fit>,
  options: CompareOptions,
  pause: Pause,
  signal: Signal,
): Promise<boolean> {
  const known = contexts.filter(context => context.estimate !== null);
  const isShort = ({ target, lessons }: RemedyContext): boolean =>
    target !== null && ['tight', 'exceeds'].includes(fits.get(keyOf(target, lessons))?.verdict ?? '');
  const short = known.filter(isShort);
  const plans = await mildestPlans(short, { ...options, goal: 'fit' }, pause, signal);
  const batches = plans && (await largestBatches(known, pause, signal));
  if (!plans || !batches) return false;
  for (const [i, context] of known.entries()) {
    if (!context.target) continue;
    const key = keyOf(context.target, context.lessons);
    const fix = plans[short.indexOf(context)] ?? null;
    fits.set(key, { ...(fits.get(key) ?? UNKNOWN), fix, largestBatch: batches[i] ?? null });
  }
  return true;
}

function comparedPlace(compared: ComparedRun, place: Place, fit: Fit): ComparedPlace {
  const { run, memory } = compared;
  const needsGpus = run.quantities.gpus.value;
  const takesGpus = needsGpus ?? place.target.count ?? 1;
  const isShort = place.gpus !== null && takesGpus > place.gpus;
  const answer = isShort ? 'too-few' : answerOf(fit);
  const price = place.kind === 'catalog' ? priceOf(place.target.name) : null;
  const timed = { ...compared, target: place.target, estimate: fit.estimate };
  const speed = hasSpeed(timed) ? runSpeed(timed, memory) : null;
  return { place, fit, answer, needsGpus, takesGpus, price, speed: speed?.ok === true ? speed : null };
}

function answerOf({ verdict, fix }: Fit): Answer {
  return verdict === 'exceeds' && fix ? 'with-fix' : verdict;
}

const BEST_FIRST: readonly Answer[] = ['fits', 'tight', 'with-fix', 'unknown', 'exceeds', 'too-few'];

/**
 * Present places before the catalog, and those that fit before the others; catalog types that fit by size, smallest
 * first, all others by room, most first.
 */
export function sortedPlaces(rows: readonly ComparedPlace[]): readonly ComparedPlace[] {
  return rows.toSorted((a, b) => byKind(a, b) || byAnswer(a, b) || byRoom(a, b) || byName(a, b));
}

const byKind = (a: ComparedPlace, b: ComparedPlace): number =>
  PLACE_KINDS.indexOf(a.place.kind) - PLACE_KINDS.indexOf(b.place.kind);

export const byAnswer = (a: ComparedPlace, b: ComparedPlace): number =>
  BEST_FIRST.indexOf(a.answer) - BEST_FIRST.indexOf(b.answer);

function byRoom(a: ComparedPlace, b: ComparedPlace): number {
  const room = ({ place: { target } }: ComparedPlace): number => target.usableMiB - target.busyMiB;
  const smallestFirst = a.place.kind === 'catalog' && a.answer === 'fits';
  return smallestFirst ? room(a) - room(b) : room(b) - room(a);
}

const byName = (a: ComparedPlace, b: ComparedPlace): number => {
  const name = ({ place }: ComparedPlace): string => `${place.where} ${place.target.name}`;
  return name(a) < name(b) ? -1 : Number(name(a) > name(b));
};
