import type { DeviceEstimate } from '../memory/estimate';
import { profileOf } from '../memory/frameworks/profileOf';
import type { RunSpec } from '../spec/runSpec';
import type { PlanOptions } from './plan';
import type { RemedyContext } from './remedy';

/** True for a serving engine that takes a share of the GPU and fills it with keys and values. */
export const isServed = (run: RunSpec): boolean =>
  run.quantities.task.value === 'infer' && profileOf(run.framework).serving !== null;

/** Share of the usable memory that a plan may take: an engine's own share is its margin. */
export const marginOf = (run: RunSpec, { margin }: Pick<PlanOptions, 'margin'>): number =>
  isServed(run) ? 1 : margin;

/** True if the need is within the margin. */
export function isWithin(
  { run }: Pick<RemedyContext, 'run'>,
  { verdict, device, usableBytes }: DeviceEstimate,
  options: PlanOptions,
): boolean {
  if (verdict === 'exceeds' || !usableBytes) return false;
  return device.expected <= usableBytes * marginOf(run, options);
}

/** True if a plan is within the margin. If the run was already within it but tight, the plan must fit. */
export function isRoomy(context: RemedyContext, after: DeviceEstimate, options: PlanOptions): boolean {
  if (!isWithin(context, after, options)) return false;
  const before = context.estimate?.devices[0];
  const wantsFit = options.goal === 'fit' || options.goal === 'fewest' || isServed(context.run);
  const wasWithin = before !== undefined && isWithin(context, before, options);
  return after.verdict === 'fits' || !wantsFit || !wasWithin;
}
