import type { LossCode } from '../core/memory/frameworks/behavior/behavior';
import { isPreference, isPolicy } from '../core/memory/setup/task';
import type { MemoryRun } from '../core/memory/run';
import type { Sharding } from '../core/memory/sharding';
import type { RunSpec } from '../core/spec/runSpec';
import { preferenceIn } from './preference';

/** The names of optimizers in `src/python`, by the memory model's names. */
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

/** A feature of a run that a dry run cannot follow. */
interface Limit {
  readonly applies: (run: MemoryRun, spec: RunSpec) => boolean;
  readonly says: (run: MemoryRun, spec: RunSpec) => string;
}

const LIMITS: readonly Limit[] = [
  {
    applies: ({ model }) => !KINDS.has(model.kind),
    says: ({ model }) => `models of this kind (${model.kind}) cannot be built from their config alone`,
  },
  {
    applies: ({ head }) => !HEADS.has(head),
    says: ({ head }) => `models with a ${head} head are not supported`,
  },
  { applies: ({ task }) => task === 'load', says: () => 'the run computes nothing' },
  {
    applies: ({ generation: { serving } }) => serving !== null,
    says: () => 'a serving engine runs it with its own code',
  },
  {
    applies: ({ generation: { generated } }) => generated > 0,
    says: () => 'the length of generation depends on data',
  },
  {
    applies: ({ ranks: { sharding } }) => sharding !== null,
    says: ({ ranks: { sharding } }) =>
      `${sharding ? shardingWords(sharding) : ''} needs collectives, which a dry run lacks`,
  },
  {
    applies: ({ ranks: { tensor: tensorRanks } }) => (tensorRanks ?? 1) > 1,
    says: ({ ranks: { tensor: tensorRanks } }) =>
      `tensor parallelism splits its layers into ${tensorRanks ?? 1} parts`,
  },
  {
    applies: ({ ranks: { stage } }, { quantities }) =>
      !!stage || (quantities.parallel.value?.pipeline ?? 1) > 1,
    says: () => 'pipeline parallelism splits its layers into stages',
  },
  {
    applies: ({ ranks: { context: contextRanks } }) => contextRanks > 1,
    says: ({ ranks: { context: contextRanks } }) =>
      `context parallelism splits each sequence across ${contextRanks} GPUs`,
  },
  {
    applies: (_, { quantities }) => (quantities.parallel.value?.expert ?? 1) > 1,
    says: () => 'expert parallelism splits its experts across GPUs',
  },
  {
    applies: ({ devices: { spread } }) => spread > 1,
    says: ({ devices: { spread } }) => `it is spread across ${spread} GPUs`,
  },
  {
    applies: ({ behavior }) => behavior.compiles,
    says: () => 'torch.compile generates its own kernels',
  },
  {
    applies: (run, spec) => !isPlain(run.behavior.loss) && !preferenceIn(spec, run),
    says: ({ behavior }, spec) => lossWords(behavior.loss, spec),
  },
  {
    applies: ({ numbers: { quantization } }) => ![null, 'nf4', 'nf4-dq'].includes(quantization),
    says: ({ numbers: { quantization } }) => `${quantization ?? ''} weights need GPU kernels`,
  },
  {
    applies: ({ training: { lora } }) => !!lora?.method || !!lora?.experts,
    says: () => 'a dry run supports only LoRA and DoRA adapters on linear layers',
  },
  {
    applies: ({ training: { optimizer } }) =>
      optimizer !== null && !optimizer.names.some(name => name in OPTIMIZERS),
    says: ({ training: { optimizer } }) =>
      `a dry run does not support ${optimizer?.title ?? 'its optimizer'}`,
  },
  {
    applies: ({ training: { optimizer } }) => optimizer?.consumesGradients === true,
    says: () => 'the optimizer steps during the backward pass',
  },
  {
    applies: ({ recompute: { checkpointing, segments } }) =>
      checkpointing === 'selective' || checkpointing === 'offloaded' || !!segments,
    says: () => 'the framework checkpoints its layers in its own way',
  },
  {
    applies: (run, spec) => run.training.reference !== 'none' && !preferenceIn(spec, run),
    says: () => 'a step also runs a reference model',
  },
  {
    applies: (run, spec) => isNarrower(run) && preferenceIn(spec, run)?.code === 'llamafactory',
    says: () => 'the reference model is loaded in a different precision',
  },
  {
    applies: ({ encoders, batch: { contrast }, training: { partly, frozenParts } }) =>
      encoders > 1 || contrast.kind === 'known' || !!partly || (frozenParts?.length ?? 0) > 0,
    says: () => 'a step does more than run the model and its loss (pairs, frozen parts)',
  },
  {
    applies: ({ otherModels, training: { averaged, values }, generation: { rollout } }) =>
      (otherModels?.length ?? 0) > 0 || averaged === true || !!rollout || values === 'model',
    says: () => 'other models or copies are in memory with the trained one',
  },
  {
    applies: ({ numbers: { upcast } }) => upcast === 'outer',
    says: () => 'the framework keeps embeddings and head in fp32, other layers in 16 bits',
  },
  {
    applies: ({ batch: { audio, picturePixels } }) => !!audio || picturePixels.kind === 'known',
    says: () => 'its rows are neither texts nor images',
  },
  {
    applies: ({ numbers: { weightDtype, autocast } }) =>
      !DTYPES.has(weightDtype) || (autocast !== null && !DTYPES.has(autocast)),
    says: () => 'its precision needs GPU kernels',
  },
];

const isPlain = (loss: LossCode): boolean => loss.kind === 'cross-entropy' && loss.kernel === 'torch';

/** LLaMA-Factory's create_ref_model: a 16-bit reference next to a model that is trained in fp32. */
const isNarrower = ({ training: { reference }, numbers: { weightDtype, autocast } }: MemoryRun): boolean =>
  reference === 'copy' && autocast !== null && weightDtype !== autocast;

function lossWords(loss: LossCode, { framework, quantities }: RunSpec): string {
  const task = quantities.task.value;
  const lossName = isPreference(task) || isPolicy(task) ? `${task ?? ''} in ${framework.name}` : loss.kind;
  return `the framework computes its loss (${lossName}) and needs more than hidden states`;
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

/** Why a dry run cannot follow a run, as phrases; empty if it can. */
export const unfollowed = (spec: RunSpec, run: MemoryRun): readonly string[] => [
  ...new Set(LIMITS.filter(({ applies }) => applies(run, spec)).map(({ says }) => says(run, spec))),
];
