import type { Architecture, Model } from '../architecture';
import { buildChain, runChain } from '../blocks/denoiser/dit/chain';
import type { Chain } from '../blocks/denoiser/dit/chain';
import { buildFlux2Block, buildFlux2Single } from '../blocks/denoiser/dit/flux2';
import type { Flux2Block, Flux2Call } from '../blocks/denoiser/dit/flux2';
import { buildModulatedEnd } from '../blocks/denoiser/dit/ends';
import { latentPatches, denoisingLoss } from '../blocks/denoiser/latents';
import { nameAngles, rotatePairs } from '../blocks/denoiser/rotation';
import { buildTimeEmbedding } from '../blocks/denoiser/timeEmbedding';
import { stated } from '../configValues';
import type { Builder } from '../modules';
import { activation } from '../ops/pointwise';
import { cat, slice } from '../ops/shape';
import { computeDtype } from '../run';
import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';

/** Defaults of Flux2Transformer2DModel.__init__. */
function sizesOf({ model }: MemoryRun) {
  const heads = stated(model, 'num_attention_heads', 48);
  const headDim = stated(model, 'attention_head_dim', 128);
  const width = heads * headDim;
  return { width, heads, headDim, inner: Math.trunc(width * stated(model, 'mlp_ratio', 3)) };
}

/** Length of the text that Flux2Pipeline encodes (max_sequence_length). */
const TEXT_TOKENS = 512;

interface Blocks {
  readonly joint: Chain<Flux2Block>;
  readonly single: Chain<Flux2Block>;
}

function runBlocks(
  tape: Tape,
  [text, image]: readonly [Tensor, Tensor],
  { joint, single }: Blocks,
  call: Flux2Call,
) {
  const held = [call.ofImage, call.ofText, call.ofBoth];
  const step = (block: Flux2Block, states: readonly Tensor[]) => block(tape, states, call);
  const [words = text, pixels = image] = runChain(tape, [text, image], joint, { step, held });
  const both = tape.rename(words, cat(tape, words, pixels));
  tape.drop(pixels);
  const [states = both] = runChain(tape, [both], single, { step, held });
  return states;
}

function build(builder: Builder, run: MemoryRun): Model {
  const { model } = run;
  const batch = run.batch.rows;
  const { hasFlash } = run.kernels;
  const sizes = sizesOf(run);
  const { width, headDim } = sizes;
  const channels = stated(model, 'in_channels', 128);
  const textSize = stated(model, 'joint_attention_dim', 15360);
  const tokens = latentPatches(run, 1).tokens;
  const linear = (name: string, inputs: number, outputs: number) =>
    builder.linear({ name, inputs, outputs, bias: false });
  const waves = stated(model, 'timestep_guidance_channels', 256);
  const embedTime = buildTimeEmbedding(builder, width, { waves, bias: false });
  if (model.extra['guidance_embeds'] !== false) buildTimeEmbedding(builder, width, { waves, bias: false });
  const vectors = [6, 6, 3].map(count => linear('modulation.linear', width, count * width));
  const intoImage = linear('x_embedder', channels, width);
  const intoText = linear('context_embedder', textSize, width);
  const joint = buildChain(builder, run, stated(model, 'num_layers', 8), () =>
    buildFlux2Block(builder, sizes),
  );
  const single = buildChain(builder, run, stated(model, 'num_single_layers', 48), () =>
    buildFlux2Single(builder, sizes),
  );
  const end = buildModulatedEnd(builder, { width, outputs: channels, bias: false });
  const dtype = computeDtype(run);
  return (tape, { inputIds: latents }) =>
    tape.call([latents], () => {
      const text = tape.name(tape.empty(batch * TEXT_TOKENS * textSize, dtype));
      const predicted = tape.call([latents, text], () => {
        const time = tape.name(embedTime(tape, batch, dtype));
        const [ofImage = time, ofText = time, ofBoth = time] = vectors.map(layer =>
          tape.name(layer(tape, activation(tape, time))),
        );
        const pixels = tape.name(intoImage(tape, latents));
        const words = tape.name(intoText(tape, text));
        const angles = nameAngles(tape, TEXT_TOKENS + tokens, headDim);
        const turn = (inner: Tape, x: Tensor): Tensor => rotatePairs(inner, x, angles);
        const call = { batch, hasFlash, mask: null, turn, ofImage, ofText, ofBoth };
        const states = runBlocks(tape, [words, pixels], { joint, single }, call);
        const image = tape.rename(states, slice(tape, states, batch * tokens * width));
        return end(tape, image, time);
      });
      return denoisingLoss(tape, tape.name(predicted), latents);
    });
}

/** FLUX.2: image and text as two streams that attend to each other, then concatenated. */
export const flux2: Architecture = {
  modelTypes: ['Flux2Transformer2DModel'],
  source: 'diffusers 0.42.1, models/transformers/transformer_flux2.py',
  samples: 'latents',
  // Flux2Pipeline: the autoencoder's 32 channels at an eighth of the side lengths, in patches of 2 × 2.
  latents: { channels: 128, scale: 16, frames: 0 },
  heads: ['denoiser'],
  build,
};
