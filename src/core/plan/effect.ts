import { estimated } from '../learn/publishedRows';
import type { DeviceEstimate, Estimate, EstimateResult, Verdict } from '../memory/estimate';
import type { Phase } from '../memory/played';
import { leastLive, WHOLE } from '../memory/reserved';
import type { Extent } from '../memory/reserved';
import { changed } from '../dialects/change';
import type { RunSpec } from '../spec/runSpec';
import { OUTSIDE_TORCH } from '../models/terms';
import { modelOfRun } from './modelSizes';
import type { Change } from '../spec/change';
import type { RemedyContext } from './remedy';

/** The effect of a set of changes, from an estimate of the changed run, never from a table. */
export interface Effect {
  readonly run: RunSpec;
  /** Null if the changed run cannot be estimated. */
  readonly estimate: Estimate | null;
  readonly verdict: Verdict;
  /** Change of the worst device's expected bytes; null if either estimate is missing. */
  readonly deltaBytes: number | null;
}

export function effectOf(context: RemedyContext, changes: readonly Change[]): Effect {
  return effectOn(context, changed(context.run, changes));
}

/** The effect of changes that were already applied to `run`. */
export function effectOn(context: RemedyContext, run: RunSpec): Effect {
  const result = resultOf(context, run, WHOLE);
  const estimate = result.ok ? result.estimate : null;
  const after = estimate?.devices[0];
  const before = context.estimate?.devices[0];
  return {
    run,
    estimate,
    verdict: after?.verdict ?? 'unknown',
    deltaBytes: after && before ? after.device.expected - before.device.expected : null,
  };
}

/** The computed estimate, adjusted by measurements. */
function resultOf(context: RemedyContext, run: RunSpec, extent: Extent): EstimateResult {
  const { target, lessons, memory } = context;
  const model = modelOfRun(context, run);
  return estimated({ run, model, target, lessons }, { extent, session: memory }).result;
}

/** Facts about a changed run before the allocator replay, which takes nine tenths of an estimate's time. */
export interface Trial {
  readonly run: RunSpec;
  /** Lower bound for the device: all allocations and the context. */
  readonly leastBytes: number;
  /** The same before the optimizer has states. */
  readonly statelessBytes: number;
  /** Change of the allocated bytes; null without an estimate before. */
  readonly deltaBytes: number | null;
  /** Exceeds the device, however well the allocator packs. */
  readonly exceeds: boolean;
  readonly usableBytes: number | null;
}

/** Phases of the first step, before the first optimizer step. */
const STATELESS: ReadonlySet<Phase> = new Set<Phase>(['first forward', 'first backward']);

/** Device memory outside torch's allocations. */
const outsideTorch = ({ terms }: DeviceEstimate): number =>
  terms.filter(({ term }) => OUTSIDE_TORCH.includes(term)).reduce((sum, { bytes }) => sum + bytes, 0);

/** Without replaying the allocator. */
const TYPICAL: Extent = { reserving: 'typical', enoughBytes: Infinity };

/** The same where it is likely to be replayed next: the tape is then not run again. */
export const TO_BE_REPLAYED: Extent = { ...TYPICAL, keepsJournal: true };

/**
 * Null if the changed run cannot be estimated. Beyond the size that `extent` calls enough, the trial's bytes are
 * lower bounds, before the optimizer and with it.
 */
export function trialOf(
  context: RemedyContext,
  changes: readonly Change[],
  extent: Extent = TYPICAL,
): Trial | null {
  const run = changed(context.run, changes);
  const result = resultOf(context, run, extent);
  const after = result.ok ? result.estimate.devices[0] : undefined;
  if (!after) return null;
  const before = context.estimate?.devices[0];
  const outside = outsideTorch(after);
  const first = after.phases.filter(({ phase }) => STATELESS.has(phase)).map(({ bytes }) => bytes);
  const room = (after.usableBytes ?? Infinity) - outside;
  const least = (allocated: number): number =>
    allocated + outside + (after.isLive ? leastLive(allocated, room) : 0);
  return {
    run,
    leastBytes: least(after.allocated.expected),
    statelessBytes: least(first.length > 0 ? Math.max(...first) : after.allocated.expected),
    deltaBytes: before ? after.allocated.expected - before.allocated.expected : null,
    exceeds: after.verdict === 'exceeds',
    usableBytes: after.usableBytes,
  };
}
