import type { Architecture, Model } from '../architecture';
import { buildChain, runChain } from '../blocks/denoiser/dit/chain';
import type { Streams } from '../blocks/denoiser/dit/chain';
import type { AttentionDesign } from '../blocks/denoiser/dit/attention';
import { denoiser, latentPatches, textTokensOf } from '../blocks/denoiser/latents';
import { buildPatchEmbed, buildTextProjection } from '../blocks/denoiser/dit/embed';
import { buildModulatedEnd } from '../blocks/denoiser/dit/ends';
import { buildJointBlock } from '../blocks/denoiser/dit/jointBlock';
import type { JointBlock } from '../blocks/denoiser/dit/jointBlock';
import { buildFeedForward, rmsNorm } from '../blocks/denoiser/layers';
import { buildRefiner } from '../blocks/denoiser/dit/refiner';
import { buildSingleBlock } from '../blocks/denoiser/dit/singleBlock';
import { nameAngles, rotatePairs } from '../blocks/denoiser/rotation';
import type { Angles } from '../blocks/denoiser/rotation';
import { buildTimeEmbedding } from '../blocks/denoiser/timeEmbedding';
import { stated } from '../configValues';
import type { Builder } from '../modules';
import { add } from '../ops/pointwise';
import { cat, copy, slice } from '../ops/shape';
import { computeDtype } from '../run';
import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';

/** HunyuanVideoPipeline's max_sequence_length. */
const TEXT_TOKENS = 256;

/** Defaults of HunyuanVideoTransformer3DModel.__init__. */
function sizesOf({ model }: MemoryRun) {
  const heads = stated(model, 'num_attention_heads', 24);
  const headDim = stated(model, 'attention_head_dim', 128);
  return {
    heads,
    headDim,
    width: heads * headDim,
    layers: stated(model, 'num_layers', 20),
    singles: stated(model, 'num_single_layers', 40),
    refiners: stated(model, 'num_refiner_layers', 2),
    widening: stated(model, 'mlp_ratio', 4),
    textSize: stated(model, 'text_embed_dim', 4096),
    pooledSize: stated(model, 'pooled_projection_dim', 768),
    side: stated(model, 'patch_size', 2),
    depth: stated(model, 'patch_size_t', 1),
  };
}

type Sizes = ReturnType<typeof sizesOf>;

const attentionOf = ({ width, heads, headDim }: Sizes): AttentionDesign => ({
  width,
  heads,
  headDim,
  bias: true,
  outBias: true,
  norm: rmsNorm,
  byHead: false,
  turns: 'together',
});

/** Blocks over two streams, then blocks over both concatenated. */
function buildBlocks(builder: Builder, run: MemoryRun, sizes: Sizes) {
  const { width, layers, singles, widening } = sizes;
  const attention = attentionOf(sizes);
  const inner = widening * width;
  const mlp = (within: Builder) => buildFeedForward(within, width, inner);
  const joint = { attention, order: 'image first', vectorBias: true, mlp } as const;
  return {
    joint: buildChain(builder, run, layers, () => buildJointBlock(builder, joint)),
    single: buildChain(builder, run, singles, () =>
      buildSingleBlock(builder, { attention, inner, vectorBias: true }),
    ),
  };
}

function build(builder: Builder, run: MemoryRun): Model {
  const batch = run.batch.rows;
  const { hasFlash } = run.kernels;
  const sizes = sizesOf(run);
  const { width, headDim, textSize, pooledSize, side, depth, refiners: layers } = sizes;
  const patches = latentPatches(run, side, depth);
  const tokens = textTokensOf(run, TEXT_TOKENS);
  const embed = buildPatchEmbed(builder, { batch, width, side, patches, positions: null });
  const attention = { ...attentionOf(sizes), norm: null, turns: 'never' } as const;
  const refine = buildRefiner(builder, { attention, textSize, layers, batch });
  const embedTime = buildTimeEmbedding(builder, width);
  const embedPooled = buildTextProjection(builder, pooledSize, width);
  const embedGuidance = buildTimeEmbedding(builder, width);
  const blocks = buildBlocks(builder, run, sizes);
  const end = buildModulatedEnd(builder, { width, outputs: patches.elements, bias: true });
  return denoiser(run, { tokens, size: textSize }, (tape, latents, text) => {
    const dtype = computeDtype(run);
    const angles = nameAngles(tape, patches.tokens + tokens, headDim);
    const pooled = tape.name(tape.empty(batch * pooledSize, dtype));
    const both = add(tape, embedTime(tape, batch, dtype), embedGuidance(tape, batch, dtype));
    const time = tape.name(add(tape, both, embedPooled(tape, pooled)));
    const image = tape.name(embed(tape, latents));
    // Words beyond the text's end are masked, which excludes FlashAttention.
    const mask = {
      tensor: tape.name(tape.empty(batch * (patches.tokens + tokens), 'bool')),
      of: 'keys',
    } as const;
    const unturned = { batch, hasFlash, mask: null, turn: null };
    const words = tape.name(refine(tape, text, dtype, unturned));
    const call = { batch, hasFlash, mask, turn: turning(angles), time, textTime: time };
    const step = (block: JointBlock, states: Streams): Streams => block(tape, states, call);
    const held = [time, angles.cosines, angles.sines, mask.tensor];
    const [read = words, seen = image] = runChain(tape, [words, image], blocks.joint, { step, held });
    const row = tape.name(cat(tape, seen, read));
    const [states = row] = runChain(tape, [row], blocks.single, { step, held });
    return copy(tape, end(tape, slice(tape, states, batch * patches.tokens * width), time));
  });
}

const turning =
  (angles: Angles) =>
  (tape: Tape, x: Tensor): Tensor =>
    rotatePairs(tape, x, angles);

/** HunyuanVideo: video and text as two streams that attend to each other, then concatenated. */
export const hunyuanVideo: Architecture = {
  modelTypes: ['HunyuanVideoTransformer3DModel'],
  source: 'diffusers 0.42.1, models/transformers/transformer_hunyuan_video.py',
  samples: 'latents',
  latents: { channels: 16, scale: 8, frames: 4 },
  heads: ['denoiser'],
  missing: ({ extra }) => (extra['image_condition_type'] ? ['the memory of HunyuanVideo on images'] : []),
  build,
};
