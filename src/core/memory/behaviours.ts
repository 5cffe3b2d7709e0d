import type { Framework } from '../spec/runSpec';
import { compareReleases } from '../spec/version';

/*
 * What frameworks and their releases do differently, as far as memory goes. Everything the tape's builders ask about a
 * framework is decided here, from tables with sources; never from the name of a model or of a source.
 */

/** How hidden states become a loss. */
export type LossCode =
  | {
      readonly kind: 'cross-entropy';
      /** `logits = logits.float()` frees the 16-bit logits only where the name is rebound in the model's own forward. */
      readonly upcast: 'in forward' | 'in the loss' | 'never';
      /** Labels are shifted against all logits, or logits and labels are both cut and copied. */
      readonly shift: 'labels' | 'copies';
      readonly kernel: CrossEntropyKernel;
    }
  /** Logits of a part of the tokens at a time, with their gradients made at once (Liger). */
  | { readonly kind: 'fused linear'; readonly upcast: boolean }
  /** Logits of some tokens at a time, each part checkpointed. */
  | { readonly kind: 'chunked'; readonly tokens: number }
  /** Logits never exist: only their log-sum-exp is kept (cut cross entropy). */
  | { readonly kind: 'cut' }
  /** Log-probabilities of pairs: of the labels alone, or after the log-softmax of all logits. */
  | { readonly kind: 'log-probabilities'; readonly selective: boolean }
  /** `logits.sum()`, as benchmarks do it. */
  | { readonly kind: 'sum' };

/** torch: log-softmax and its gradients; in place: the logits become their own gradient, backwards or at once. */
export type CrossEntropyKernel = 'torch' | 'torch, by column' | 'in place backwards' | 'in place forwards';

/** Fused kernels that stand in for the model's own code. */
export interface Kernels {
  readonly rmsNorm: boolean;
  readonly rotary: boolean;
  readonly gatedMlp: boolean;
  /** Query, key and value projections with their adapters as one function. */
  readonly loraInputs: boolean;
  /** The output projection with its adapter as one function. */
  readonly loraOutput: boolean;
  /** The gated MLP with its adapters as one function. */
  readonly loraMlp: boolean;
}

/** How tokens are generated after a prompt (transformers, cache_utils.py and generation/utils.py). */
export interface GenerationCode {
  /** Each layer's cache is replaced by a longer one, or all by those of a new tuple when the pass ends. */
  readonly cache: 'concatenated' | 'tuples';
  /** The cache begins with a copy of the prompt's keys and values, not with those themselves. */
  readonly copiesPrompt: boolean;
  /** Caches of layers with a window keep no more than that. */
  readonly slides: boolean;
  /** A pass's logits live to the end of the next one. */
  readonly keepsOutputs: boolean;
  /** Logits of the prompt are those of its last token, or of all. */
  readonly promptLogits: 'last' | 'all';
  /** Logits are copied to fp32 also where there is no loss. */
  readonly widensLogits: boolean;
}

export interface Behaviour {
  /** Somebody says which releases run; else they are supposed. */
  readonly releaseStated: boolean;
  readonly loss: LossCode;
  readonly kernels: Kernels;
  /** SDPA gets each key and value head once per query head even where the kernel could share them. */
  readonly repeatsKeyHeads: boolean;
  /** SDPA gets contiguous copies of its inputs. */
  readonly copiesAttentionInputs: boolean;
  /**
   * The family's code before it took up transformers' common functions: projections are copied into order by head, eager
   * scores are kept above a floor, and logits are those of all tokens.
   */
  readonly formerCode: boolean;
  /** PEFT's layer over a quantised base leaves its input as it is under autocast, instead of casting it. */
  readonly adaptersTakeInputAsIs: boolean;
  readonly generation: GenerationCode;
  /** Query, key and value weights are put together while the model is loaded, and exist twice until all are. */
  readonly fusesWhileLoading: boolean;
  /** Adapters on a 16-bit base are held in fp32; on a quantised one only; never. */
  readonly widensAdapters: 'always' | 'quantised' | 'never';
  /** GELU's tanh form is one kernel, not seven operations. */
  readonly fusesGelu: boolean;
  /** Padded rows get a mask; litgpt leaves it to causality (finetune/lora.py pads on the right). */
  readonly masksPadding: boolean;
  /** Adapters on queries, keys or values sit on the one layer that projects all three, where a family has such. */
  readonly fusesQueryKeyValue: boolean;
  /** 16-bit outputs of a model under autocast are copied to fp32 (accelerate, convert_outputs_to_fp32). */
  readonly copiesOutputs: boolean;
  /** 4-bit linear layers keep their input although nobody needs it. */
  readonly keepsQuantizedInputs: boolean;
  /** GPTQ weights are unpacked by torch operations, whose product keeps the weight, or by a kernel of their own. */
  readonly unpacksGptqInTorch: boolean;
  /**
   * Models are built of their config and hold no checkpoint: what the config ties is tied, nothing is kept in fp32 beside
   * fp16, and every mask is made where rows are padded (simulate.py).
   */
  readonly madeOfConfig: boolean;
  /** Linear layers of classes derived from torch's are quantised, too (transformers asks isinstance). */
  readonly quantizesDerived: boolean;
  /** Checkpointing is reentrant when the config does not say (transformers 4: gradient_checkpointing_enable). */
  readonly reentrant: boolean;
  /** The allocator's segments grow (PYTORCH_ALLOC_CONF=expandable_segments:True). */
  readonly expandableSegments: boolean;
  /** cuBLAS workspaces that torch's counters show: one for each thread that multiplies. */
  readonly workspaces: number;
}

