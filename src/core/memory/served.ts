import { roomIn } from './cacheRoom';
import type { Serving } from './engine';
import type { Peak } from './ledger';
import type { MemoryRun } from './run';
import { KV_CACHE } from './terms';
import type { PlayedPhase } from './timeline';

/** The memory that an engine takes for keys and values. */
export interface Served {
  readonly cacheBytes: number;
  /** The cache holds one sequence of the promised length. */
  readonly serves: boolean;
}

/** Facts about a device when the engine asks for the remaining memory. */
export interface Device {
  readonly totalBytes: number;
  readonly contextBytes: number;
  readonly workspaceBytes: number;
}

export function servedOn(
  run: MemoryRun,
  serving: Serving,
  phases: readonly PlayedPhase[],
  { totalBytes, contextBytes, workspaceBytes }: Device,
): Served {
  const [load, ...others] = phases.map(({ peak }) => peak.bytes);
  const peakBytes = Math.max(...others) + workspaceBytes;
  const profile = { totalBytes, contextBytes, weightsBytes: load ?? 0, peakBytes };
  const room = roomIn(run, serving, serving.engine.cacheBytes(profile, serving.share));
  return { cacheBytes: room.bytes, serves: room.sequences >= 1 };
}

/** Phases after the cache was allocated, which happens after the profiling pass. */
export function withCache(phases: readonly PlayedPhase[], { cacheBytes }: Served): readonly PlayedPhase[] {
  return phases.map(({ phase, peak }) => ({
    phase,
    peak: phase === 'load' ? peak : plusCache(peak, cacheBytes),
  }));
}

function plusCache({ bytes, terms }: Peak, cacheBytes: number): Peak {
  return {
    bytes: bytes + cacheBytes,
    terms: terms.map((held, term) => (term === KV_CACHE ? held + cacheBytes : held)),
  };
}
