import type { Builder, Step } from '../../modules';
import { activation, add, scale } from '../../ops/pointwise';
import { resized } from '../../ops/shape';
import { buildGroupNorm } from '../denoiser/groupNorm';
import { buildConvolution, elementsOf } from '../images/layers';
import type { FeatureMaps, Layers } from '../images/layers';

/** Sizes of an autoencoder's encoder of images, under the names of its config. */
export interface EncoderShape {
  /** Channels level by level (`block_out_channels`). */
  readonly widths: readonly number[];
  /** `layers_per_block` */
  readonly layers: number;
  /** Channels that come out. */
  readonly latents: number;
}

const FULL = { size: 3, padding: 1, bias: true };

/** ResnetBlock2D without a time step (diffusers, models/resnet.py). */
function buildResnet(builder: Builder, from: FeatureMaps, channels: number): Layers {
  const firstNorm = buildGroupNorm(builder, from);
  const first = buildConvolution(builder, from, { ...FULL, channels });
  const secondNorm = buildGroupNorm(builder, first.to);
  const second = buildConvolution(builder, first.to, { ...FULL, channels });
  const cut =
    from.channels === channels
      ? []
      : buildConvolution(builder, from, { channels, size: 1, bias: true }).steps;
  const body = [firstNorm, activation, ...first.steps, secondNorm, activation, ...second.steps];
  const step: Step = (tape, x) =>
    tape.call([x], () => {
      const states = body.reduce((each, one) => tape.rename(each, one(tape, each)), tape.name(x));
      const input = cut.reduce((each, one) => tape.name(one(tape, each)), x);
      return scale(tape, add(tape, input, states));
    });
  return { steps: [step], to: second.to };
}

/** Downsample2D: a pixel more on two sides, and a convolution of stride 2. */
function buildHalving(builder: Builder, from: FeatureMaps): Layers {
  const wide = { ...from, height: from.height + 1, width: from.width + 1 };
  const shape = { channels: from.channels, size: 3, stride: 2, bias: true };
  const { steps, to } = buildConvolution(builder, wide, shape);
  const pad: Step = (tape, x) => resized(tape, x, elementsOf(wide));
  return { steps: [(tape, x) => [pad, ...steps].reduce((each, one) => one(tape, each), x)], to };
}

/**
 * Encoder of AutoencoderKL and VQModel (diffusers, models/autoencoders/vae.py). Attention in its middle, which is over
 * few places, is not part of it.
 */
export function buildEncoder(
  builder: Builder,
  pixels: FeatureMaps,
  { widths, layers, latents }: EncoderShape,
): Step {
  let maps = pixels;
  const steps: Step[] = [];
  const put = (made: Layers): void => {
    steps.push(...made.steps);
    maps = made.to;
  };
  put(buildConvolution(builder, maps, { ...FULL, channels: widths[0] ?? 0 }));
  for (const [level, channels] of widths.entries()) {
    for (let i = 0; i < layers; i++) put(buildResnet(builder, maps, channels));
    if (level < widths.length - 1) put(buildHalving(builder, maps));
  }
  for (let i = 0; i < 2; i++) put(buildResnet(builder, maps, maps.channels));
  steps.push(buildGroupNorm(builder, maps), activation);
  put(buildConvolution(builder, maps, { ...FULL, channels: latents }));
  return (tape, x) =>
    tape.call([x], () => steps.reduce((each, one) => tape.rename(each, one(tape, each)), tape.name(x)));
}