interface Release<T> {
  readonly since: string;
  readonly value: T;
}

/** The value of the newest release in a table that is not newer than this one. */
function inRelease<T>(table: readonly [Release<T>, ...Release<T>[]], release: string): T {
  return (table.find(({ since }) => compareReleases(release, since) >= 0) ?? table[0]).value;
}

type Shift = Pick<Extract<LossCode, { kind: 'cross-entropy' }>, 'upcast' | 'shift'>;

/** transformers, loss/loss_utils.py (since 4.46; models took it up until 4.48) and modeling_*.py; wheels were read. */
const SHIFTS: readonly [Release<Shift>, ...Release<Shift>[]] = [
  { since: '4.49', value: { upcast: 'in the loss', shift: 'labels' } },
  { since: '4.46', value: { upcast: 'in the loss', shift: 'copies' } },
  { since: '0', value: { upcast: 'in forward', shift: 'copies' } },
];

/** Families that kept the loss in their own forward until this release. */
const OWN_LOSS_UNTIL: Readonly<Record<string, string>> = { mistral: '4.48', granite: '4.48' };

/** transformers, integrations/sdpa_attention.py. */
const SDPA: readonly [Release<SdpaInputs>, ...Release<SdpaInputs>[]] = [
  { since: '4.56', value: { repeatsKeyHeads: false, copiesAttentionInputs: false } },
  { since: '4.54', value: { repeatsKeyHeads: false, copiesAttentionInputs: true } },
  { since: '4.48', value: { repeatsKeyHeads: true, copiesAttentionInputs: true } },
  { since: '0', value: { repeatsKeyHeads: true, copiesAttentionInputs: false } },
];

/** Families with such code, and the release that ended it. */
const FORMER_CODE_UNTIL: Readonly<Record<string, string>> = { opt: '4.52' };

/** Families whose FlashAttention class repeated key heads until releases had one attention interface (4.48). */
const REPEATED_FOR_FLASH: ReadonlySet<string> = new Set(['mistral', 'qwen2']);

function flashInputs(transformers: string, modelType: string): SdpaInputs {
  const own = compareReleases(transformers, '4.48') < 0 && REPEATED_FOR_FLASH.has(modelType);
  return { repeatsKeyHeads: own, copiesAttentionInputs: false };
}

type SdpaInputs = Pick<Behaviour, 'repeatsKeyHeads' | 'copiesAttentionInputs'>;

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

/**
 * Frameworks with model code of their own that keeps what transformers' newest keeps: the same norms in fp32, projections,
 * rotation and gated MLP (litgpt/model.py; torchtune/modules/transformer.py). litgpt's published runs of four architectures
 * agree with transformers' code to 0.4 to 1.5 %.
 */
const OWN_CODE: ReadonlySet<string> = new Set(['litgpt', 'torchtune']);

/** The release of transformers when nothing says which: the newest that was read. */
const NEWEST_TRANSFORMERS = '5.23.0';

/** What decides a run's behaviour. */
export interface BehaviourOf {
  readonly framework: Framework;
  readonly modelType: string;
  /** The word for the loss, as the run has it; null: the framework's own. */
  readonly loss: string | null;
  /** Pairs of sequences are compared. */
  readonly preference: boolean;
  readonly kernels: readonly string[];
  readonly attention: 'eager' | 'sdpa' | 'flash';
  /** The release of transformers that the model's own code was written for. */
  readonly codeRelease?: string | undefined;
}

