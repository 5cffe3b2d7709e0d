import type { Estimate, Verdict } from '../memory/estimate';
import { estimateRun } from '../memory/estimateRun';
import { changed } from '../spec/change';
import type { RunSpec } from '../spec/runSpec';
import type { Change, RemedyContext } from './remedy';

/** What a set of changes would do: worked out by estimating the changed run, never tabled. */
export interface Effect {
  readonly run: RunSpec;
  /** Null when the changed run cannot be estimated. */
  readonly estimate: Estimate | null;
  readonly verdict: Verdict;
  /** Change of the worst device's expected bytes; null without both estimates. */
  readonly deltaBytes: number | null;
}

export function effectOf(context: RemedyContext, changes: readonly Change[]): Effect {
  const run = changed(context.run, changes);
  const result = estimateRun(run, context.model, context.target);
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
