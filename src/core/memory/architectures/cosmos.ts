import type { Architecture, Model } from '../architecture';
import { buildChain, runChain } from '../blocks/denoiser/dit/chain';
import { buildCrossBlock } from '../blocks/denoiser/dit/crossBlock';
import type { CrossBlock, CrossDesign } from '../blocks/denoiser/dit/crossBlock';
import { denoiser, latentPatches, textTokensOf } from '../blocks/denoiser/latents';
import { buildLinearPatches } from '../blocks/denoiser/dit/embed';
import { rmsNorm } from '../blocks/denoiser/layers';
import { modulate } from '../blocks/denoiser/timeEmbedding';
import { nameAngles, rotatePairs } from '../blocks/denoiser/rotation';
import { flag, numbers, stated } from '../configValues';
import type { Builder, Step } from '../modules';
import { plainLayerNorm } from '../ops/norm';
import { activation, add } from '../ops/pointwise';
import { copy, slice, split } from '../ops/shape';
import { computeDtype } from '../run';
import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';

/** Cosmos2TextToImagePipeline (max_sequence_length). */
const TEXT_TOKENS = 512;

/** FeedForward with GELU, without biases. */
function buildMlp(builder: Builder, width: number, inner: number): Step {
  const up = builder.linear({ name: 'ff.net.0.proj', inputs: width, outputs: inner, bias: false });
  const down = builder.linear({ name: 'ff.net.2', inputs: inner, outputs: width, bias: false });
  return (tape, x) => tape.call([x], () => down(tape, tape.name(activation(tape, up(tape, x)))));
}

/** Defaults of CosmosTransformer3DModel.__init__. */
function designOf({ model }: MemoryRun): CrossDesign {
  const heads = stated(model, 'num_attention_heads', 32);
  const headDim = stated(model, 'attention_head_dim', 128);
  const width = heads * headDim;
  const inner = width * stated(model, 'mlp_ratio', 4);
  const attention = { width, heads, headDim, bias: false, outBias: false, norm: rmsNorm, byHead: true };
  return {
    attention: { ...attention, turns: 'together' },
    textSize: stated(model, 'text_embed_dim', 1024),
    mlp: builder => buildMlp(builder, width, inner),
    vectors: { features: stated(model, 'adaln_lora_dim', 256) },
  };
}

function build(builder: Builder, run: MemoryRun): Model {
  const { model } = run;
  const batch = run.batch.rows;
  const { hasFlash } = run.kernels;
  const design = designOf(run);
  const { attention, textSize, vectors } = design;
  const { width, headDim } = attention;
  const features = vectors === 'table' ? width : vectors.features;
  const [depth = 1, side = 2] = numbers(model, 'patch_size');
  const patches = latentPatches(run, side, depth);
  const textTokens = textTokensOf(run, TEXT_TOKENS);
  const linear = (name: string, inputs: number, outputs: number) =>
    builder.linear({ name, inputs, outputs, bias: false });
  // The padding mask is an additional channel.
  const mask = flag(model, 'concat_padding_mask') ? side * side * depth : 0;
  const embed = buildLinearPatches(builder, 'patch_embed.proj', patches.elements + mask, width);
  const timeLayers = [
    linear('time_embed.linear_1', width, width),
    linear('time_embed.linear_2', width, 3 * width),
  ];
  const timeNorm = rmsNorm(builder, width);
  const chain = buildChain(builder, run, stated(model, 'num_layers', 28), () =>
    buildCrossBlock(builder, design),
  );
  const endLayers = [
    linear('norm_out.linear_1', width, features),
    linear('norm_out.linear_2', features, 2 * width),
  ];
  const project = linear('proj_out', width, patches.elements);
  const twoSteps = (tape: Tape, x: Tensor, [first, second]: readonly Step[], between: boolean): Tensor => {
    const made = first ? first(tape, x) : x;
    const states = between ? activation(tape, made) : made;
    return second ? second(tape, states) : states;
  };
  return denoiser(run, { tokens: textTokens, size: textSize }, (tape, latents, text) => {
    const input = tape.empty(batch * patches.tokens * (patches.elements + mask), latents.dtype);
    const image = tape.name(embed(tape, input));
    const angles = nameAngles(tape, patches.tokens, headDim);
    const waves = tape.name(tape.empty(batch * width, computeDtype(run)));
    const added = tape.name(twoSteps(tape, waves, timeLayers, true));
    const time = tape.name(timeNorm(tape, waves));
    const turn = (inner: Tape, x: Tensor): Tensor => rotatePairs(inner, x, angles);
    const call = { batch, hasFlash, mask: null, turn, text, textMask: null, time, added };
    const step = (block: CrossBlock, states: readonly Tensor[]) => block(tape, states, call);
    const [states = image] = runChain(tape, [image], chain, { step, held: [text, time, added] });
    const made = add(
      tape,
      twoSteps(tape, activation(tape, time), endLayers, false),
      slice(tape, added, 2 * batch * width),
    );
    const cut = split(tape, made, [made.elements / 2, made.elements / 2]).map(one => tape.name(one));
    const [offset = made, factor = made] = cut;
    const scaled = tape.name(modulate(tape, plainLayerNorm(tape, states, width), factor, offset));
    return copy(tape, project(tape, scaled));
  });
}

/** Cosmos-Predict2: blocks with cross-attention to the text, each part with its own vectors. */
export const cosmos: Architecture = {
  modelTypes: ['CosmosTransformer3DModel'],
  source: 'diffusers 0.42.1, models/transformers/transformer_cosmos.py',
  samples: 'latents',
  latents: { channels: 16, scale: 8, frames: 4 },
  heads: ['denoiser'],
  missing: ({ extra }) =>
    extra['extra_pos_embed_type'] ? ['the memory of learned positions in Cosmos'] : [],
  build,
};
