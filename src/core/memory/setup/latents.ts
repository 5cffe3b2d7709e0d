import type { ModelFacts } from '../../models/model';
import type { Architecture, LatentShape } from '../architecture';
import { stated } from '../facts';
import type { ImageShape } from '../run';
import type { Asker } from './asker';

/** Stable Diffusion's autoencoder. */
const USUAL: LatentShape = { channels: 4, scale: 8, frames: 0 };

/** Latents of an image of so many pixels, or of a video of as many such frames as the run says. */
export function latentsOf(
  asker: Asker,
  { architecture, model }: { readonly architecture: Architecture; readonly model: ModelFacts },
  [width, height]: readonly [number, number],
): ImageShape {
  const { latents = USUAL } = architecture;
  const scale = stated(model, 'vae_scale_factor', latents.scale);
  const side = (pixels: number): number => Math.floor(pixels / scale);
  const channels = stated(model, 'latent_channels', stated(model, 'in_channels', latents.channels));
  const shape = { channels, width: side(width), height: side(height) };
  const ratio = stated(model, 'temporal_compression_ratio', latents.frames);
  return ratio === 0 ? shape : { ...shape, frames: framesOf(asker, ratio) };
}

/** The first frame is encoded by itself, the others several together. */
function framesOf(asker: Asker, ratio: number): number {
  const frames = asker.detail('frames') ?? asker.assume(1, 'a single frame: no key says how many');
  return Math.floor((frames - 1) / ratio) + 1;
}
