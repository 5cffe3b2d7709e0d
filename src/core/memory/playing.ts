import type { Target } from '../hardware/gpu';
import { MIB } from '../units';
import type { DeviceEstimate, Verdict } from './estimate';
import { interval } from './interval';
import { Journal } from './journal';
import { Ledger } from './ledger';
import { replayed } from './reserved';
import type { Extent, Replayed, Replayer } from './reserved';
import type { MemoryRun } from './run';
import type { Plan } from './setup/setUp';
import { Tape } from './tape';
import { play } from './timeline';
import type { Played } from './timeline';

/** All that a run does happens on the host: it loads a model there and merges adapters into it. */
export const isOnHost = ({ task, training: { merges } }: MemoryRun): boolean =>
  task === 'load' && merges === 'cpu';

const NONE = interval(0, { below: 0, above: 0 });

/** A GPU of which nothing is wanted. */
export function idle(target: Target | null, verdict: Verdict = 'fits'): DeviceEstimate {
  return {
    name: target?.name ?? 'per GPU',
    capacityBytes: target && target.totalMiB * MIB,
    usableBytes: target && (target.usableMiB - target.busyMiB) * MIB,
    device: NONE,
    reserved: NONE,
    allocated: NONE,
    verdict,
    peakPhase: 'load',
    phases: [{ phase: 'load', bytes: 0 }],
    terms: [],
  };
}

/** What a run, or a rank of it, allocates when and what the allocator reserves for that: the same on every GPU alike. */
export interface Playing {
  readonly memoryRun: MemoryRun;
  /** Null where all of it is on the host. */
  readonly played: Played | null;
  /** Null: not replayed. */
  readonly replay: Replayed | null;
}

/** `workspaces`: those of the libraries, which depend on the GPU. */
export function playingsOf(
  { stages, architecture }: Plan,
  workspaces: readonly number[],
  { reserving, enoughBytes }: Extent,
  replayer: Replayer,
): readonly Playing[] {
  return stages.map(memoryRun => {
    if (isOnHost(memoryRun)) return { memoryRun, played: null, replay: null };
    const journal = reserving === 'replayed' ? new Journal() : null;
    const played = play(architecture, memoryRun, new Tape(new Ledger(journal)), enoughBytes);
    const { expandableSegments } = memoryRun.behavior;
    const { marks } = played;
    const replay = journal && replayed({ journal, marks, workspaces, expandableSegments }, replayer);
    return { memoryRun, played, replay };
  });
}
