import { buildDecoder } from './blocks/autoencoder/decoder';
import { elementsOf } from './blocks/images/layers';
import { ModelBuilder } from './builder';
import type { Ledger, Peak } from './ledger';
import type { MemoryRun, PipelineRun } from './run';
import { Tape } from './tape';
import { bytesPer } from './tensor';
import type { Inventory } from './terms';
import { TERMS, WEIGHTS } from './terms';
import type { PlayedPhase } from './timeline';

/** Puts those parts of a pipeline on the device that stay there. */
export function placeParts(
  ledger: Ledger,
  inventory: Inventory,
  { pipeline, numbers: { weightDtype } }: MemoryRun,
): void {
  if (!pipeline || pipeline.isOffloaded) return;
  for (const bytes of [pipeline.encoderBytes, pipeline.autoencoderBytes]) {
    ledger.place(bytes, WEIGHTS, 1);
    inventory.add({ term: WEIGHTS, held: weightDtype, count: bytes / bytesPer(weightDtype), bytes });
  }
}

/** What a pipeline computes around its denoiser: texts to states before, latents to pictures after. */
export function playPipeline(tape: Tape, run: MemoryRun): readonly PlayedPhase[] {
  const { pipeline } = run;
  if (!pipeline) return [];
  if (!pipeline.isOffloaded) return [{ phase: 'decode', peak: decoded(tape, run, pipeline) }];
  // Each part leaves before the next one comes, and what the allocator had cached with it (accelerate, hooks.py).
  const alone = new Tape();
  alone.ledger.place(pipeline.autoencoderBytes, WEIGHTS, 1);
  return [
    { phase: 'encode', peak: weightsAlone(pipeline.encoderBytes) },
    { phase: 'decode', peak: decoded(alone, run, pipeline) },
  ];
}

function weightsAlone(bytes: number): Peak {
  const terms = new Float64Array(TERMS.length);
  terms[WEIGHTS] = bytes;
  return { bytes, terms };
}

/**
 * The decoder's pass over the latents of a batch. Its weights are there already, in another dtype perhaps. Without
 * workspaces of convolutions, SDXL's four pictures take what was measured on an A100 (21.7 GB in fp16, 28.1 GB in
 * fp32; huggingface.co/blog/simple_sdxl_optimizations): TF32 and 16 bits need none of cuDNN's large ones.
 */
function decoded(
  tape: Tape,
  run: MemoryRun,
  { latents, decoder, decodesIn, widenedBytes }: PipelineRun,
): Peak {
  const { ledger } = tape;
  ledger.takePeak();
  const widened = ledger.place(widenedBytes, WEIGHTS, 1);
  tape.usesCudnn = false;
  ledger.muted = true;
  const numbers = { ...run.numbers, weightDtype: decodesIn, autocast: null, quantization: null };
  const decode = buildDecoder(new ModelBuilder(tape, { ...run, numbers }), latents, decoder);
  ledger.muted = false;
  const states = tape.keep(tape.empty(elementsOf(latents), decodesIn));
  tape.spend(decode(tape, states));
  tape.release(states);
  ledger.release(widened);
  return ledger.takePeak();
}
