import type { Architecture, Model } from '../architecture';
import { buildChain, runChain } from '../blocks/denoiser/dit/chain';
import { denoiser, latentPatches, textTokensOf } from '../blocks/denoiser/latents';
import { buildModulatedEnd } from '../blocks/denoiser/dit/ends';
import { buildJointBlock } from '../blocks/denoiser/dit/jointBlock';
import type { JointBlock } from '../blocks/denoiser/dit/jointBlock';
import { buildFeedForward, rmsNorm } from '../blocks/denoiser/layers';
import { rotateComplex } from '../blocks/denoiser/rotation';
import { buildTimeEmbedding } from '../blocks/denoiser/timeEmbedding';
import { stated } from '../configValues';
import type { Builder } from '../modules';
import { computeDtype } from '../run';
import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';

/** QwenImagePipeline encodes as many tokens as the longest prompt has, at most 512 (max_sequence_length). */
const TEXT_TOKENS = 512;

function build(builder: Builder, run: MemoryRun): Model {
  const { model } = run;
  const batch = run.batch.rows;
  const { hasFlash } = run.kernels;
  const heads = stated(model, 'num_attention_heads', 24);
  const headDim = stated(model, 'attention_head_dim', 128);
  const width = heads * headDim;
  const channels = stated(model, 'in_channels', 64);
  const outputs = stated(model, 'patch_size', 2) ** 2 * stated(model, 'out_channels', 16);
  const textSize = stated(model, 'joint_attention_dim', 3584);
  const { tokens } = latentPatches(run, 1);
  const textTokens = textTokensOf(run, TEXT_TOKENS);
  const attention = {
    ...{ width, heads, headDim, bias: true, outBias: true, norm: rmsNorm, byHead: false },
    turns: 'apart' as const,
  };
  const linear = (name: string, inputs: number) =>
    builder.linear({ name, inputs, outputs: width, bias: true });
  const embedTime = buildTimeEmbedding(builder, width);
  const textNorm = rmsNorm(builder, textSize);
  const embed = linear('img_in', channels);
  const embedText = linear('txt_in', textSize);
  const mlp = (inner: Builder) => buildFeedForward(inner, width);
  const design = { attention, order: 'text first' as const, vectorBias: true, mlp };
  const count = stated(model, 'num_layers', 60);
  const block = (): JointBlock => buildJointBlock(builder, design);
  const chains = [buildChain(builder, run, count - 1, block), buildChain(builder, run, 1, block)];
  const end = buildModulatedEnd(builder, { width, outputs, bias: true });
  return denoiser(run, { tokens: textTokens, size: textSize }, (tape, latents, text) => {
    const image = tape.name(embed(tape, latents));
    const words = tape.name(embedText(tape, textNorm(tape, text)));
    const time = tape.name(embedTime(tape, batch, computeDtype(run)));
    const numbers = tape.name(tape.empty((textTokens + tokens) * headDim, 'fp32'));
    const turn = (inner: Tape, x: Tensor): Tensor => rotateComplex(inner, x, numbers);
    const call = { batch, hasFlash, mask: null, turn, time, textTime: time };
    const step = (one: JointBlock, states: readonly Tensor[]) => one(tape, states, call);
    const streams = chains.reduce<readonly Tensor[]>(
      (states, chain) => runChain(tape, states, chain, { step, held: [time] }),
      [words, image],
    );
    return end(tape, streams.at(-1) ?? image, time);
  });
}

/** Qwen-Image: image and text as two streams that attend to each other in every block. */
export const qwenImage: Architecture = {
  modelTypes: ['QwenImageTransformer2DModel'],
  source: 'diffusers 0.42.1, models/transformers/transformer_qwenimage.py',
  samples: 'latents',
  latents: { channels: 64, scale: 16, frames: 0 },
  heads: ['denoiser'],
  build,
};
