/** SimpleTuner, models/common.py, DEFAULT_LORA_TARGET; diffusers' examples train the same layers where they say nothing. */
export const DENOISER_TARGETS: readonly string[] = ['to_k', 'to_q', 'to_v', 'to_out.0'];

/** Classes of diffusers end so; those of transformers do not. */
const DENOISER = /(?:Transformer\dDModel|UNet2DConditionModel)$/;

/** Layers of a denoiser that get adapters where nothing is said; null: the model is no denoiser. */
export const denoiserTargets = (modelType: string): readonly string[] | null =>
  DENOISER.test(modelType) ? DENOISER_TARGETS : null;
