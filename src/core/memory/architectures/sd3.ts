import type { Architecture, Model } from '../architecture';
import { buildChain, runChain } from '../blocks/denoiser/dit/chain';
import type { Streams } from '../blocks/denoiser/dit/chain';
import { denoiser, latentPatches, textTokensOf } from '../blocks/denoiser/latents';
import { buildPatchEmbed, buildTextProjection } from '../blocks/denoiser/dit/embed';
import { buildModulatedEnd } from '../blocks/denoiser/dit/ends';
import { buildJointBlock } from '../blocks/denoiser/dit/jointBlock';
import type { JointBlock, JointDesign } from '../blocks/denoiser/dit/jointBlock';
import { buildFeedForward, rmsNorm } from '../blocks/denoiser/layers';
import { buildTimeEmbedding } from '../blocks/denoiser/timeEmbedding';
import { numbers, stated } from '../configValues';
import type { Builder } from '../modules';
import { add } from '../ops/pointwise';
import { copy } from '../ops/shape';
import type { MemoryRun } from '../run';
import type { Tensor } from '../tensor';

/** StableDiffusion3Pipeline: 77 tokens of CLIP and 256 of T5 (max_sequence_length). */
const TEXT_TOKENS = 77 + 256;

/** Defaults of SD3Transformer2DModel.__init__. */
function sizesOf({ model }: MemoryRun) {
  const heads = stated(model, 'num_attention_heads', 18);
  const headDim = stated(model, 'attention_head_dim', 64);
  return {
    heads,
    headDim,
    width: heads * headDim,
    layers: stated(model, 'num_layers', 18),
    dual: numbers(model, 'dual_attention_layers').length,
    textSize: stated(model, 'joint_attention_dim', 4096),
    pooledSize: stated(model, 'pooled_projection_dim', 2048),
    side: stated(model, 'patch_size', 2),
    places: stated(model, 'pos_embed_max_size', 96) ** 2,
  };
}

/** Layers with a second attention come first; the last layer has no text output. */
function buildBlocks(builder: Builder, run: MemoryRun) {
  const { heads, headDim, width, layers, dual } = sizesOf(run);
  const design: JointDesign = {
    attention: {
      width,
      heads,
      headDim,
      bias: true,
      outBias: true,
      norm: run.model.extra['qk_norm'] === 'rms_norm' ? rmsNorm : null,
      byHead: true,
      turns: 'never',
    },
    order: 'image first',
    vectorBias: true,
    mlp: inner => buildFeedForward(inner, width),
  };
  const chain = (count: number, change: Partial<JointDesign>) =>
    buildChain(builder, run, count, () => buildJointBlock(builder, { ...design, ...change }));
  return [chain(dual, { dual: true }), chain(layers - 1 - dual, {}), chain(1, { last: true })];
}

function build(builder: Builder, run: MemoryRun): Model {
  const batch = run.batch.rows;
  const { hasFlash } = run.kernels;
  const { autocast, weightDtype } = run.numbers;
  const { width, textSize, pooledSize, side, places } = sizesOf(run);
  const patches = latentPatches(run, side);
  const positions = { places, dtype: weightDtype };
  const embed = buildPatchEmbed(builder, { batch, width, side, patches, positions });
  const embedTime = buildTimeEmbedding(builder, width);
  const embedPooled = buildTextProjection(builder, pooledSize, width);
  const embedText = builder.linear({
    name: 'context_embedder',
    inputs: textSize,
    outputs: width,
    bias: true,
  });
  const chains = buildBlocks(builder, run);
  const end = buildModulatedEnd(builder, { width, outputs: patches.elements, bias: true });
  const shape = { tokens: textTokensOf(run, TEXT_TOKENS), size: textSize };
  return denoiser(run, shape, (tape, latents, text) => {
    const image = tape.name(embed(tape, latents));
    const dtype = autocast ?? weightDtype;
    const pooled = tape.name(tape.empty(batch * pooledSize, dtype));
    const time = tape.name(add(tape, embedTime(tape, batch, dtype), embedPooled(tape, pooled)));
    const words = tape.name(embedText(tape, text));
    const call = { batch, hasFlash, mask: null, turn: null, time, textTime: time };
    const step = (block: JointBlock, states: readonly Tensor[]) => block(tape, states, call);
    const streams = chains.reduce<Streams>(
      (states, chain) => runChain(tape, states, chain, { step, held: [time] }),
      [words, image],
    );
    const states = streams.at(-1) ?? image;
    return copy(tape, end(tape, states, time));
  });
}

/** Stable Diffusion 3: image and text as two streams with separate weights that attend to each other. */
export const sd3: Architecture = {
  modelTypes: ['SD3Transformer2DModel'],
  source: 'diffusers 0.42.1, models/transformers/transformer_sd3.py',
  samples: 'latents',
  latents: { channels: 16, scale: 8, frames: 0 },
  heads: ['denoiser'],
  build,
};
