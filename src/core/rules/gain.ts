import { changed } from '../dialects/change';
import { editsFor } from '../dialects/write';
import { WRITTEN_TASKS } from '../learn/dataLengths';
import { estimated } from '../learn/publishedRows';
import type { DeviceEstimate, Estimate } from '../memory/estimate';
import { WHOLE } from '../memory/reserved';
import type { Extent } from '../memory/reserved';
import type { Change } from '../spec/change';
import type { RunSpec } from '../spec/runSpec';
import { speedOf } from '../speed/speed';
import type { Speed } from '../speed/speed';
import type { Say } from '../text/say';
import { formatShare } from '../units';
import type { RuleContext } from './rule';

/** What changes of a run save, by the speed model. */
export interface Gain {
  /** Share of the time for the same tokens or samples, 0 to 1. */
  readonly share: number;
  /** The fullest GPU with the changes. */
  readonly after: DeviceEstimate;
}

/** Below this share of the time, a change is within the speed model's error (docs/speed.md). */
export const LEAST_SHARE = 0.05;

/** At the upper end of its interval, the changed run leaves this share of the usable memory free. */
const MARGIN = 0.1;

/** `free`: the change takes memory that must be free for certain; `same`: it takes none, so that guesses do no harm. */
export type Memory = 'free' | 'same';

/** The step of a run whose time is known: it trains on one known GPU type. Null: no rule about time has anything to say. */
export function timedStep(
  context: RuleContext,
  memory: Memory = 'free',
): { readonly speed: Speed; readonly now: DeviceEstimate } | null {
  const { run, estimate, model } = context;
  const now = estimate?.devices[0];
  // Without facts about the model, the estimate is that of a name with a size.
  if (model === null || !now) return null;
  if (memory === 'same' ? !mayRun(now) : now.verdict !== 'fits' || estimate.guesses !== undefined) {
    return null;
  }
  // The speed model counts only a part of the time of rows that the model writes.
  const isWritten = WRITTEN_TASKS.has(run.quantities.task.value ?? '');
  if (isWritten || run.details.unlimitedLength?.value === true) return null;
  const speed = speedAtFullLength(context, estimateOf(context, run, WHOLE));
  return speed && { speed, now };
}

const mayRun = ({ verdict, device, usableBytes }: DeviceEstimate): boolean =>
  verdict !== 'exceeds' && usableBytes !== null && device.expected <= usableBytes;

/** Rows as long as the estimate has them: the errors of two such times cancel mostly. */
function speedAtFullLength({ target }: RuleContext, estimate: Estimate | null): Speed | null {
  const speed = speedOf(estimate, target, { lengthsAreKnown: true });
  return speed.ok ? speed : null;
}

/** Without the allocator's replay, which takes most of an estimate's time. */
const QUICK: Extent = { reserving: 'typical', enoughBytes: Infinity, keepsJournal: true };

/**
 * What the changes save; null if the files have no keys for them, if they save less than five percent, or if the run would not
 * fit with a margin although it takes more memory.
 */
export function gainOf(
  context: RuleContext,
  speed: Speed,
  changes: readonly Change[],
  memory: Memory = 'free',
): Gain | null {
  const written = editsFor(context.run, changes);
  if (!written.ok || written.edits.length === 0) return null;
  const run = changed(context.run, changes);
  const quick = estimateOf(context, run, QUICK);
  const share = shareSaved(speed, speedAtFullLength(context, quick));
  const fits = memory === 'same' ? fitsSomehow : fitsWell;
  if (share < LEAST_SHARE || !fits(quick)) return null;
  const whole = estimateOf(context, run, WHOLE);
  const [after] = whole?.devices ?? [];
  return after && fits(whole) ? { share, after } : null;
}

/** Time of a step with the changes relative to now, whatever a step then handles; null: unknown. */
export function stepRatio(context: RuleContext, speed: Speed, changes: readonly Change[]): number | null {
  const after = speedAtFullLength(context, estimateOf(context, changed(context.run, changes), QUICK));
  return after && after.secondsPerStep.expected / speed.secondsPerStep.expected;
}

/** Time of a token or sample with the changes relative to now; null: unknown. */
export function ratioOfEach(context: RuleContext, speed: Speed, changes: readonly Change[]): number | null {
  const after = speedAtFullLength(context, estimateOf(context, changed(context.run, changes), QUICK));
  return after && eachOf(after) / eachOf(speed);
}

function estimateOf(
  { target, model, lessons, memory }: RuleContext,
  run: RunSpec,
  extent: Extent,
): Estimate | null {
  const { result } = estimated({ run, model, target, lessons }, { extent, session: memory });
  return result.ok ? result.estimate : null;
}

const shareSaved = (before: Speed, after: Speed | null): number =>
  after === null ? 0 : 1 - eachOf(after) / eachOf(before);

const eachOf = ({ secondsPerStep, perStep }: Speed): number => secondsPerStep.expected / perStep;

function fitsWell(estimate: Estimate | null): boolean {
  const [device] = estimate?.devices ?? [];
  if (!device?.usableBytes || device.verdict !== 'fits') return false;
  return device.device.high <= device.usableBytes * (1 - MARGIN);
}

function fitsSomehow(estimate: Estimate | null): boolean {
  const [device] = estimate?.devices ?? [];
  return device !== undefined && mayRun(device);
}

/** `≈ 18 % less time`. */
export const lessTime = (say: Say, share: number): string => say('≈ {0} less time', formatShare(share));
