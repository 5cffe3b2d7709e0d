import type { Framework } from '../../../spec/runSpec';
import type { Segments } from '../../run';

/** SimpleTuner bc8e6ab77 (4.8), models/*\/model.py: tokenizer_max_length, where it is not the pipeline's in diffusers. */
const SIMPLETUNER_TEXT: Readonly<Record<string, number>> = {
  // 77 of CLIP, and T5's t5_max_length.
  SD3Transformer2DModel: 77 + 154,
  // Padding is taken away before image and text are put in a row: the system prompt and a caption of a few words.
  Lumina2Transformer2DModel: 32,
  // The same without one; what is left is padded to a multiple of 32 (SEQ_MULTI_OF).
  ZImageTransformer2DModel: 32,
};

const isSimpleTuner = ({ name }: Framework): boolean => name.toLowerCase() === 'simpletuner';

export function textTokensIn(framework: Framework, modelType: string): number | null {
  return isSimpleTuner(framework) ? (SIMPLETUNER_TEXT[modelType] ?? null) : null;
}

/** SimpleTuner, models/common.py, DEFAULT_LORA_TARGET; diffusers' examples train the same layers where they say nothing. */
const TARGETS = ['to_k', 'to_q', 'to_v', 'to_out.0'];
/** Families that name others (DEFAULT_LORA_TARGET of models/<family>/model.py). */
const SIMPLETUNER_TARGETS: Readonly<Record<string, readonly string[]>> = {
  AuraFlowTransformer2DModel: [...TARGETS, 'add_q_proj', 'add_k_proj', 'add_v_proj', 'to_add_out'],
};

/** Classes of diffusers end so; those of transformers do not. */
const DENOISER = /(?:Transformer\dDModel|UNet2DConditionModel)$/;

export function targetsIn(framework: Framework, modelType: string): readonly string[] | null {
  if (!DENOISER.test(modelType)) return null;
  return (isSimpleTuner(framework) ? SIMPLETUNER_TARGETS[modelType] : undefined) ?? TARGETS;
}

/**
 * What SimpleTuner makes of gradient_checkpointing_interval, family by family (models/*\/transformer.py): so many blocks
 * are one checkpoint (checkpoint_sequential_state), or each of them is one (should_checkpoint_block). Families that
 * safety_check.py does not list have every block checkpointed.
 */
const TOGETHER: ReadonlySet<string> = new Set([
  'Flux2Transformer2DModel',
  'FluxTransformer2DModel',
  'HunyuanVideo15Transformer3DModel',
  'HunyuanVideoTransformer3DModel',
  'LTXVideoTransformer3DModel',
  'Lumina2Transformer2DModel',
  'PixArtTransformer2DModel',
  'SD3Transformer2DModel',
  'WanTransformer3DModel',
  'ZImageTransformer2DModel',
]);
const APART: ReadonlySet<string> = new Set([
  'AuraFlowTransformer2DModel',
  'ChromaTransformer2DModel',
  'ErnieImageTransformer2DModel',
  'Kandinsky5Transformer3DModel',
  'LongCatImageTransformer2DModel',
  'SanaTransformer2DModel',
]);

/** What the framework makes of segments that a run states. */
export function segmentsIn(
  framework: Framework,
  modelType: string,
  stated: Segments | null,
): Segments | null {
  if (stated === null || !isSimpleTuner(framework) || TOGETHER.has(modelType)) return stated;
  if (!APART.has(modelType)) return null;
  // Without a stride one of as many blocks is checkpointed.
  const { width, stride } = stated;
  return { width: width === stride ? 1 : width, stride, apart: true };
}
