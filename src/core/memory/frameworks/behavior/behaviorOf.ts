import type { Framework } from '../../../spec/runSpec';
import { compareReleases } from '../../../spec/version';
import { widensAdapters } from './adapterDtype';
import { attentionInputsOf } from './attentionInputs';
import type { Behavior, LossCode } from './behavior';
import { generationOf } from './generationCode';
import { kernelsOf } from './kernels';
import { litgptCode, unpacksToHalf } from './litgpt';
import { lossOf, ownLossOf, policyOf, preferenceOf, taskLossOf } from './lossCode';
import { isMegatron, megatronBehavior } from './megatron';
import { isTorchtitan, torchtitanBehavior } from './torchtitan';
import { keepsGradients, reluKeepsInput, softmaxKeepsInput } from './torchCode';
import { targetsIn, textTokensIn } from './denoising';
import { OWN_CODE, isBefore, releaseOf, transformersOf } from './releases';

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

/** Frameworks that train with transformers' Trainer on accelerate. */
const ON_TRAINER: ReadonlySet<string> = new Set([
  'transformers',
  'trl',
  'axolotl',
  'fms-acceleration',
  'guide-training',
]);

/** Frameworks that set expandable_segments themselves (axolotl, utils/__init__.py, set_pytorch_cuda_alloc_conf). */
const EXPANDING: ReadonlySet<string> = new Set(['axolotl']);

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
  /** What is trained for: some tasks have a loss of their own. */
  readonly task?: string | null;
  readonly kernels: readonly string[];
  readonly attention: 'eager' | 'sdpa' | 'flash';
  /** torch.compile is asked for. */
  readonly compile?: boolean;
  /** Ranks that share heads and inner widths. */
  readonly tensorRanks?: number;
  /** These share the tokens between products, where the framework leaves it to the config. */
  readonly sequenceParallel?: boolean | null;
  /** The allocator is told to let segments grow, where the framework leaves it to the environment. */
  readonly expandableSegments?: boolean | null;
  /** The release of transformers that the model's own code was written for. */
  readonly codeRelease?: string | undefined;
}

/** How a run's framework and its release compute. */
export function behaviorOf(asked: BehaviorOf): Behavior {
  const usual = usualBehavior(asked);
  const { framework, loss, compile: compiles = false, tensorRanks = 1 } = asked;
  if (isMegatron(framework)) {
    return { ...usual, ...megatronBehavior(framework, asked.sequenceParallel ?? null) };
  }
  if (!isTorchtitan(framework)) return usual;
  return {
    ...usual,
    ...torchtitanBehavior(framework, { loss, compiles, cutsWords: tensorRanks > 1 }, usual),
  };
}

function lossIn(
  { framework, modelType, loss, preference, policy, task = null }: BehaviorOf,
  transformers: string,
): LossCode {
  const own = taskLossOf(framework, task);
  if (own !== null) return own;
  if (policy) return policyOf(framework, loss);
  if (preference) return preferenceOf(framework, task);
  return lossOf(loss ?? ownLossOf(framework), transformers, modelType);
}

function usualBehavior(asked: BehaviorOf): Behavior {
  const { framework, modelType, kernels, attention } = asked;
  const transformers = transformersOf(framework, asked.codeRelease);
  const bitsandbytes = releaseOf(framework, 'bitsandbytes');
  const simulated = framework.name === 'simulate.py';
  return {
    releaseStated: framework.stated === true,
    loss: lossIn(asked, transformers),
    kernels: kernelsOf(kernels),
    ...attentionInputsOf(attention, transformers, modelType),
    formerCode: isBefore(FORMER_CODE_UNTIL[modelType], transformers),
    returnsCheckpointedCache: isBefore(CACHES_UNTIL[modelType], transformers),
    // AutoAWQ, models/llama.py, fuse_transformer.
    fusesWhileLoading: framework.name === 'autoawq',
    generation: generationOf(transformers, modelType),
    adaptersTakeInputAsIs: !simulated,
    widensAdapters: widensAdapters(framework, transformers),
    fusesGelu: OWN_CODE.has(framework.name),
    masksPadding: framework.name !== 'litgpt',
    fusesQueryKeyValue: framework.name === 'litgpt',
    // axolotl, loaders/adapter.py, find_all_linear_names.
    namesLinearLayers: framework.name === 'axolotl',
    copiesOutputs: ON_TRAINER.has(framework.name),
    keepsQuantizedInputs: bitsandbytes !== null && compareReleases(bitsandbytes, '0.42') < 0,
    unpacksToHalf: unpacksToHalf(framework),
    ...litgptCode(framework),
    // fms-acceleration ships auto_gptq's triton layers; transformers picks those that training works with without them
    // (auto_gptq, qlinear_cuda_old.py, above 128 tokens; gptqmodel, qlinear/torch.py).
    unpacksGptqInTorch: framework.name !== 'fms-acceleration',
    madeOfConfig: simulated,
    // simulate.py, quantise4: layers of exactly torch's class.
    quantizesDerived: !simulated,
    reentrant: compareReleases(transformers, '5.0') < 0,
    // litgpt, finetune/lora.py: a unit for each Block, adapters and all; peft and torchtune wrap adapters apart.
    flattensFrozen: framework.name === 'litgpt',
    expandableSegments: asked.expandableSegments ?? EXPANDING.has(framework.name),
    keepsGradients: keepsGradients(framework),
    reluKeepsInput: reluKeepsInput(framework),
    softmaxKeepsInput: softmaxKeepsInput(framework),
    countsRests: !simulated,
    // transformers, models/{bert,albert,distilbert}: until 4.57 `(context,) + (probs,) if output_attentions`.
    handsWeightsOn: compareReleases(transformers, '5.0') >= 0,
    denoiserTargets: targetsIn(framework, modelType),
    textTokens: textTokensIn(framework, modelType),
    // Forward and backward run in threads of their own, each with a handle (ATen/cuda/CublasHandlePool.cpp); the
    // simulation leaves cuBLAS out on purpose.
    workspaces: simulated ? 0 : 2,
    compiles: false,
    fsdp: null,
    sequenceParallel: false,
  };
}
