import type { LossCode } from '../core/memory/frameworks/behavior/behavior';
import { isPreference, isPolicy } from '../core/memory/setup/task';
import type { MemoryRun } from '../core/memory/run';
import type { Sharding } from '../core/memory/sharding';
import type { RunSpec } from '../core/spec/runSpec';
import { preferenceIn } from './preference';

/** Optimizers as `src/python` makes them, by the memory model's names. */
export const OPTIMIZERS: Readonly<Record<string, string>> = {
  adamw_torch: 'adamw_foreach',
  adamw_torch_fused: 'adamw_fused',
  adamw_loop: 'adamw_loop',
  adamw_8bit: 'adamw8bit',
  adamw8bit: 'adamw8bit',
  adamw_bnb_8bit: 'adamw8bit',
  sgd: 'sgd',
  sgd_momentum: 'sgd_momentum',
  adafactor: 'adafactor',
  paged_adamw_8bit: 'paged_adamw8bit',
  paged_adamw_32bit: 'paged_adamw32bit',
  paged_adamw: 'paged_adamw32bit',
  lion_8bit: 'lion8bit',
  lion_32bit: 'lion32bit',
  lion: 'lion32bit',
  paged_lion_8bit: 'paged_lion8bit',
  paged_lion_32bit: 'paged_lion32bit',
};

const KINDS: ReadonlySet<string> = new Set(['decoder', 'encoder', 'encoder-decoder', 'vision']);
const HEADS: ReadonlySet<string> = new Set([
  'causal-lm',
  'base',
  'masked-lm',
  'sequence-classification',
  'token-classification',
  'image-classification',
  'seq2seq',
]);
const DTYPES: ReadonlySet<string> = new Set(['fp32', 'bf16', 'fp16']);

/** Something that a run has and a dry run cannot follow. */
interface Limit {
  readonly applies: (run: MemoryRun, spec: RunSpec) => boolean;
  readonly says: (run: MemoryRun, spec: RunSpec) => string;
}

const LIMITS: readonly Limit[] = [
  {
    applies: ({ model }) => !KINDS.has(model.kind),
    says: ({ model }) => `models of its kind (${model.kind}) need more than their config to be built`,
  },
  { applies: ({ head }) => !HEADS.has(head), says: ({ head }) => `models with a ${head} head are not built` },
  { applies: ({ task }) => task === 'load', says: () => 'nothing is computed' },
  { applies: ({ serving }) => serving !== null, says: () => 'an engine serves it, with code of its own' },
  { applies: ({ generated }) => generated > 0, says: () => 'generation goes on until data say that it ends' },
  {
    applies: ({ sharding }) => sharding !== null,
    says: ({ sharding }) =>
      `${sharding ? shardingWords(sharding) : ''} needs collectives that a dry run does not have`,
  },
  {
    applies: ({ tensorRanks }) => (tensorRanks ?? 1) > 1,
    says: ({ tensorRanks }) => `tensor parallelism cuts its layers into ${tensorRanks ?? 1} parts`,
  },
  {
    applies: ({ stage }, { quantities }) => !!stage || (quantities.parallel.value?.pipeline ?? 1) > 1,
    says: () => 'its layers are stages of a pipeline',
  },
  {
    applies: ({ contextRanks }) => contextRanks > 1,
    says: ({ contextRanks }) => `${contextRanks} GPUs share the tokens of each row`,
  },
  {
    applies: (_, { quantities }) => (quantities.parallel.value?.expert ?? 1) > 1,
    says: () => 'GPUs share its experts',
  },
  { applies: ({ spread }) => spread > 1, says: ({ spread }) => `it is spread over ${spread} GPUs` },
  {
    applies: ({ behavior }) => behavior.compiles,
    says: () => 'torch.compile writes kernels of its own',
  },
  {
    applies: (run, spec) => !isPlain(run.behavior.loss) && !preferenceIn(spec, run),
    says: ({ behavior }, spec) => lossWords(behavior.loss, spec),
  },
  {
    applies: ({ quantization }) => ![null, 'nf4', 'nf4-dq'].includes(quantization),
    says: ({ quantization }) => `weights in ${quantization ?? ''} need kernels that run on a GPU only`,
  },
  {
    applies: ({ lora }) => !!lora?.method || !!lora?.experts,
    says: () => 'of adapters it knows LoRA and DoRA on linear layers',
  },
  {
    applies: ({ optimizer }) => optimizer !== null && !optimizer.names.some(name => name in OPTIMIZERS),
    says: ({ optimizer }) => `${optimizer?.title ?? 'its optimizer'} is none that it makes`,
  },
  {
    applies: ({ optimizer }) => optimizer?.consumesGradients === true,
    says: () => 'the optimizer steps inside backward',
  },
  {
    applies: ({ checkpointing, segments }) =>
      checkpointing === 'selective' || checkpointing === 'offloaded' || !!segments,
    says: () => 'its layers are checkpointed in a way of the framework’s own',
  },
  {
    applies: (run, spec) => run.reference !== 'none' && !preferenceIn(spec, run),
    says: () => 'a step asks a reference, too',
  },
  {
    applies: (run, spec) => isNarrower(run) && preferenceIn(spec, run)?.code === 'llamafactory',
    says: () => 'the reference is loaded in another precision than the model',
  },
  {
    applies: ({ encoders, contrast, partly, frozenParts }) =>
      encoders > 1 || !!contrast || !!partly || (frozenParts?.length ?? 0) > 0,
    says: () => 'a step has more to it than the model and its loss (pairs, frozen parts)',
  },
  {
    applies: ({ beside, averaged, rollout, values }) =>
      (beside?.length ?? 0) > 0 || averaged === true || !!rollout || values === 'model',
    says: () => 'other models or copies lie beside the one that is trained',
  },
  {
    applies: ({ upcast }) => upcast === 'outer',
    says: () => 'the framework keeps embeddings and head in fp32 beside 16-bit layers',
  },
  {
    applies: ({ audio, picturePixels }) => !!audio || !!picturePixels,
    says: () => 'its rows are no texts and no images',
  },
  {
    applies: ({ weightDtype, autocast }) =>
      !DTYPES.has(weightDtype) || (autocast !== null && !DTYPES.has(autocast)),
    says: () => 'its precision needs kernels that run on a GPU only',
  },
];

const isPlain = (loss: LossCode): boolean => loss.kind === 'cross-entropy' && loss.kernel === 'torch';

/** LLaMA-Factory's create_ref_model: 16 bits beside a model that is trained in fp32. */
const isNarrower = ({ reference, weightDtype, autocast }: MemoryRun): boolean =>
  reference === 'copy' && autocast !== null && weightDtype !== autocast;

function lossWords(loss: LossCode, { framework, quantities }: RunSpec): string {
  const task = quantities.task.value;
  const whose = isPreference(task) || isPolicy(task) ? `${task ?? ''} in ${framework.name}` : loss.kind;
  return `its loss (${whose}) is the framework’s, not the model’s, and needs more than hidden states`;
}

function shardingWords(sharding: Sharding): string {
  switch (sharding.kind) {
    case 'fsdp':
      return 'FSDP';
    case 'zero':
      return `ZeRO stage ${sharding.stage}`;
    case 'megatron':
      return 'Megatron';
  }
}

/** Why a dry run cannot follow a run, a phrase each; empty where it can. */
export const unfollowed = (spec: RunSpec, run: MemoryRun): readonly string[] => [
  ...new Set(LIMITS.filter(({ applies }) => applies(run, spec)).map(({ says }) => says(run, spec))),
];
