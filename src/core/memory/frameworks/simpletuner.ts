import type { Segments } from '../run';
import { DENOISER_TARGETS } from './behavior/behavior';
import type { FrameworkProfile } from './profile';
import { usual } from './profile';

/**
 * SimpleTuner bc8e6ab77 (4.8), models/*\/model.py: tokenizer_max_length, if different from the diffusers pipeline.
 */
const TEXT_TOKENS: Readonly<Record<string, number>> = {
  // 77 of CLIP, and T5's t5_max_length.
  SD3Transformer2DModel: 77 + 154,
  // Padding is removed before image and text are concatenated: the system prompt and a caption of a few words.
  Lumina2Transformer2DModel: 32,
  // The same without a system prompt; the rest is padded to a multiple of 32 (SEQ_MULTI_OF).
  ZImageTransformer2DModel: 32,
};

/** Families with other targets (DEFAULT_LORA_TARGET of models/<family>/model.py). */
const TARGETS: Readonly<Record<string, readonly string[]>> = {
  AuraFlowTransformer2DModel: [...DENOISER_TARGETS, 'add_q_proj', 'add_k_proj', 'add_v_proj', 'to_add_out'],
};

/**
 * SimpleTuner's interpretation of gradient_checkpointing_interval by family (models/*\/transformer.py): this many
 * blocks form one checkpoint (checkpoint_sequential_state), or each is one (should_checkpoint_block). Families that
 * safety_check.py does not list checkpoint every block.
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
const SEGMENTED_TRANSFORMERS: ReadonlySet<string> = new Set([
  'AuraFlowTransformer2DModel',
  'ChromaTransformer2DModel',
  'ErnieImageTransformer2DModel',
  'Kandinsky5Transformer3DModel',
  'LongCatImageTransformer2DModel',
  'SanaTransformer2DModel',
]);

function segmentsOf(modelType: string, stated: Segments): Segments | null {
  if (TOGETHER.has(modelType)) return stated;
  if (!SEGMENTED_TRANSFORMERS.has(modelType)) return null;
  // Without a stride, one of this many blocks is checkpointed.
  const { width, stride } = stated;
  return { width: width === stride ? 1 : width, stride, apart: true };
}

export const simpletuner: FrameworkProfile<'simpletuner'> = {
  ...usual,
  id: 'simpletuner',
  segments: segmentsOf,
  behavior: ({ modelType }, { denoiserTargets }) => ({
    denoiserTargets: TARGETS[modelType] ?? denoiserTargets,
    textTokens: TEXT_TOKENS[modelType] ?? null,
  }),
};
