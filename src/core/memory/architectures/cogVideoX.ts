import type { Architecture, Model } from '../architecture';
import { buildCogVideoXBlock } from '../blocks/denoiser/cogVideoXBlock';
import type { BlockCall, StreamBlock } from '../blocks/denoiser/cogVideoXBlock';
import { buildEmbeddings, buildEnd } from '../blocks/denoiser/cogVideoXEnds';
import type { EndSizes } from '../blocks/denoiser/cogVideoXEnds';
import { latentPatches, denoisingLoss } from '../blocks/denoiser/latents';
import { nameAngles } from '../blocks/denoiser/rotation';
import { buildTimeEmbedding } from '../blocks/denoiser/timeEmbedding';
import { flag, stated } from '../configValues';
import type { Builder, Repeated } from '../modules';
import { slice } from '../ops/shape';
import type { MemoryRun } from '../run';
import { repeatStreams } from '../streams';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';
import { checkpointStreams } from '../transforms/checkpoint';

/** Defaults of CogVideoXTransformer3DModel.__init__. */
function sizesOf(run: MemoryRun) {
  const { model } = run;
  const batch = run.batch.rows;
  const { weightDtype } = run.numbers;
  const heads = stated(model, 'num_attention_heads', 30);
  const headDim = stated(model, 'attention_head_dim', 64);
  const window = stated(model, 'patch_size', 2);
  const depth = stated(model, 'patch_size_t', 0);
  const rotates = flag(model, 'use_rotary_positional_embeddings');
  const ends: EndSizes = {
    batch,
    width: heads * headDim,
    timeSize: stated(model, 'time_embed_dim', 512),
    textSize: stated(model, 'text_embed_dim', 4096),
    textTokens: stated(model, 'max_text_seq_length', 226),
    patches: latentPatches(run, window, Math.max(depth, 1)),
    window: depth > 0 ? null : window,
    positions: rotates ? null : weightDtype,
  };
  return { ends, heads: { heads, headDim, bias: true }, rotates };
}

/** The layers; the last one is separate because its text output is unused. */
function buildBlocks(builder: Builder, { layers }: { layers: number }, make: () => StreamBlock) {
  const last = layers > 1 ? builder.repeat(1, make) : [];
  return [...builder.repeat(Math.max(layers - 1, 1), make), ...last];
}

interface Running {
  readonly blocks: readonly Repeated<StreamBlock>[];
  readonly call: BlockCall;
  readonly checkpoints: boolean;
}

function runBlocks(
  tape: Tape,
  streams: readonly Tensor[],
  { blocks, call, checkpoints }: Running,
): readonly Tensor[] {
  const held = [call.time, ...(call.angles ? [call.angles.cosines, call.angles.sines] : [])];
  return blocks.reduce((states, { part, times }) => {
    const body = ([video, text]: readonly Tensor[]): readonly Tensor[] =>
      video && text ? part(tape, video, text, call) : [];
    const round = (inputs: readonly Tensor[]): readonly Tensor[] =>
      checkpoints ? checkpointStreams(tape, inputs, held, body) : body(inputs);
    return repeatStreams(tape, times, states, round, [call.time]);
  }, streams);
}

function build(builder: Builder, run: MemoryRun): Model {
  const { model } = run;
  const batch = run.batch.rows;
  const { hasFlash } = run.kernels;
  const { checkpointing } = run.recompute;
  const { autocast, weightDtype } = run.numbers;
  const { ends, heads, rotates } = sizesOf(run);
  const { width, textTokens, textSize, patches } = ends;
  const embed = buildEmbeddings(builder, ends);
  const embedTime = buildTimeEmbedding(builder, ends.timeSize, { waves: width });
  const layers = stated(model, 'num_layers', 30);
  const blocks = buildBlocks(builder, { layers }, () => buildCogVideoXBlock(builder, heads, ends.timeSize));
  const end = buildEnd(builder, ends);
  const checkpoints = checkpointing !== 'none';
  const dtype = autocast ?? weightDtype;
  return (tape, { inputIds: latents }) =>
    tape.call([latents], () => {
      const text = tape.name(tape.empty(batch * textTokens * textSize, dtype));
      const angles = rotates ? nameAngles(tape, patches.tokens, heads.headDim) : null;
      const predicted = tape.call([latents, text], () => {
        const time = tape.name(embedTime(tape, batch, dtype));
        const joined = tape.name(embed(tape, latents, text));
        const words = tape.name(slice(tape, joined, batch * textTokens * width));
        const video = tape.rename(joined, slice(tape, joined, batch * patches.tokens * width));
        const call = { batch, hasFlash, angles, time };
        const [states = video] = runBlocks(tape, [video, words], { blocks, call, checkpoints });
        return end(tape, states, time);
      });
      return denoisingLoss(tape, tape.name(predicted), latents);
    });
}

/** CogVideoX: text and video attend to each other in every block, with a shared MLP. */
export const cogVideoX: Architecture = {
  modelTypes: ['CogVideoXTransformer3DModel'],
  source: 'diffusers 0.42.1, models/transformers/cogvideox_transformer_3d.py',
  samples: 'latents',
  latents: { channels: 16, scale: 8, frames: 4 },
  heads: ['denoiser'],
  missing: ({ extra }) => (extra['ofs_embed_dim'] ? ['the memory of CogVideoX 1.5 on images'] : []),
  build,
};
