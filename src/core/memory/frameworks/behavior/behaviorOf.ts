import type { Framework } from '../../../spec/runSpec';
import { compareReleases, inRelease, isBefore, releaseOf } from '../../../spec/version';
import type { CodeSettings } from '../profile';
import { profileOf, transformersOf } from '../profileOf';
import { attentionInputsOf } from './attentionInputs';
import type { Behavior, Kernels, LossCode } from './behavior';
import { denoiserTargets } from './behavior';
import { generationOf } from './generationCode';
import { compiledLoss, lossOf, policyOf, preferenceOf, taskLossOf } from './lossCode';
import type { Release } from '../../../spec/version';
import { keepsGradients, reluKeepsInput, softmaxKeepsInput } from './torchCode';

/**
 * peft 0.12 upcasts adapters to fp32 (autocast_adapter_dtype). From 0.6 on, update_layer cast them to the dtype of
 * the layer's weight; before, they had torch's default (tuners/lora/layer.py of these wheels).
 */
const WIDE_ADAPTERS: readonly [Release<boolean>, ...Release<boolean>[]] = [
  { since: '0.12', value: true },
  { since: '0.6', value: false },
  { since: '0', value: true },
];

/** Releases of transformers at the time of these (July 2024, November 2023). */
const PEFT_OF_TRANSFORMERS: readonly [Release<string>, ...Release<string>[]] = [
  { since: '4.43', value: '0.12' },
  { since: '4.35', value: '0.6' },
  { since: '0', value: '0' },
];

function widensAdapters(framework: Framework, transformers: string): Behavior['widensAdapters'] {
  const peft = releaseOf(framework, 'peft') ?? inRelease(PEFT_OF_TRANSFORMERS, transformers);
  return inRelease(WIDE_ADAPTERS, peft) ? 'always' : 'quantized';
}

function kernelsOf(names: readonly string[]): Kernels {
  const has = (...wanted: readonly string[]): boolean => wanted.some(name => names.includes(name));
  return {
    rmsNorm: has('liger_rms_norm', 'unsloth_rms_norm'),
    rotary: has('liger_rope', 'unsloth_rope'),
    gatedMlp: has('liger_glu'),
    loraInputs: has('unsloth_lora', 'lora_qkv'),
    loraOutput: has('unsloth_lora', 'lora_o'),
    loraMlp: has('lora_mlp'),
  };
}

/** Families with former code, and the release that replaced it. */
const FORMER_CODE_UNTIL: Readonly<Record<string, string>> = {
  beit: '5.9',
  // Still the same in 5.23.
  'data2vec-vision': '6.0',
  gpt_neox: '4.49',
  mixtral: '5.0',
  opt: '4.52',
};

/**
 * Families that leave `use_cache` on with checkpointing, and the release that fixed it (modeling_gpt_bigcode.py).
 */
const CACHES_UNTIL: Readonly<Record<string, string>> = { gpt_bigcode: '4.53' };

/** The inputs that decide a run's behavior. */
export interface BehaviorOf {
  readonly framework: Framework;
  readonly modelType: string;
  /** The loss key's value; null: the framework's default. */
  readonly loss: string | null;
  /** Pairs of sequences are compared. */
  readonly preference: boolean;
  /** The model learns from its own completions. */
  readonly policy?: boolean;
  /** The task: some tasks have their own loss; null: unknown. */
  readonly task: string | null;
  readonly kernels: readonly string[];
  readonly attention: 'eager' | 'sdpa' | 'flash';
  /** torch.compile is requested. */
  readonly compile?: boolean;
  /** Tensor-parallel ranks. */
  readonly tensorRanks?: number;
  /** They share the tokens between products; null: the config does not say, so the framework decides. */
  readonly sequenceParallel: boolean | null;
  /** The allocator is configured with expandable segments; null: not stated, so the framework decides. */
  readonly expandableSegments: boolean | null;
  /** The release of transformers that the model's own code was written for. */
  readonly codeRelease?: string | undefined;
}

/** The behavior of a run's framework and its release. */
export function behaviorOf(settings: BehaviorOf): Behavior {
  const usual = usualBehavior(settings);
  return { ...usual, ...profileOf(settings.framework).behavior(codeSettings(settings), usual) };
}

const codeSettings = (settings: BehaviorOf): CodeSettings => ({
  framework: settings.framework,
  modelType: settings.modelType,
  loss: settings.loss,
  compiles: settings.compile ?? false,
  cutsWords: (settings.tensorRanks ?? 1) > 1,
  sequenceParallel: settings.sequenceParallel,
  expandableSegments: settings.expandableSegments,
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

/** torch.compile makes one kernel of each run of pointwise operations, which keeps what it is made of. */
const compiledKernels = (kernels: Kernels): Kernels => ({
  ...kernels,
  rmsNorm: true,
  rotary: true,
  gatedMlp: true,
});

/** The behavior of a script on transformers without a trainer. */
function usualBehavior(settings: BehaviorOf): Behavior {
  const { framework, modelType, kernels, attention } = settings;
  const transformers = transformersOf(framework, settings.codeRelease);
  const bitsandbytes = releaseOf(framework, 'bitsandbytes');
  const compiles = settings.compile === true && settings.task !== 'infer';
  const loss = lossIn(settings, transformers);
  return {
    releaseStated: framework.stated === true,
    frameworkKnown: framework.id !== null,
    loss: compiles && profileOf(framework).compilesLoss(framework) ? compiledLoss(loss) : loss,
    kernels: compiles ? compiledKernels(kernelsOf(kernels)) : kernelsOf(kernels),
    ...attentionInputsOf(attention, transformers, modelType),
    // Views of the keys are made again in backward.
    ...(compiles && { repeatsKeyHeads: false, copiesAttentionInputs: false }),
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
    // autograd/_functions.py, MatMul4Bit of the wheel of 0.42.0: `ctx.tensors = (A, B)`, and `(None, B)` since 0.43.2
    // (pull request 1270).
    keepsQuantizedInputs: bitsandbytes !== null && compareReleases(bitsandbytes, '0.43.2') < 0,
    keepsOutput: false,
    // Before 0.43 4-bit weights were fp16 (nn/modules.py, Params4bit.cuda: `.half()`): dequantizes to fp16, and
    // casts to the input's dtype (autograd/_functions.py, MatMul4Bit).
    unpacksToHalf: bitsandbytes !== null && compareReleases(bitsandbytes, '0.43') < 0,
    tiesHead: true,
    quantizesHead: false,
    spreadsBlocks: false,
    // The layers that transformers selects and that support training (auto_gptq, qlinear_cuda_old.py, above 128
    // tokens; gptqmodel, qlinear/torch.py).
    unpacksGptqInTorch: true,
    madeOfConfig: false,
    quantizesDerived: true,
    reentrant: compareReleases(transformers, '5.0') < 0,
    // peft and torchtune wrap adapters separately.
    flattensFrozen: false,
    expandableSegments: settings.expandableSegments ?? false,
    keepsGradients: keepsGradients(framework),
    reluKeepsInput: reluKeepsInput(framework),
    softmaxKeepsInput: softmaxKeepsInput(framework),
    countsRests: true,
    // transformers, models/{bert,albert,distilbert}: until 4.57 `(context,) + (probs,) if output_attentions`.
    handsWeightsOn: compareReleases(transformers, '5.0') >= 0,
    denoiserTargets: denoiserTargets(modelType),
    textTokens: null,
    // Forward and backward run in separate threads, each with a handle (ATen/cuda/CublasHandlePool.cpp).
    workspaces: 2,
    compiles,
    fsdp: null,
    sequenceParallel: false,
  };
}
