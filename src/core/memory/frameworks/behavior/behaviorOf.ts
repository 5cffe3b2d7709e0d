import type { Framework } from '../../../spec/runSpec';
import { compareReleases } from '../../../spec/version';
import { widensAdapters } from './adapterDtype';
import { attentionInputsOf } from './attentionInputs';
import type { Behavior, LossCode } from './behavior';
import { profileOf, transformersOf } from '../profileOf';
import type { AskedOfCode } from '../profile';
import { generationOf } from './generationCode';
import { kernelsOf } from './kernels';
import { lossOf, policyOf, preferenceOf, taskLossOf } from './lossCode';
import { keepsGradients, reluKeepsInput, softmaxKeepsInput } from './torchCode';
import { denoiserTargets } from './denoiser';
import { isBefore, releaseOf } from './releases';

/** Families with such code, and the release that ended it. */
const FORMER_CODE_UNTIL: Readonly<Record<string, string>> = {
  beit: '5.9',
  // As it was in 5.23, too.
  'data2vec-vision': '6.0',
  gpt_neox: '4.49',
  mixtral: '5.0',
  opt: '4.52',
};

/** Families that leave `use_cache` on beside checkpointing, and the release that ended it (modeling_gpt_bigcode.py). */
const CACHES_UNTIL: Readonly<Record<string, string>> = { gpt_bigcode: '4.53' };

/** What decides a run's behavior. */
export interface BehaviorOf {
  readonly framework: Framework;
  readonly modelType: string;
  /** The word for the loss, as the run has it; null: the framework's own. */
  readonly loss: string | null;
  /** Pairs of sequences are compared. */
  readonly preference: boolean;
  /** The model learns from what it has written. */
  readonly policy?: boolean;
  /** What is trained for: some tasks have a loss of their own; null: not known. */
  readonly task: string | null;
  readonly kernels: readonly string[];
  readonly attention: 'eager' | 'sdpa' | 'flash';
  /** torch.compile is asked for. */
  readonly compile?: boolean;
  /** Ranks that share heads and inner widths. */
  readonly tensorRanks?: number;
  /** These share the tokens between products; null: the config does not say, so the framework decides. */
  readonly sequenceParallel: boolean | null;
  /** The allocator is told to let segments grow; null: nothing says so, so the framework decides. */
  readonly expandableSegments: boolean | null;
  /** The release of transformers that the model's own code was written for. */
  readonly codeRelease?: string | undefined;
}

/** How a run's framework and its release compute. */
export function behaviorOf(asked: BehaviorOf): Behavior {
  const usual = usualBehavior(asked);
  return { ...usual, ...profileOf(asked.framework).behavior(askedOfCode(asked), usual) };
}

const askedOfCode = (asked: BehaviorOf): AskedOfCode => ({
  framework: asked.framework,
  modelType: asked.modelType,
  loss: asked.loss,
  compiles: asked.compile ?? false,
  cutsWords: (asked.tensorRanks ?? 1) > 1,
  sequenceParallel: asked.sequenceParallel,
  expandableSegments: asked.expandableSegments,
});

function lossIn(
  { framework, modelType, loss, preference, policy, task }: BehaviorOf,
  transformers: string,
): LossCode {
  const own = taskLossOf(framework, task);
  if (own !== null) return own;
  if (policy) return policyOf(framework, loss);
  if (preference) return preferenceOf(framework, task);
  return lossOf(loss ?? profileOf(framework).loss(framework), transformers, modelType);
}

/** What a script on transformers without a trainer would do. */
function usualBehavior(asked: BehaviorOf): Behavior {
  const { framework, modelType, kernels, attention } = asked;
  const transformers = transformersOf(framework, asked.codeRelease);
  const bitsandbytes = releaseOf(framework, 'bitsandbytes');
  return {
    releaseStated: framework.stated === true,
    loss: lossIn(asked, transformers),
    kernels: kernelsOf(kernels),
    ...attentionInputsOf(attention, transformers, modelType),
    formerCode: isBefore(FORMER_CODE_UNTIL[modelType], transformers),
    returnsCheckpointedCache: isBefore(CACHES_UNTIL[modelType], transformers),
    generation: generationOf(transformers, modelType),
    adaptersTakeInputAsIs: true,
    widensAdapters: widensAdapters(framework, transformers),
    ownModelCode: false,
    fusesGelu: false,
    masksPadding: true,
    fusesQueryKeyValue: false,
    namesLinearLayers: false,
    copiesOutputs: false,
    keepsQuantizedInputs: bitsandbytes !== null && compareReleases(bitsandbytes, '0.42') < 0,
    // Before 0.43 4-bit weights were of fp16 (nn/modules.py, Params4bit.cuda: `.half()`): it dequantizes into that, and casts
    // to the dtype of the input (autograd/_functions.py, MatMul4Bit).
    unpacksToHalf: bitsandbytes !== null && compareReleases(bitsandbytes, '0.43') < 0,
    tiesHead: true,
    quantizesHead: false,
    spreadsBlocks: false,
    // The layers that transformers picks and that training works with (auto_gptq, qlinear_cuda_old.py, above 128 tokens;
    // gptqmodel, qlinear/torch.py).
    unpacksGptqInTorch: true,
    madeOfConfig: false,
    quantizesDerived: true,
    reentrant: compareReleases(transformers, '5.0') < 0,
    // peft and torchtune wrap adapters apart.
    flattensFrozen: false,
    expandableSegments: asked.expandableSegments ?? false,
    keepsGradients: keepsGradients(framework),
    reluKeepsInput: reluKeepsInput(framework),
    softmaxKeepsInput: softmaxKeepsInput(framework),
    countsRests: true,
    // transformers, models/{bert,albert,distilbert}: until 4.57 `(context,) + (probs,) if output_attentions`.
    handsWeightsOn: compareReleases(transformers, '5.0') >= 0,
    denoiserTargets: denoiserTargets(modelType),
    textTokens: null,
    // Forward and backward run in threads of their own, each with a handle (ATen/cuda/CublasHandlePool.cpp).
    workspaces: 2,
    compiles: false,
    fsdp: null,
    sequenceParallel: false,
  };
}
