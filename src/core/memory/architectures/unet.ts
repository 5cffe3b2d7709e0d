import type { ModelFacts } from '../../models/model';
import type { Architecture, Model } from '../architecture';
import { imagesOf } from '../blocks/images/layers';
import { buildTextProjection } from '../blocks/denoiser/dit/embed';
import { buildUnet } from '../blocks/denoiser/unet';
import type { UnetShape } from '../blocks/denoiser/unet';
import { flag, numbers, stated } from '../configValues';
import type { Builder } from '../modules';
import { to } from '../ops/cast';
import { meanSquaredError } from '../ops/loss';
import { activation, add } from '../ops/pointwise';
import type { MemoryRun } from '../run';
import { LOGITS } from '../terms';

/** Default number of CLIP text states (`text_tokens`). */
const TEXT_TOKENS = 77;
/** Head size if the config does not state the number of heads (SD 2, SDXL). */
const HEAD_SIZE = 64;

function shapeOf(model: ModelFacts): UnetShape {
  const widths = numbers(model, 'block_out_channels');
  const heads = stated(model, 'attention_heads', 0);
  return {
    widths,
    layers: stated(model, 'layers_per_block', 2),
    depths: numbers(model, 'transformer_layers_per_block'),
    middleDepth: stated(model, 'mid_depth', 1),
    heads: channels => (heads > 0 ? heads : channels / HEAD_SIZE),
    textSize: stated(model, 'cross_attention_dim', 0),
    linear: flag(model, 'use_linear_projection'),
    timeSize: 4 * (widths[0] ?? 0),
    channels: stated(model, 'out_channels', 4),
  };
}

function build(builder: Builder, run: MemoryRun): Model {
  const batch = run.batch.rows;
  const { weightDtype } = run.numbers;
  const { hasFlash } = run.kernels;
  const { checkpointing } = run.recompute;
  const shape = shapeOf(run.model);
  const [width = 0] = shape.widths;
  const time = (inputs: number) =>
    builder.linear({ name: 'time_embedding', inputs, outputs: shape.timeSize, bias: true });
  const [firstTime, secondTime] = [time(width), time(shape.timeSize)];
  const added = stated(run.model, 'added_embedding', 0);
  const pooled = added > 0 ? buildTextProjection(builder, added, shape.timeSize) : null;
  const textTokens = stated(run.model, 'text_tokens', TEXT_TOKENS);
  const network = buildUnet(builder, imagesOf(run), shape);
  return (tape, { inputIds: latents }) =>
    tape.call([latents], () => {
      tape.name(tape.empty(batch, 'int64'));
      const text = tape.name(tape.empty(batch * textTokens * shape.textSize, weightDtype));
      const embedding = tape.call([], () => {
        const waves = tape.name(to(tape, tape.empty(batch * width, 'fp32'), weightDtype));
        const step = secondTime(tape, activation(tape, firstTime(tape, waves)));
        // Sizes and a pooled text (SDXL, addition_embed_type text_time).
        return pooled ? add(tape, step, pooled(tape, tape.empty(batch * added, weightDtype))) : step;
      });
      const checkpoints = checkpointing !== 'none';
      const context = { text, textTokens, hasFlash, checkpoints, time: tape.name(embedding) };
      const predicted = tape.name(network(tape, latents, context));
      // The latents stand in for the predicted noise, which has the same size.
      return tape.during(LOGITS, () =>
        meanSquaredError(tape, to(tape, predicted, 'fp32'), to(tape, latents, 'fp32')),
      );
    });
}

/** The denoiser of Stable Diffusion, without the text and image encoders. */
export const unet: Architecture = {
  modelTypes: ['UNet2DConditionModel'],
  source: 'diffusers 0.42.1, models/unets/unet_2d_condition.py',
  samples: 'latents',
  heads: ['denoiser'],
  assumes: ({ source }) =>
    source === 'user' ? ['the sizes in the config are those of a U-Net as in diffusers'] : [],
  missing: model => [
    ...(numbers(model, 'block_out_channels').length > 0 ? [] : ['the channels of its blocks']),
  ],
  build,
};