export function behaviourOf(asked: BehaviourOf): Behaviour {
  const { framework, modelType, loss, kernels, attention } = asked;
  const transformers = transformersOf(framework, asked.codeRelease);
  const bitsandbytes = releaseOf(framework, 'bitsandbytes');
  const simulated = framework.name === 'simulate.py';
  return {
    releaseStated: framework.stated === true,
    loss: asked.preference
      ? preferenceOf(framework)
      : lossOf(loss ?? ownLossOf(framework), transformers, modelType),
    kernels: kernelsOf(kernels),
    ...(attention === 'sdpa' ? inRelease(SDPA, transformers) : flashInputs(transformers, modelType)),
    formerCode: isBefore(FORMER_CODE_UNTIL[modelType], transformers),
    // AutoAWQ, models/llama.py, fuse_transformer.
    fusesWhileLoading: framework.name === 'autoawq',
    generation: generationOf(transformers, modelType),
    adaptersTakeInputAsIs: !simulated,
    widensAdapters: widensAdapters(framework, transformers),
    fusesGelu: OWN_CODE.has(framework.name),
    masksPadding: framework.name !== 'litgpt',
    fusesQueryKeyValue: framework.name === 'litgpt',
    copiesOutputs: ON_TRAINER.has(framework.name),
    keepsQuantizedInputs: bitsandbytes !== null && compareReleases(bitsandbytes, '0.42') < 0,
    // fms-acceleration ships auto_gptq's triton layers; transformers picks those that training works with without them
    // (auto_gptq, qlinear_cuda_old.py, above 128 tokens; gptqmodel, qlinear/torch.py).
    unpacksGptqInTorch: framework.name !== 'fms-acceleration',
    madeOfConfig: simulated,
    // simulate.py, quantise4: layers of exactly torch's class.
    quantizesDerived: !simulated,
    reentrant: compareReleases(transformers, '5.0') < 0,
    expandableSegments: EXPANDING.has(framework.name),
    // Forward and backward run in threads of their own, each with a handle (ATen/cuda/CublasHandlePool.cpp); the
    // simulation leaves cuBLAS out on purpose.
    workspaces: simulated ? 0 : 2,
  };
}

type Caching = Omit<GenerationCode, 'promptLogits' | 'widensLogits'>;

/** transformers, cache_utils.py (Cache since 4.36) and generation/utils.py (`del outputs`, num_logits_to_keep); wheels were read. */
const CACHING: readonly [Release<Caching>, ...Release<Caching>[]] = [
  { since: '4.56', value: { cache: 'concatenated', copiesPrompt: true, slides: true, keepsOutputs: false } },
  {
    since: '4.45',
    value: { cache: 'concatenated', copiesPrompt: false, slides: false, keepsOutputs: false },
  },
  { since: '4.36', value: { cache: 'concatenated', copiesPrompt: false, slides: false, keepsOutputs: true } },
  { since: '0', value: { cache: 'tuples', copiesPrompt: false, slides: false, keepsOutputs: true } },
];

/** Families with caches as tuples, and with logits of the whole prompt, until later (their modeling files). */
const TUPLES_UNTIL: Readonly<Record<string, string>> = { opt: '4.52', gpt_neox: '4.47', gpt2: '4.52' };

/** Since when `generate` asks for the last token's logits only, where the family's forward can (num_logits_to_keep). */
const LAST_LOGITS = '4.45';

function generationOf(transformers: string, modelType: string): GenerationCode {
  const caching = inRelease(CACHING, transformers);
  const former = isBefore(TUPLES_UNTIL[modelType], transformers);
  const all = former || isBefore(LAST_LOGITS, transformers);
  return {
    ...caching,
    ...(former && { cache: 'tuples' }),
    promptLogits: all ? 'all' : 'last',
    widensLogits: all && !former,
  };
}

/** A cache of a size that is fixed from the beginning. */
export interface StaticCache {
  /** Tokens that there is room for: those that are generated, or all. */
  readonly room: 'all' | 'generated';
  /** What attention goes over: every place, or those that are filled. */
  readonly sees: 'room' | 'filled';
}

/**
 * litgpt, generate/base.py, set_kv_cache. AutoAWQ, modules/fused/attn.py: `max_seq_len` is from_quantized's
 * `max_new_tokens`, and a longer run begins the cache anew.
 */
const STATIC_CACHES: Readonly<Record<string, StaticCache>> = {
  litgpt: { room: 'all', sees: 'room' },
  autoawq: { room: 'generated', sees: 'filled' },
};

export const staticCacheOf = ({ name }: Framework): StaticCache | null => STATIC_CACHES[name] ?? null;

/** trl: selective_log_softmax since 0.14. */
function preferenceOf(framework: Framework): LossCode {
  const trl = releaseOf(framework, 'trl');
  return { kind: 'log-probabilities', selective: trl === null || compareReleases(trl, '0.14') >= 0 };
}

