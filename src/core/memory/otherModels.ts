import { buildEncoder } from './blocks/autoencoder/encoder';
import { elementsOf } from './blocks/images/layers';
import { ModelBuilder } from './builder';
import type { Inventory } from './terms';
import type { Ledger } from './ledger';
import type { MemoryRun } from './run';
import type { Tape } from './tape';
import { WEIGHTS } from './terms';

/** Puts the weights of the other networks on the device. */
export function placeOtherModels(
  ledger: Ledger,
  inventory: Inventory,
  { otherModels = [] }: MemoryRun,
): void {
  for (const { bytes, dtype, parameters } of otherModels) {
    ledger.place(bytes, WEIGHTS, 1);
    inventory.add({ term: WEIGHTS, held: dtype, count: parameters, bytes });
  }
}

/**
 * A trainer's smoothed copy of the weights that were just created, in their dtype: a deep copy of the module
 * (ultralytics utils/torch_utils.py ModelEMA) or of each parameter (diffusers training_utils.py EMAModel, CompVis
 * ldm/modules/ema.py).
 */
export function placeAverage(
  ledger: Ledger,
  inventory: Inventory,
  { training: { averaged }, otherModels = [] }: MemoryRun,
): void {
  if (averaged !== true) return;
  for (const { held, count, bytes } of [...inventory.of(WEIGHTS)]) {
    const foreign = otherModels.filter(({ dtype }) => dtype === held);
    const copied = bytes - foreign.reduce((sum, one) => sum + one.bytes, 0);
    const parameters = count - foreign.reduce((sum, one) => sum + one.parameters, 0);
    if (copied <= 0) continue;
    ledger.place(copied, WEIGHTS, 1);
    inventory.add({ term: WEIGHTS, held, count: parameters, bytes: copied });
  }
}

/**
 * Memory of an autoencoder while it encodes a batch of images, without a graph and without autocast, before the
 * pass over its latents. Its weights already exist: they are built again without memory.
 */
export function encodeOtherModels(tape: Tape, run: MemoryRun): void {
  for (const { encodes, dtype } of run.otherModels ?? []) {
    if (encodes.kind !== 'known') continue;
    const { graph } = tape;
    const frozen: MemoryRun = {
      ...run,
      numbers: { ...run.numbers, weightDtype: dtype, quantization: null },
      training: { ...run.training, lora: null, frozen: true },
      ranks: { ...run.ranks, sharding: null },
    };
    tape.graph = null;
    tape.ledger.muted = true;
    const maps = { ...encodes.value.pixels, batch: run.batch.rows };
    const encode = buildEncoder(new ModelBuilder(tape, frozen), maps, encodes.value.shape);
    tape.ledger.muted = false;
    const pixels = tape.keep(tape.empty(elementsOf(maps), dtype));
    tape.spend(encode(tape, pixels));
    tape.release(pixels);
    tape.graph = graph;
  }
}
