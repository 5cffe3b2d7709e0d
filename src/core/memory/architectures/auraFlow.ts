import type { Architecture, Model } from '../architecture';
import { buildChain } from '../blocks/denoiser/dit/chain';
import type { AttentionDesign } from '../blocks/denoiser/dit/attention';
import { denoiser, latentPatches, textTokensOf } from '../blocks/denoiser/latents';
import { buildModulatedEnd } from '../blocks/denoiser/dit/ends';
import { buildAuraSingle, buildJointBlock } from '../blocks/denoiser/dit/jointBlock';
import type { JointDesign } from '../blocks/denoiser/dit/jointBlock';
import { wideLayerNorm } from '../blocks/denoiser/layers';
import { runRowed } from '../blocks/denoiser/dit/rowed';
import { buildGatedMlp } from '../blocks/denoiser/dit/sandwichBlock';
import { buildTimeEmbedding } from '../blocks/denoiser/timeEmbedding';
import { stated } from '../configValues';
import type { Builder } from '../modules';
import { activation, add } from '../ops/pointwise';
import { catAll, copy, repeatHeads } from '../ops/shape';
import { computeDtype } from '../run';
import type { MemoryRun } from '../run';

/** AuraFlowPipeline (max_sequence_length). */
const TEXT_TOKENS = 256;
/** The model's own tokens before the text. */
const REGISTERS = 8;
const MULTIPLE = 256;

/** Defaults of AuraFlowTransformer2DModel.__init__. */
function designOf({ model }: MemoryRun): JointDesign {
  const heads = stated(model, 'num_attention_heads', 12);
  const headDim = stated(model, 'attention_head_dim', 256);
  const width = heads * headDim;
  const inner = Math.ceil(Math.trunc((8 * width) / 3) / MULTIPLE) * MULTIPLE;
  const names = ['linear_1', 'linear_2', 'out_projection'] as const;
  const attention: AttentionDesign = {
    width,
    heads,
    headDim,
    bias: false,
    outBias: false,
    norm: wideLayerNorm,
    byHead: false,
    turns: 'never',
  };
  return {
    attention,
    order: 'text first',
    vectorBias: false,
    aura: true,
    mlp: builder => buildGatedMlp(builder, { width, inner, names, activate: activation }),
  };
}

function build(builder: Builder, run: MemoryRun): Model {
  const { model } = run;
  const batch = run.batch.rows;
  const { hasFlash } = run.kernels;
  const design = designOf(run);
  const { width } = design.attention;
  const textSize = stated(model, 'joint_attention_dim', 2048);
  const patches = latentPatches(run, stated(model, 'patch_size', 2));
  const textTokens = textTokensOf(run, TEXT_TOKENS);
  const project = builder.linear({
    name: 'pos_embed.proj',
    inputs: patches.elements,
    outputs: width,
    bias: true,
  });
  const positions = builder.kernel([1, stated(model, 'pos_embed_max_size', 1024), width]);
  const embedText = builder.linear({
    name: 'context_embedder',
    inputs: textSize,
    outputs: width,
    bias: false,
  });
  const embedTime = buildTimeEmbedding(builder, width);
  const joint = buildChain(builder, run, stated(model, 'num_mmdit_layers', 4), () =>
    buildJointBlock(builder, design),
  );
  const single = buildChain(builder, run, stated(model, 'num_single_dit_layers', 32), () =>
    buildAuraSingle(builder, design),
  );
  const end = buildModulatedEnd(builder, { width, outputs: patches.elements, bias: false, normed: false });
  const registers = builder.kernel([1, REGISTERS, width]);
  return denoiser(run, { tokens: textTokens, size: textSize }, (tape, latents, text) => {
    const places = tape.view(positions, patches.tokens * width);
    const image = tape.name(add(tape, project(tape, copy(tape, latents)), places));
    const time = tape.name(embedTime(tape, batch, computeDtype(run)));
    const own = tape.name(repeatHeads(tape, registers, batch, true));
    const words = tape.name(catAll(tape, [own, embedText(tape, text)]));
    const call = { batch, hasFlash, mask: null, turn: null, time, textTime: time };
    const states = runRowed(tape, [words, image], { joint, single }, { joint: call, single: call });
    return copy(tape, end(tape, states, time));
  });
}

/** AuraFlow: a few blocks over two streams, many over both concatenated, norms in fp32. */
export const auraFlow: Architecture = {
  modelTypes: ['AuraFlowTransformer2DModel'],
  source: 'diffusers 0.42.1, models/transformers/auraflow_transformer_2d.py',
  samples: 'latents',
  latents: { channels: 4, scale: 8, frames: 0 },
  heads: ['denoiser'],
  build,
};
