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
import { activation } from '../ops/pointwise';
import { cat, copy, slice } from '../ops/shape';
import { computeDtype } from '../run';
import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';

/** ZImagePipeline encodes at most 512 tokens, and removes the padding: prompts are short. */
const TEXT_TOKENS = 512;
/** ADALN_EMBED_DIM */
const TIME_SIZE = 256;
const SIDE = 2;

/** Defaults of ZImageTransformer2DModel.__init__. */
function designOf({ model }: MemoryRun): SandwichDesign {
  const width = stated(model, 'dim', 3840);
  const heads = stated(model, 'n_heads', 30);
  const inner = Math.trunc((width / 3) * 8);
  return {
    attention: {
      width,
      heads,
      headDim: width / heads,
      bias: false,
      outBias: false,
      norm: rmsNorm,
      byHead: false,
      turns: 'together',
    },
    mlp: builder => buildGatedMlp(builder, { width, inner, names: ['w1', 'w3', 'w2'], activate: activation }),
    time: { size: TIME_SIZE, activated: false },
  };
}

function build(builder: Builder, run: MemoryRun): Model {
  const { model } = run;
  const batch = run.batch.rows;
  const { hasFlash } = run.kernels;
  const design = designOf(run);
  const { width, headDim } = design.attention;
  const textSize = stated(model, 'cap_feat_dim', 2560);
  const patches = latentPatches(run, SIDE);
  const textTokens = textTokensOf(run, TEXT_TOKENS);
  const embed = buildLinearPatches(builder, 'x_embedder', patches.elements, width);
  const end = buildFactorEnd(builder, { width, outputs: patches.elements, bias: true, timeSize: TIME_SIZE });
  const chain = (count: number, change: Partial<SandwichDesign>) =>
    buildChain(
      builder,
      {
        ...run,
        recompute: {
          ...run.recompute,
          segments: change.time === undefined ? (run.recompute.segments ?? null) : null,
        },
      },
      count,
      () => buildSandwichBlock(builder, { ...design, ...change }),
    );
  const refiners = stated(model, 'n_refiner_layers', 2);
  const ofImage = chain(refiners, { time: design.time });
  const ofText = chain(refiners, { time: null });
  const embedTime = buildTimeEmbedding(builder, TIME_SIZE);
  const textNorm = rmsNorm(builder, textSize);
  const embedText = builder.linear({ name: 'cap_embedder.1', inputs: textSize, outputs: width, bias: true });
  const layers = chain(stated(model, 'n_layers', 30), {});
  const dtype = computeDtype(run);
  return denoiser(run, { tokens: textTokens, size: textSize }, (tape, latents, text) => {
    const time = tape.name(embedTime(tape, batch, dtype));
    const through = (x: Tensor, blocks: typeof layers, tokens: number): Tensor => {
      const numbers = tape.name(tape.empty(batch * tokens * headDim, 'fp32'));
      const turn = (inner: Tape, states: Tensor): Tensor => rotateComplex(inner, states, numbers);
      const mask = { tensor: tape.name(tape.empty(batch * tokens, 'bool')), of: 'keys' as const };
      const call: SandwichCall = { batch, hasFlash, mask, turn, time };
      const step = (block: SandwichBlock, states: readonly Tensor[]) => block(tape, states, call);
      return runChain(tape, [x], blocks, { step, held: [time] })[0] ?? x;
    };
    const image = through(tape.name(embed(tape, latents)), ofImage, patches.tokens);
    const words = through(tape.name(embedText(tape, textNorm(tape, text))), ofText, textTokens);
    const both = tape.name(cat(tape, image, words));
    const states = through(both, layers, patches.tokens + textTokens);
    const projected = tape.name(end(tape, states, time));
    return copy(tape, slice(tape, projected, batch * patches.tokens * patches.elements));
  });
}

/** Z-Image: image and text refined separately, then concatenated. */
export const zImage: Architecture = {
  modelTypes: ['ZImageTransformer2DModel'],
  source: 'diffusers 0.42.1, models/transformers/transformer_z_image.py',
  samples: 'latents',
  latents: { channels: 16, scale: 8, frames: 0 },
  heads: ['denoiser'],
  build,
};
