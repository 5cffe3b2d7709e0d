import { MIB } from '../units';
import type { Target } from '../hardware/gpu';
import type { DeviceEstimate } from './estimate';
import { interval } from './interval';
import type { MemoryRun } from './run';

/** All that a run does happens on the host: it loads a model there and merges adapters into it. */
export const isOnHost = ({ task, training: { merges } }: MemoryRun): boolean =>
  task === 'load' && merges === 'cpu';

const NONE = interval(0, { below: 0, above: 0 });

/** A GPU of which nothing is wanted. */
export function idle(target: Target | null): DeviceEstimate {
  return {
    name: target?.name ?? 'per GPU',
    capacityBytes: target && target.totalMiB * MIB,
    usableBytes: target && (target.usableMiB - target.busyMiB) * MIB,
    device: NONE,
    reserved: NONE,
    allocated: NONE,
    verdict: target ? 'fits' : 'unknown',
    peakPhase: 'load',
    phases: [{ phase: 'load', bytes: 0 }],
    terms: [],
  };
}
