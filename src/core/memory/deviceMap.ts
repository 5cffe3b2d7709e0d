import type { Peak } from './ledger';
import { ADAPTERS, KV_CACHE, WEIGHTS } from './terms';
import type { PlayedPhase } from './timeline';

/**
 * What a layer brings with it wherever it goes. The rest (hidden states, logits, temporaries) exists on each device in
 * turn.
 */
const OF_LAYERS: ReadonlySet<number> = new Set([WEIGHTS, ADAPTERS, KV_CACHE]);

/**
 * Phases on one of the devices that a model's layers are spread over evenly (accelerate, utils/modeling.py,
 * get_balanced_memory), or that each hold a slice of every layer (tensor parallelism).
 */
export function onOneOf(devices: number, phases: readonly PlayedPhase[]): readonly PlayedPhase[] {
  return phases.map(({ phase, peak }) => ({ phase, peak: shareOf(devices, peak) }));
}

function shareOf(devices: number, { terms }: Peak): Peak {
  const own = terms.map((bytes, term) => (OF_LAYERS.has(term) ? bytes / devices : bytes));
  return { bytes: own.reduce((sum, bytes) => sum + bytes, 0), terms: own };
}