/**
 * peft 0.12 widens adapters to fp32 (autocast_adapter_dtype). From 0.6 on update_layer moved them to the dtype of the layer's
 * weight; before, they stayed as torch makes them (tuners/lora/layer.py of these wheels).
 */
const WIDE_ADAPTERS: readonly [Release<boolean>, ...Release<boolean>[]] = [
  { since: '0.12', value: true },
  { since: '0.6', value: false },
  { since: '0', value: true },
];

/** What transformers was when these came out (July 2024, November 2023). */
const PEFT_OF_TRANSFORMERS: readonly [Release<string>, ...Release<string>[]] = [
  { since: '4.43', value: '0.12' },
  { since: '4.35', value: '0.6' },
  { since: '0', value: '0' },
];

function widensAdapters(framework: Framework, transformers: string): Behaviour['widensAdapters'] {
  if (OWN_CODE.has(framework.name)) return 'never';
  const peft = releaseOf(framework, 'peft') ?? inRelease(PEFT_OF_TRANSFORMERS, transformers);
  return inRelease(WIDE_ADAPTERS, peft) ? 'always' : 'quantised';
}

/** The release of transformers that a run uses, as far as anybody knows; else what the model's own code was written for. */
export function transformersOf(framework: Framework, codeRelease?: string): string {
  if (OWN_CODE.has(framework.name)) return NEWEST_TRANSFORMERS;
  if (codeRelease !== undefined && framework.stated !== true) return codeRelease;
  return releaseOf(framework, 'transformers') ?? NEWEST_TRANSFORMERS;
}

/** Whether a release comes before that of a change; there may have been none. */
function isBefore(change: string | undefined, release: string): boolean {
  return change !== undefined && compareReleases(release, change) < 0;
}

function releaseOf({ name, version, libraries }: Framework, library: string): string | null {
  return libraries?.[library] ?? (name === library ? version : null);
}

/** The word for what a framework's own code does where a config says nothing. */
function ownLossOf(framework: Framework): string {
  if (framework.name === 'litgpt') return 'fabric';
  if (framework.name !== 'torchtune') return 'standard';
  const release = releaseOf(framework, 'torchtune');
  // torchtune/modules/loss/ce_chunked_output_loss.py came with 0.3; before, transformer.py: `self.output(h).float()`.
  return release !== null && compareReleases(release, '0.3') >= 0 ? 'chunked_output' : 'shifted-fp32';
}

function lossOf(word: string, transformers: string, modelType: string): LossCode {
  const shift = shiftOf(transformers, modelType);
  switch (word) {
    case 'liger':
      return { kind: 'fused linear', upcast: false };
    case 'cut_cross_entropy':
      return { kind: 'cut' };
    case 'chunked_nll':
    case 'chunked':
      return { kind: 'chunked', tokens: CHUNK_TOKENS };
    case 'sum-of-logits':
      return { kind: 'sum' };
    case 'fabric':
      // Lightning Fabric's modules return fp32 (fabric/wrappers.py, convert_output); chunked_cross_entropy copies nothing.
      return { kind: 'cross-entropy', upcast: 'in forward', shift: 'labels', kernel: 'torch' };
    case 'shifted-fp32':
      // recipes/lora_finetune_single_device.py: `logits.transpose(1, 2)`, which log_softmax copies into order.
      return { kind: 'cross-entropy', upcast: 'in forward', shift: 'copies', kernel: 'torch, by column' };
    case 'shifted-copy':
      return { kind: 'cross-entropy', upcast: 'in the loss', shift: 'copies', kernel: 'torch' };
    case 'liger_cross_entropy':
      return { kind: 'cross-entropy', ...shift, kernel: 'in place forwards' };
    case 'unsloth_cross_entropy':
      return { kind: 'cross-entropy', ...shift, kernel: 'in place backwards' };
    default:
      return { kind: 'cross-entropy', ...shift, kernel: 'torch' };
  }
}

/** trl 1.13, sft_trainer.py, _CHUNKED_LM_HEAD_CHUNK_SIZE. */
const CHUNK_TOKENS = 256;

/** Families whose own code leaves logits as they are (Qwen's modeling_qwen.py). */
const NARROW_LOGITS: ReadonlySet<string> = new Set(['qwen']);

function shiftOf(transformers: string, modelType: string): Shift {
  if (NARROW_LOGITS.has(modelType)) return { upcast: 'never', shift: 'copies' };
  return inRelease(SHIFTS, isBefore(OWN_LOSS_UNTIL[modelType], transformers) ? '0' : transformers);
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
