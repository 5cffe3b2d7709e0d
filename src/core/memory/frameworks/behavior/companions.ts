import type { Framework } from '../../../spec/runSpec';
import type { Companion } from '../../../models/model';

/** What a training script does with the text encoders and autoencoders of a diffusion model's pipeline. */
export interface CompanionCode {
  /** Where latents and texts were encoded beforehand: loaded all the same and dropped before the first step, or never. */
  readonly precomputed: 'dropped' | 'never';
  /** What each is held in: the compute dtype, or fp32. */
  readonly dtype: Readonly<Record<Companion['kind'], 'compute' | 'fp32'>>;
}

const USUAL: CompanionCode = {
  precomputed: 'never',
  dtype: { 'text encoder': 'compute', autoencoder: 'compute' },
};

const BY_FRAMEWORK: Readonly<Record<string, CompanionCode>> = {
  // a-r-r-o-w/finetrainers@a19401e, training/cogvideox/*.py: everything goes to the device as weight_dtype; `if
  // args.load_tensors: del vae, text_encoder` comes after the peak was reset.
  'cogvideox-factory': { ...USUAL, precomputed: 'dropped' },
  // diffusers@58eb52c, examples/amused/train_amused.py: the text encoder as weight_dtype, the VQ model as it was loaded.
  'diffusers-amused': { ...USUAL, dtype: { 'text encoder': 'compute', autoencoder: 'fp32' } },
};

/** How a framework's script treats them. finetrainers precomputes with each by itself, before the denoiser is loaded. */
export function companionsOf({ name }: Framework): CompanionCode {
  return BY_FRAMEWORK[name] ?? USUAL;
}

/**
 * Scripts of diffusers hold frozen weights in the compute dtype and trained ones in fp32 (examples of diffusers,
 * `weight_dtype` and `cast_training_params`; the same in cogvideox-factory and finetrainers).
 */
export const CASTS_WEIGHTS: ReadonlySet<string> = new Set(['diffusers', 'cogvideox-factory', 'finetrainers']);
