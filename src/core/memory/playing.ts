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
import type { Played } from './played';

/** True if a run only works on the host: it loads a model there and merges adapters into it. */
export const isOnHost = ({ task, training: { merges } }: MemoryRun): boolean =>
  task === 'load' && merges === 'cpu';

const NONE = interval(0, { below: 0, above: 0 });

/** A GPU without any need. */
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

/**
 * The allocations of a run or a rank over time, and the memory reserved for them: the same on every GPU with equal
 * traits.
 */
export interface Playing {
  readonly memoryRun: MemoryRun;
  /** Null where all of it is on the host. */
  readonly played: Played | null;
  /** Null: not replayed. */
  readonly replay: Replayed | null;
}

/** What a run, or a rank of it, allocates, and in what order where that is noted. */
export interface Recorded {
  readonly memoryRun: MemoryRun;
  /** Null where all of it is on the host. */
  readonly played: Played | null;
  /** Null: not noted. */
  readonly journal: Journal | null;
}

/** Plays each rank of a plan on the tape. */
export function recordingsOf({ stages, architecture }: Plan, extent: Extent): readonly Recorded[] {
  return stages.map(memoryRun => {
    if (isOnHost(memoryRun)) return { memoryRun, played: null, journal: null };
    const journal = isNoted(extent) ? new Journal() : null;
    const played = play(architecture, memoryRun, new Tape(new Ledger(journal)), extent.enoughBytes);
    return { memoryRun, played, journal };
  });
}

/** The order of allocations is wanted: now, or where the same run is asked for again. */
export const isNoted = ({ reserving, keepsJournal }: Extent): boolean =>
  reserving === 'replayed' || keepsJournal === true;

/** `workspaces`: those of the libraries, which depend on the GPU. */
export function playingsOf(
  recorded: readonly Recorded[],
  workspaces: readonly number[],
  { reserving }: Extent,
  replayer: Replayer,
): readonly Playing[] {
  return recorded.map(({ memoryRun, played, journal }) => {
    if (reserving !== 'replayed' || !played || !journal) return { memoryRun, played, replay: null };
    const { expandableSegments } = memoryRun.behavior;
    const { marks } = played;
    return {
      memoryRun,
      played,
      replay: replayed({ journal, marks, workspaces, expandableSegments }, replayer),
    };
  });
}
