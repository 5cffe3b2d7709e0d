import type { Builder, Step } from '../../modules';
import { activation, add, scale } from '../../ops/pointwise';
import { resized } from '../../ops/shape';
import type { EncoderShape } from '../../run';
import { buildGroupNorm } from '../denoiser/layers';
import { buildConvolution, elementsOf } from '../images/layers';
import type { FeatureMaps, Layers } from '../images/layers';

const FULL = { size: 3, padding: 1, bias: true };

/** ResnetBlock2D without a time step (diffusers, models/resnet.py). */
export function buildResnet(builder: Builder, from: FeatureMaps, channels: number): Layers {
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

/** Downsample2D: pads two sides by one pixel, and convolves with stride 2. */
function buildHalving(builder: Builder, from: FeatureMaps): Layers {
  const wide = { ...from, height: from.height + 1, width: from.width + 1 };
  const shape = { channels: from.channels, size: 3, stride: 2, bias: true };
  const { steps, to } = buildConvolution(builder, wide, shape);
  const pad: Step = (tape, x) => resized(tape, x, elementsOf(wide));
  return { steps: [(tape, x) => [pad, ...steps].reduce((each, one) => one(tape, each), x)], to };
}

/** A separate function: its input lives until it returns. */
export const block =
  (steps: readonly Step[]): Step =>
  (tape, x) =>
    tape.call([x], () => steps.reduce((each, one) => tape.rename(each, one(tape, each)), tape.name(x)));

/** Layers in sequence, each over the previous one's output. */
export function chain(from: FeatureMaps, makers: readonly ((maps: FeatureMaps) => Layers)[]): Layers {
  const steps: Step[] = [];
  const to = makers.reduce((maps, make) => {
    const made = make(maps);
    steps.push(...made.steps);
    return made.to;
  }, from);
  return { steps, to };
}

/**
 * Encoder of AutoencoderKL and VQModel (diffusers, models/autoencoders/vae.py). Omits the attention in the middle,
 * which is over few positions.
 */
export function buildEncoder(
  builder: Builder,
  pixels: FeatureMaps,
  { widths, layers, latents }: EncoderShape,
): Step {
  const resnets = (count: number, channels: number) =>
    Array.from({ length: count }, () => (maps: FeatureMaps) => buildResnet(builder, maps, channels));
  const level = (channels: number, index: number) => (maps: FeatureMaps) => {
    const halving = index < widths.length - 1 ? [(from: FeatureMaps) => buildHalving(builder, from)] : [];
    const made = chain(maps, [...resnets(layers, channels), ...halving]);
    return { ...made, steps: [block(made.steps)] };
  };
  const middle = (maps: FeatureMaps): Layers => {
    const made = chain(maps, resnets(2, maps.channels));
    return { ...made, steps: [block(made.steps)] };
  };
  const end = (maps: FeatureMaps): Layers => {
    const norm = buildGroupNorm(builder, maps);
    const last = buildConvolution(builder, maps, { ...FULL, channels: latents });
    return { ...last, steps: [norm, activation, ...last.steps] };
  };
  const first = (maps: FeatureMaps): Layers =>
    buildConvolution(builder, maps, { ...FULL, channels: widths[0] ?? 0 });
  return block(chain(pixels, [first, ...widths.map(level), middle, end]).steps);
}
