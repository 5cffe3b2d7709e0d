import { buildDecoder } from './blocks/autoencoder/decoder';
import { elementsOf } from './blocks/images/layers';
import { ModelBuilder } from './builder';
import type { Ledger, Peak } from './ledger';
import type { MemoryRun, PipelineRun } from './run';
import { Tape } from './tape';
import { bytesPer } from './tensor';
import type { Inventory } from './terms';
import { TERMS, WEIGHTS } from './terms';
import type { PlayedPhase } from './played';

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

/**
 * Bytes that a run may take beyond what is computed. With offload or slices, four pictures of SDXL took as much more than
 * the parts that are there as the denoiser's weights take (20.21 and 15.40 GiB in the same table). No source says why.
 */
export function doubtOf({ pipeline }: MemoryRun, load: Peak): number {
  if (!pipeline || !(pipeline.isOffloaded || pipeline.isSliced)) return 0;
  const parts = pipeline.isOffloaded ? 0 : pipeline.encoderBytes + pipeline.autoencoderBytes;
  return (load.terms[WEIGHTS] ?? 0) - parts;
}

function weightsAlone(bytes: number): Peak {
  const terms = new Float64Array(TERMS.length);
  terms[WEIGHTS] = bytes;
  return { bytes, terms };
}

/**
 * The decoder's pass over the latents of a batch; in training, under its autocast. Its weights are there already, in another dtype perhaps. SDXL's four
 * pictures took 21.72 GiB in fp16 and 28.09 GiB in fp32 on an A100 (torch.cuda.max_memory_allocated;
 * huggingface/blog, simple_sdxl_optimizations.md, and its notebook): 15.1 GiB beside the weights in both. The decoder's
 * tensors are 12 GiB (measured on fake tensors). A copy of the input in each convolution makes it 15.0.
 */
export function decoded(
  tape: Tape,
  run: MemoryRun,
  { latents, decoder, decodesIn, widenedBytes }: PipelineRun,
): Peak {
  const { ledger } = tape;
  ledger.takePeak();
  const widened = ledger.place(widenedBytes, WEIGHTS, 1);
  tape.usesCudnn = false;
  tape.copiesInputs = true;
  ledger.muted = true;
  const autocast = run.task === 'train' ? run.numbers.autocast : null;
  const numbers = { ...run.numbers, weightDtype: decodesIn, autocast, quantization: null };
  const decode = buildDecoder(new ModelBuilder(tape, { ...run, numbers }), latents, decoder);
  ledger.muted = false;
  const states = tape.keep(tape.empty(elementsOf(latents), decodesIn));
  tape.spend(decode(tape, states));
  tape.release(states);
  ledger.release(widened);
  return ledger.takePeak();
}
