import type { ModelFacts } from '../../models/model';
import type { Architecture, Model } from '../architecture';
import { buildConditionEmbedding } from '../blocks/denoiser/timeEmbedding';
import { buildTextLayer } from '../blocks/denoiser/uvit/block';
import { buildDoubling, buildHalving, buildMapBlock } from '../blocks/denoiser/uvit/maps';
import { rmsNorm } from '../blocks/denoiser/layers';
import { buildConvolution, elementsOf, imagesOf } from '../blocks/images/layers';
import type { FeatureMaps } from '../blocks/images/layers';
import { classLoss } from '../blocks/loss/crossEntropy';
import { flag, stated } from '../configValues';
import type { Builder, Step } from '../modules';
import { to } from '../ops/cast';
import { embedding } from '../ops/select';
import { copy, reordered } from '../ops/shape';
import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';
import { INPUTS, LOGITS } from '../terms';

/** Number of text tokens from CLIP. */
const TEXT_TOKENS = 77;

/** Defaults of UVit2DModel.__init__. */
function sizesOf(model: ModelFacts) {
  return {
    hidden: stated(model, 'hidden_size', 1024),
    text: stated(model, 'encoder_hidden_size', 768),
    condition: stated(model, 'micro_cond_embed_dim', 1280) + stated(model, 'cond_embed_dim', 768),
    words: stated(model, 'vocab_size', 8256),
    codes: stated(model, 'codebook_size', 8192),
    embedded: stated(model, 'in_channels', 768),
    channels: stated(model, 'block_out_channels', 768),
    layers: stated(model, 'num_hidden_layers', 22),
    heads: stated(model, 'num_attention_heads', 16),
    inner: stated(model, 'intermediate_size', 2816),
    maps: {
      depth: stated(model, 'num_res_blocks', 3),
      heads: stated(model, 'block_num_heads', 12),
      hidden: stated(model, 'hidden_size', 1024),
    },
  };
}

/** A linear layer over a norm, between maps of one width and tokens of another. */
function buildProjection(builder: Builder, name: string, inputs: number, outputs: number): Step {
  const norm = rmsNorm(builder, inputs);
  const linear = builder.linear({ name, inputs, outputs, bias: false });
  return (tape, x) => tape.call([x], () => linear(tape, tape.name(norm(tape, x))));
}

/** UVit2DConvEmbed: from codes to maps. */
function buildCodes(builder: Builder, tokens: FeatureMaps, words: number, channels: number): Step {
  const table = builder.embedding('embeddings', words, tokens.channels);
  const norm = rmsNorm(builder, tokens.channels);
  const [convolve] = buildConvolution(builder, tokens, { channels, size: 1, bias: false }).steps;
  return (tape, ids) =>
    tape.call([ids], () => {
      const states = tape.name(norm(tape, embedding(tape, table, ids)));
      return convolve ? convolve(tape, states) : states;
    });
}

/** ConvMlmLayer: from maps to logits over the codes. */
function buildLogits(builder: Builder, from: FeatureMaps, embedded: number, codes: number): Step {
  const [first] = buildConvolution(builder, from, { channels: embedded, size: 1, bias: false }).steps;
  const norm = rmsNorm(builder, embedded);
  const inner = { ...from, channels: embedded };
  const [second] = buildConvolution(builder, inner, { channels: codes, size: 1, bias: false }).steps;
  return (tape, x) =>
    tape.call([x], () => {
      const states = tape.name(norm(tape, first ? first(tape, x) : x));
      return tape.during(LOGITS, () => (second ? second(tape, states) : states));
    });
}

function build(builder: Builder, run: MemoryRun): Model {
  const { model } = run;
  const batch = run.batch.rows;
  const { autocast, weightDtype } = run.numbers;
  const sizes = sizesOf(model);
  const { hidden, channels } = sizes;
  const tokens = { ...imagesOf(run), channels: sizes.embedded };
  const text = buildText(builder, sizes.text, hidden);
  const codes = buildCodes(builder, tokens, sizes.words, channels);
  const shape = { name: 'cond_embed', inputs: sizes.condition, size: hidden, bias: false };
  const condition = buildConditionEmbedding(builder, shape);
  const halving = flag(model, 'downsample') ? buildHalving(builder, { ...tokens, channels }) : null;
  const maps = halving?.to ?? { ...tokens, channels };
  const down = buildMapBlock(builder, run, maps, sizes.maps, {
    before: halving?.step ?? null,
    buildAfter: () => null,
  });
  const toHidden = buildProjection(builder, 'project_to_hidden', channels, hidden);
  const design = { width: hidden, heads: sizes.heads, inner: sizes.inner };
  const layers = builder.repeat(sizes.layers, () => buildTextLayer(builder, run, design));
  const toMaps = buildProjection(builder, 'project_from_hidden', hidden, channels);
  const buildAfter = () => (flag(model, 'upsample') ? buildDoubling(builder, maps) : null);
  const up = buildMapBlock(builder, run, maps, sizes.maps, { before: null, buildAfter });
  const logits = buildLogits(builder, { ...tokens, channels }, sizes.embedded, sizes.codes);
  const dtype = autocast ?? weightDtype;
  return tape =>
    tape.call([], () => {
      const ids = tape.during(INPUTS, () =>
        tape.name(tape.empty(elementsOf({ ...tokens, channels: 1 }), 'int64')),
      );
      const labels = tape.during(INPUTS, () => tape.name(tape.empty(ids.elements, 'int64')));
      const words = tape.name(tape.empty(batch * TEXT_TOKENS * sizes.text, dtype));
      const predicted = tape.call([ids, words], () => {
        const seen = tape.name(text(tape, words));
        const conditioning = tape.name(condition(tape, tape.empty(batch * sizes.condition, weightDtype)));
        let states = tape.name(down(tape, tape.name(codes(tape, ids)), seen, conditioning));
        states = tape.rename(states, toHidden(tape, copy(tape, states)));
        for (const { part, times } of layers) {
          states = tape.repeat(
            times,
            states,
            [each => part(tape, each, seen, conditioning)],
            [seen, conditioning],
          );
        }
        states = tape.rename(states, toMaps(tape, states));
        states = tape.rename(states, up(tape, states, seen, conditioning));
        return logits(tape, states);
      });
      return tape.during(LOGITS, () => codeLoss(tape, predicted, labels));
    });
}

/** The prompt's states, projected and normalized. */
function buildText(builder: Builder, from: number, hidden: number): Step {
  const project = builder.linear({ name: 'encoder_proj', inputs: from, outputs: hidden, bias: false });
  const norm = rmsNorm(builder, hidden);
  return (tape, x) => tape.call([x], () => norm(tape, tape.name(project(tape, x))));
}

/**
 * accelerate upcasts the logits; they are rearranged with one row per code for the cross entropy (train_amused.py).
 */
function codeLoss(tape: Tape, logits: Tensor, labels: Tensor): Tensor {
  const wide = to(tape, logits, 'fp32');
  return classLoss(tape, tape.name(reordered(tape, wide)), labels);
}

/** aMUSEd's transformer over the codes of images, some of which are masked. */
export const uvit: Architecture = {
  modelTypes: ['UVit2DModel'],
  source: 'diffusers 0.42.1, models/unets/uvit_2d.py',
  samples: 'latents',
  latents: { channels: 1, scale: 16, frames: 0 },
  // `_set_gradient_checkpointing` did nothing up to diffusers 0.32 (its body was `pass`), and later releases cannot run
  // their checkpointed layers, which take keyword arguments.
  checkpoints: 'ignored',
  heads: ['denoiser'],
  build,
};
