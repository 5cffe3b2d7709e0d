import type { Architecture, Model } from '../architecture';
import { buildChain, runChain } from '../blocks/denoiser/dit/chain';
import { denoiser, latentPatches, textTokensOf } from '../blocks/denoiser/latents';
import { buildLinearPatches } from '../blocks/denoiser/dit/embed';
import { buildFactorEnd } from '../blocks/denoiser/dit/ends';
import { rmsNorm } from '../blocks/denoiser/layers';
import { rotateComplex } from '../blocks/denoiser/rotation';
import { buildGatedMlp, buildSandwichBlock } from '../blocks/denoiser/dit/sandwichBlock';
import type { SandwichBlock, SandwichCall, SandwichDesign } from '../blocks/denoiser/dit/sandwichBlock';
import { buildTimeEmbedding } from '../blocks/denoiser/timeEmbedding';
import { stated } from '../configValues';
import type { Builder } from '../modules';
import { to } from '../ops/cast';
import { activation } from '../ops/pointwise';
import { cat, copy, slice } from '../ops/shape';
import { computeDtype } from '../run';
import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';

/** Lumina2Pipeline (max_sequence_length). */
const TEXT_TOKENS = 256;
const MOST_TIME = 1024;

const roundedUp = (size: number, multiple: number): number => Math.ceil(size / multiple) * multiple;

/** FP32SiLU */
const wideActivation = (tape: Tape, x: Tensor): Tensor =>
  to(tape, activation(tape, to(tape, x, 'fp32')), x.dtype);

/** Defaults of Lumina2Transformer2DModel.__init__. */
function designOf({ model }: MemoryRun): SandwichDesign {
  const width = stated(model, 'hidden_size', 2304);
  const heads = stated(model, 'num_attention_heads', 24);
  const free = 4 * width * stated(model, 'ffn_dim_multiplier', 1);
  const inner = roundedUp(Math.trunc(free), stated(model, 'multiple_of', 256));
  const names = ['linear_1', 'linear_3', 'linear_2'] as const;
  return {
    attention: {
      width,
      heads,
      kvHeads: stated(model, 'num_kv_heads', 8),
      headDim: width / heads,
      bias: false,
      outBias: false,
      norm: rmsNorm,
      byHead: false,
      turns: 'together',
    },
    mlp: builder => buildGatedMlp(builder, { width, inner, names, activate: wideActivation }),
    time: { size: Math.min(width, MOST_TIME), activated: true },
  };
}

function build(builder: Builder, run: MemoryRun): Model {
  const { model } = run;
  const batch = run.batch.rows;
  const { hasFlash } = run.kernels;
  const design = designOf(run);
  const { width, headDim } = design.attention;
  const timeSize = Math.min(width, MOST_TIME);
  const textSize = stated(model, 'cap_feat_dim', 1024);
  const patches = latentPatches(run, stated(model, 'patch_size', 2));
  const textTokens = textTokensOf(run, TEXT_TOKENS);
  const embed = buildLinearPatches(builder, 'x_embedder', patches.elements, width);
  const embedTime = buildTimeEmbedding(builder, timeSize);
  const textNorm = rmsNorm(builder, textSize);
  const embedText = builder.linear({
    name: 'caption_embedder.1',
    inputs: textSize,
    outputs: width,
    bias: true,
  });
  const refiners = stated(model, 'num_refiner_layers', 2);
  const plain = { ...run, recompute: { ...run.recompute, segments: null, checkpointing: 'none' as const } };
  const ofImage = buildChain(builder, plain, refiners, () => buildSandwichBlock(builder, design));
  const ofText = buildChain(builder, plain, refiners, () =>
    buildSandwichBlock(builder, { ...design, time: null }),
  );
  const layers = buildChain(builder, run, stated(model, 'num_layers', 26), () =>
    buildSandwichBlock(builder, design),
  );
  const end = buildFactorEnd(builder, { width, outputs: patches.elements, bias: true, timeSize });
  const dtype = computeDtype(run);
  return denoiser(run, { tokens: textTokens, size: textSize }, (tape, latents, text) => {
    const time = tape.name(embedTime(tape, batch, dtype));
    const through = (x: Tensor, blocks: typeof layers, tokens: number, masked: boolean): Tensor => {
      const numbers = tape.name(tape.empty(batch * tokens * headDim, 'fp32'));
      const turn = (inner: Tape, states: Tensor): Tensor => rotateComplex(inner, states, numbers);
      const mask = masked
        ? { tensor: tape.name(tape.empty(batch * tokens, 'bool')), of: 'keys' as const }
        : null;
      const call: SandwichCall = { batch, hasFlash, mask, turn, time };
      const step = (block: SandwichBlock, states: readonly Tensor[]) => block(tape, states, call);
      return runChain(tape, [x], blocks, { step, held: [time] })[0] ?? x;
    };
    const words = through(tape.name(embedText(tape, textNorm(tape, text))), ofText, textTokens, true);
    const image = through(tape.name(embed(tape, latents)), ofImage, patches.tokens, false);
    const both = tape.name(cat(tape, words, image));
    const states = through(both, layers, patches.tokens + textTokens, false);
    const projected = tape.name(end(tape, states, time));
    return copy(tape, slice(tape, projected, batch * patches.tokens * patches.elements));
  });
}

/** Lumina 2: image and text refined separately, then concatenated. */
export const lumina2: Architecture = {
  modelTypes: ['Lumina2Transformer2DModel'],
  source: 'diffusers 0.42.1, models/transformers/transformer_lumina2.py',
  samples: 'latents',
  latents: { channels: 16, scale: 8, frames: 0 },
  heads: ['denoiser'],
  build,
};
