import type { Architecture, Model } from '../architecture';
import { denoiser, latentPatches, textTokensOf } from '../blocks/denoiser/latents';
import { buildTextProjection } from '../blocks/denoiser/dit/embed';
import { plainNorm } from '../blocks/denoiser/dit/adaNorm';
import { fusedRmsNorm } from '../blocks/denoiser/layers';
import { buildFluxBlocks, fluxAttention, runRowed } from '../blocks/denoiser/dit/rowed';
import { modulate } from '../blocks/denoiser/timeEmbedding';
import { nameAngles, rotatePairs } from '../blocks/denoiser/rotation';
import { stated } from '../configValues';
import type { Builder } from '../modules';
import { add } from '../ops/pointwise';
import { slice } from '../ops/shape';
import { computeDtype } from '../run';
import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';

/** ChromaPipeline (max_sequence_length). */
const TEXT_TOKENS = 512;

/**
 * Vectors per block out of those computed at once: six per stream of a joint block, three for a single block, two
 * at the end.
 */
const OF_JOINT = 6;
const OF_SINGLE = 3;
const OF_END = 2;

/** ChromaApproximator: one small network computes the vectors of all blocks. */
function buildVectors(builder: Builder, run: MemoryRun, width: number, count: number) {
  const { model } = run;
  const batch = run.batch.rows;
  const inner = stated(model, 'approximator_hidden_dim', 5120);
  const channels = stated(model, 'approximator_num_channels', 64);
  const into = builder.linear({ name: 'in_proj', inputs: channels, outputs: inner, bias: true });
  const layers = Array.from({ length: stated(model, 'approximator_layers', 5) }, () => ({
    layer: buildTextProjection(builder, inner, inner),
    norm: fusedRmsNorm(builder, inner),
  }));
  const out = builder.linear({ name: 'out_proj', inputs: inner, outputs: width, bias: true });
  return (tape: Tape): Tensor =>
    tape.call([], () => {
      const given = tape.empty(batch * count * channels, computeDtype(run));
      const steps = layers.map(
        ({ layer, norm }) =>
          (x: Tensor): Tensor =>
            add(tape, x, layer(tape, norm(tape, x))),
      );
      return out(tape, tape.through(tape.name(into(tape, given)), steps));
    });
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
  const layers = stated(model, 'num_layers', 19);
  const singles = stated(model, 'num_single_layers', 38);
  const count = layers * 2 * OF_JOINT + singles * OF_SINGLE + OF_END;
  const makeVectors = buildVectors(builder, run, width, count);
  const linear = (name: string, inputs: number, outputs: number) =>
    builder.linear({ name, inputs, outputs, bias: true });
  const embedText = linear('context_embedder', textSize, width);
  const embed = linear('x_embedder', channels, width);
  const blocks = buildFluxBlocks(builder, run, attention, { layers, singles, vectorBias: null });
  const norm = plainNorm(builder, width);
  const project = linear('proj_out', width, channels);
  return denoiser(run, { tokens: textTokens, size: textSize }, (tape, latents, text) => {
    const image = tape.name(embed(tape, latents));
    const vectors = tape.name(makeVectors(tape));
    const words = tape.name(embedText(tape, text));
    const part = (of: number): Tensor => tape.name(slice(tape, vectors, batch * of * width));
    const angles = nameAngles(tape, textTokens + tokens, headDim);
    const turn = (inner: Tape, x: Tensor): Tensor => rotatePairs(inner, x, angles);
    const mask = {
      tensor: tape.name(tape.empty(batch * (textTokens + tokens), 'bool')),
      of: 'pairs' as const,
    };
    const ofImage = part(OF_JOINT);
    const common = { batch, hasFlash, mask, turn };
    const joint = { ...common, time: ofImage, textTime: part(OF_JOINT) };
    const ofBoth = part(OF_SINGLE);
    const single = { ...common, time: ofBoth, textTime: ofBoth };
    const states = runRowed(tape, [words, image], blocks, { joint, single });
    const normed = tape.name(norm(tape, states));
    return project(tape, modulate(tape, normed, part(1), part(1)));
  });
}

/** Chroma: FLUX.1 with time-step vectors from one small network, and masked text. */
export const chroma: Architecture = {
  modelTypes: ['ChromaTransformer2DModel'],
  source: 'diffusers 0.42.1, models/transformers/transformer_chroma.py',
  samples: 'latents',
  latents: { channels: 64, scale: 16, frames: 0 },
  heads: ['denoiser'],
  build,
};
