import type { Architecture, Model } from '../architecture';
import { buildChain, runChain } from '../blocks/denoiser/dit/chain';
import { buildCrossBlock } from '../blocks/denoiser/dit/crossBlock';
import type { CrossBlock, CrossDesign } from '../blocks/denoiser/dit/crossBlock';
import { denoiser, latentPatches, textTokensOf } from '../blocks/denoiser/latents';
import { buildPatchEmbed, buildTextProjection } from '../blocks/denoiser/dit/embed';
import { buildFeedForward } from '../blocks/denoiser/layers';
import { modulate, buildTimeEmbedding } from '../blocks/denoiser/timeEmbedding';
import { stated } from '../configValues';
import type { Builder } from '../modules';
import { plainLayerNorm } from '../ops/norm';
import { activation } from '../ops/pointwise';
import { copy, slice } from '../ops/shape';
import { computeDtype } from '../run';
import type { MemoryRun } from '../run';
import type { Tensor } from '../tensor';

/** PixArtSigmaPipeline (max_sequence_length). */
const TEXT_TOKENS = 300;
const VECTORS = 6;

/** Defaults of PixArtTransformer2DModel.__init__. */
function designOf({ model }: MemoryRun): CrossDesign {
  const heads = stated(model, 'num_attention_heads', 16);
  const headDim = stated(model, 'attention_head_dim', 72);
  const width = heads * headDim;
  const attention = { width, heads, headDim, bias: true, outBias: true, norm: null, byHead: false };
  return {
    attention: { ...attention, turns: 'never' },
    textSize: stated(model, 'cross_attention_dim', width),
    mlp: builder => buildFeedForward(builder, width),
    vectors: 'table',
  };
}

function build(builder: Builder, run: MemoryRun): Model {
  const { model } = run;
  const batch = run.batch.rows;
  const { hasFlash } = run.kernels;
  const design = designOf(run);
  const { width } = design.attention;
  const side = stated(model, 'patch_size', 2);
  const patches = latentPatches(run, side);
  const textTokens = textTokensOf(run, TEXT_TOKENS);
  const textSize = stated(model, 'caption_channels', 4096);
  const positions = { places: (stated(model, 'sample_size', 128) / side) ** 2, dtype: 'fp32' as const };
  const embed = buildPatchEmbed(builder, { batch, width, side, patches, positions });
  const chain = buildChain(builder, run, stated(model, 'num_layers', 28), () =>
    buildCrossBlock(builder, design),
  );
  const outputs = side * side * stated(model, 'out_channels', 8);
  const table = builder.kernel([2, width]);
  const project = builder.linear({ name: 'proj_out', inputs: width, outputs, bias: true });
  const embedTime = buildTimeEmbedding(builder, width);
  const vectors = builder.linear({
    name: 'adaln_single.linear',
    inputs: width,
    outputs: VECTORS * width,
    bias: true,
  });
  const embedText = buildTextProjection(builder, textSize, width);
  return denoiser(run, { tokens: textTokens, size: textSize }, (tape, latents, given) => {
    const image = tape.name(embed(tape, latents));
    const time = tape.name(embedTime(tape, batch, computeDtype(run)));
    const added = tape.name(vectors(tape, activation(tape, time)));
    const text = tape.name(embedText(tape, given));
    const textMask = { tensor: text, of: 'keys' as const };
    const call = { batch, hasFlash, mask: null, turn: null, text, textMask, time, added };
    const step = (block: CrossBlock, states: readonly Tensor[]) => block(tape, states, call);
    const [states = image] = runChain(tape, [image], chain, { step, held: [text, added] });
    const normed = tape.name(plainLayerNorm(tape, states, width));
    const [offset, factor] = [0, 1].map(() => tape.name(slice(tape, table, width)));
    const scaled = offset && factor ? tape.rename(normed, modulate(tape, normed, factor, offset)) : normed;
    const projected = tape.name(copy(tape, project(tape, scaled)));
    // The other half of the channels is an unused variance.
    return slice(tape, projected, latents.elements);
  });
}

/** PixArt: blocks with cross-attention to the text, and shared vectors of the time step. */
export const pixart: Architecture = {
  modelTypes: ['PixArtTransformer2DModel'],
  source: 'diffusers 0.42.1, models/transformers/pixart_transformer_2d.py',
  samples: 'latents',
  latents: { channels: 4, scale: 8, frames: 0 },
  heads: ['denoiser'],
  build,
};
