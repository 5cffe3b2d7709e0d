import type { Architecture, Model } from '../architecture';
import { denoiser, latentPatches, textTokensOf } from '../blocks/denoiser/latents';
import { buildTextProjection } from '../blocks/denoiser/dit/embed';
import { buildModulatedEnd } from '../blocks/denoiser/dit/ends';
import { buildFluxBlocks, fluxAttention, runRowed } from '../blocks/denoiser/dit/rowed';
import { nameAngles, rotatePairs } from '../blocks/denoiser/rotation';
import { buildTimeEmbedding } from '../blocks/denoiser/timeEmbedding';
import { flag, stated } from '../configValues';
import type { Builder } from '../modules';
import { add } from '../ops/pointwise';
import { computeDtype } from '../run';
import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';

/** FluxPipeline, LongCatImagePipeline (max_sequence_length, tokenizer_max_length). */
const TEXT_TOKENS = 512;

/** LongCat-Image only receives the time step; FLUX.1 also a pooled text, and distilled models the guidance. */
function buildTime(builder: Builder, { model, batch: { rows: batch } }: MemoryRun, width: number) {
  const step = buildTimeEmbedding(builder, width);
  if (model.modelType !== 'FluxTransformer2DModel') return step;
  const guidance = flag(model, 'guidance_embeds') ? buildTimeEmbedding(builder, width) : null;
  const pooledSize = stated(model, 'pooled_projection_dim', 768);
  const pooled = buildTextProjection(builder, pooledSize, width);
  const embed: typeof step = (tape, rows, dtype) => {
    const text = pooled(tape, tape.empty(batch * pooledSize, dtype));
    const time = step(tape, rows, dtype);
    return add(tape, guidance ? add(tape, time, guidance(tape, rows, dtype)) : time, text);
  };
  return embed;
}

function build(builder: Builder, run: MemoryRun): Model {
  const { model } = run;
  const batch = run.batch.rows;
  const { hasFlash } = run.kernels;
  const attention = fluxAttention(
    stated(model, 'num_attention_heads', 24),
    stated(model, 'attention_head_dim', 128),
  );
  const { width, headDim } = attention;
  const channels = stated(model, 'in_channels', 64);
  const textSize = stated(model, 'joint_attention_dim', 4096);
  const tokens = latentPatches(run, 1).tokens;
  const textTokens = textTokensOf(run, TEXT_TOKENS);
  const linear = (name: string, inputs: number) =>
    builder.linear({ name, inputs, outputs: width, bias: true });
  const embedTime = buildTime(builder, run, width);
  const embedText = linear('context_embedder', textSize);
  const embed = linear('x_embedder', channels);
  const blocks = buildFluxBlocks(builder, run, attention, {
    layers: stated(model, 'num_layers', 19),
    singles: stated(model, 'num_single_layers', 38),
    vectorBias: true,
  });
  const end = buildModulatedEnd(builder, { width, outputs: channels, bias: true });
  return denoiser(run, { tokens: textTokens, size: textSize }, (tape, latents, text) => {
    const image = tape.name(embed(tape, latents));
    const time = tape.name(embedTime(tape, batch, computeDtype(run)));
    const words = tape.name(embedText(tape, text));
    const angles = nameAngles(tape, textTokens + tokens, headDim);
    const turn = (inner: Tape, x: Tensor): Tensor => rotatePairs(inner, x, angles);
    const call = { batch, hasFlash, mask: null, turn, time, textTime: time };
    return end(tape, runRowed(tape, [words, image], blocks, { joint: call, single: call }), time);
  });
}

/** FLUX.1 and its successors: image and text as two streams that attend to each other, then concatenated. */
export const flux: Architecture = {
  modelTypes: ['FluxTransformer2DModel', 'LongCatImageTransformer2DModel'],
  source: 'diffusers 0.42.1, models/transformers/transformer_flux.py, transformer_longcat_image.py',
  samples: 'latents',
  // FluxPipeline: the autoencoder's 16 channels at an eighth of the side lengths, in patches of 2 × 2.
  latents: { channels: 64, scale: 16, frames: 0 },
  heads: ['denoiser'],
  build,
};
