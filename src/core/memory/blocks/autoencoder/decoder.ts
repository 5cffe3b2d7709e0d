import type { DecoderSizes } from '../../../models/model';
import type { Builder, Step } from '../../modules';
import { activation } from '../../ops/pointwise';
import { resized } from '../../ops/shape';
import { buildGroupNorm } from '../denoiser/layers';
import { buildConvolution, elementsOf } from '../images/layers';
import type { FeatureMaps, Layers } from '../images/layers';
import { block, buildResnet, chain } from './encoder';

const FULL = { size: 3, padding: 1, bias: true };
const COLORS = 3;

/** Upsample2D: the nearest neighbor, then a convolution (diffusers, models/upsampling.py). */
function buildDoubling(builder: Builder, from: FeatureMaps): Layers {
  const large = { ...from, height: 2 * from.height, width: 2 * from.width };
  const { steps, to } = buildConvolution(builder, large, { ...FULL, channels: from.channels });
  const grow: Step = (tape, x) => resized(tape, x, elementsOf(large));
  return { steps: [block([grow, ...steps])], to };
}

/**
 * Decoder of AutoencoderKL (diffusers, models/autoencoders/vae.py) from latents to pictures. Omits the attention in
 * the middle, which is over few positions.
 */
export function buildDecoder(builder: Builder, latents: FeatureMaps, { widths, layers }: DecoderSizes): Step {
  const inward = widths.toReversed();
  const resnets = (count: number, channels: number) =>
    Array.from({ length: count }, () => (maps: FeatureMaps) => buildResnet(builder, maps, channels));
  const first = (maps: FeatureMaps): Layers =>
    buildConvolution(builder, maps, { ...FULL, channels: inward[0] ?? 0 });
  const middle = (maps: FeatureMaps): Layers => {
    const made = chain(maps, resnets(2, maps.channels));
    return { ...made, steps: [block(made.steps)] };
  };
  const level = (channels: number, index: number) => (maps: FeatureMaps) => {
    const doubling = index < inward.length - 1 ? [(from: FeatureMaps) => buildDoubling(builder, from)] : [];
    const made = chain(maps, [...resnets(layers, channels), ...doubling]);
    return { ...made, steps: [block(made.steps)] };
  };
  const end = (maps: FeatureMaps): Layers => {
    const norm = buildGroupNorm(builder, maps);
    const last = buildConvolution(builder, maps, { ...FULL, channels: COLORS });
    return { ...last, steps: [norm, activation, ...last.steps] };
  };
  return block(chain(latents, [first, middle, ...inward.map(level), end]).steps);
}
