import type { Target } from '../../hardware/gpu';
import type { ModelFacts } from '../../models/model';
import type { Architecture } from '../architecture';
import type { Engine } from '../engine';
import type { Behavior } from '../frameworks/behavior/behavior';
import type { Kernels, Recompute, Segments } from '../run';
import type { LoraPlan } from '../adapterMethod';
import { profileOf } from '../frameworks/profileOf';
import type { RunQuestions } from './questions';
import { unpads } from './batch';

/** The attention implementation and its settings. Unknown kernels keep the same tensors as FlashAttention. */
export function attentionOf(
  questions: RunQuestions,
  architecture: Architecture,
  engine: Engine | null,
): Kernels['attention'] {
  if (engine) return 'flash';
  const word = questions.value('attention') ?? architecture.attention ?? 'sdpa';
  if (word === 'eager' || word === 'sdpa') return word;
  if (unpads(word)) return 'flash';
  return questions.assume('flash', `${word} keeps what FlashAttention keeps`);
}

/** Torch's FlashAttention requires this compute capability (aten/native/transformers/cuda/sdp_utils.cpp). */
const FLASH_CAPABILITY = 8;

export function hasFlash(target: Target | null): boolean {
  const capability = target?.gpu?.computeCapability ?? null;
  return capability === null || Number(capability) >= FLASH_CAPABILITY;
}

/** Recomputation in backward: the kind, the frequency, and the requirement on embeddings. */
export function recomputeOf(
  questions: RunQuestions,
  { modelType }: ModelFacts,
  behavior: Behavior,
  lora: LoraPlan | null,
): Recompute {
  const layers = checkpointingOf(questions, behavior);
  return {
    ...layers,
    inputGradients: wantInputGradients(lora, layers.checkpointing),
    segments: segmentsIn(questions, modelType),
  };
}

/** The framework's interpretation of the config's segments. */
function segmentsIn(questions: RunQuestions, modelType: string): Segments | null {
  const stated = questions.detail('checkpointSegments');
  return stated && profileOf(questions.run.framework).segments(modelType, stated);
}

/** True for checkpoints of frozen layers, and for trained embeddings with everything else frozen. */
function wantInputGradients(lora: LoraPlan | null, checkpointing: Recompute['checkpointing']): boolean {
  return lora !== null && (checkpointing !== 'none' || (lora.virtualTokens ?? 0) > 0);
}

/** Whether, how and how often layers are recomputed in backward. */
function checkpointingOf(
  questions: RunQuestions,
  { reentrant }: Behavior,
): Pick<Recompute, 'checkpointing' | 'checkpointEvery'> {
  if (questions.value('gradientCheckpointing') !== true) return { checkpointing: 'none', checkpointEvery: 1 };
  if ((questions.value('offload')?.activations ?? 'none') !== 'none') {
    return { checkpointing: 'offloaded', checkpointEvery: 1 };
  }
  const selected = questions.detail('selectiveCheckpointing');
  if (selected === 'operations') return { checkpointing: 'selective', checkpointEvery: 1 };
  if (selected === 'parts') {
    const none = questions.assume('none' as const, 'recomputing parts of a layer saves nothing');
    return { checkpointing: none, checkpointEvery: 1 };
  }
  const kind = (questions.detail('reentrantCheckpointing') ?? reentrant) ? 'reentrant' : 'non-reentrant';
  return { checkpointing: kind, checkpointEvery: selected ?? 1 };
}
