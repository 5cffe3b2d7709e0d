import type { DeviceEstimate } from '../memory/estimate';
import type { PlanOptions } from './plan';
import type { RemedyContext } from './remedy';
import { isServed, marginOf } from './serving';

/** It leaves the margin; an engine, that leaves its own, is at least no tighter than it was. */
export function isRoomy(
  { run, estimate }: RemedyContext,
  after: DeviceEstimate,
  options: PlanOptions,
): boolean {
  const { verdict, device, usableBytes } = after;
  if (verdict === 'exceeds' || !usableBytes) return false;
  const isTightAgain = isServed(run) && verdict === 'tight' && estimate?.devices[0]?.verdict !== 'exceeds';
  return device.expected <= usableBytes * marginOf(run, options) && !isTightAgain;
}
