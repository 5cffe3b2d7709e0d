import type { Peak } from './ledger';
import { weightFormat } from './quantization';
import type { MemoryRun } from './run';
import { bytesPer } from './tensor';
import { ADAPTERS, KV_CACHE, WEIGHTS } from './terms';
import type { PlayedPhase } from './played';

/** Terms that move with a layer. The rest (hidden states, logits, temporaries) exists on each device in turn. */
const OF_LAYERS: ReadonlySet<number> = new Set([WEIGHTS, ADAPTERS, KV_CACHE]);

/**
 * Phases on one of the devices among which a model's layers are balanced (accelerate, utils/modeling.py,
 * get_balanced_memory), or that each hold a slice of every layer (tensor parallelism).
 */
export function phasesOnOneOf(run: MemoryRun, phases: readonly PlayedPhase[]): readonly PlayedPhase[] {
  if (run.devices.spread === 1) return phases;
  const whole = run.behavior.spreadsBlocks ? endsOf(run) : 0;
  return phases.map(({ phase, peak }) => ({ phase, peak: shareOf(run.devices.spread, peak, whole) }));
}

/** `whole`: the part of the weights that every device holds. */
function shareOf(devices: number, { terms }: Peak, whole: number): Peak {
  const own = terms.map((bytes, term) => {
    const shared = term === WEIGHTS ? bytes - whole : bytes;
    return OF_LAYERS.has(term) ? bytes - shared + shared / devices : bytes;
  });
  return { bytes: own.reduce((sum, bytes) => sum + bytes, 0), terms: own };
}

/** Bytes of the embedding and of the head, which may be quantized. */
function endsOf({ model, numbers: { weightDtype, quantization }, behavior }: MemoryRun): number {
  const { vocabSize, hiddenSize } = model;
  const table = vocabSize * hiddenSize * bytesPer(weightDtype);
  if (quantization === null || !behavior.quantizesHead) return 2 * table;
  return weightFormat(quantization)
    .parts(vocabSize, hiddenSize)
    .reduce((sum, part) => sum + part, table);
}
