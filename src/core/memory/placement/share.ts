import type { Peak } from '../ledger';
import type { MemoryRun } from '../run';
import { bytesPer } from '../tensor';
import { ACTIVATIONS, ADAPTERS, GRADIENTS, KV_CACHE, LOGITS, STATES, WEIGHTS } from '../terms';
import type { PlayedPhase } from '../played';
import type { Placed, Placement } from './module';

/** The GPUs of a placement. */
export const gpusOf = ({ devices }: Placement): readonly Placed[] =>
  devices.filter(({ device }) => typeof device === 'number');

/** The devices other than GPUs. */
const offloadedOf = ({ devices }: Placement): readonly Placed[] =>
  devices.filter(({ device }) => typeof device !== 'number');

/** The share of each term on one GPU; null: the term exists on each GPU in turn. */
type Shares = readonly (number | null)[];

const partOf = (own: number, whole: number): number => (whole === 0 ? 0 : own / whole);

function sharesOf(run: MemoryRun, placement: Placement, own: Placed, isMain: boolean): Shares {
  // Offloaded layers run on the first GPU, and leave their keys and values there (accelerate, hooks.py,
  // AlignDevicesHook).
  const offloadedLayers = isMain ? offloadedOf(placement).reduce((sum, { layers }) => sum + layers, 0) : 0;
  const layers = partOf(own.layers + offloadedLayers, placement.layers);
  const weights = partOf(own.bytes, placement.bytes);
  const trained = run.training.lora ? partOf(own.adapters, placement.adapters) : weights;
  const shares: (number | null)[] = [];
  shares[WEIGHTS] = weights;
  shares[ADAPTERS] = partOf(own.adapters, placement.adapters);
  shares[GRADIENTS] = trained;
  shares[STATES] = trained;
  shares[KV_CACHE] = layers;
  // Without a backward pass, only one layer's activations exist at a time.
  shares[ACTIVATIONS] = run.task === 'train' ? layers : null;
  shares[LOGITS] = own.hasHead ? 1 : 0;
  return shares;
}

/**
 * Phases on one GPU of a device map. A layer's output is copied to the GPU of the next layer; logits return to the
 * first one, where the inputs are (`io_same_device`).
 */
export function phasesOn(
  run: MemoryRun,
  placement: Placement,
  own: Placed,
  phases: readonly PlayedPhase[],
): readonly PlayedPhase[] {
  const isMain = own === gpusOf(placement)[0];
  const shares = sharesOf(run, placement, own, isMain);
  const loadedBytes = isMain ? Math.max(0, ...offloadedOf(placement).map(({ largest }) => largest)) : 0;
  const returned = isMain && !own.hasHead ? logitsOf(run) : 0;
  return phases.map(({ phase, peak }) => {
    const runs = phase !== 'load';
    const terms = peak.terms.map((bytes, term) => {
      const share = shares[term] ?? 1;
      const more = (term === WEIGHTS ? loadedBytes : 0) + (term === LOGITS ? returned : 0);
      return bytes * share + (runs ? more : 0);
    });
    return { phase, peak: summed(terms) };
  });
}

const summed = (terms: Float64Array<ArrayBuffer>): Peak => ({
  bytes: terms.reduce((sum, bytes) => sum + bytes, 0),
  terms,
});

function logitsOf({
  batch: { rows: batch, tokens },
  generation: { logitsToKeep },
  head,
  model,
  numbers: { autocast, weightDtype },
}: MemoryRun): number {
  if (head !== 'causal-lm') return 0;
  return batch * (logitsToKeep ?? tokens) * model.vocabSize * bytesPer(autocast ?? weightDtype);
}
