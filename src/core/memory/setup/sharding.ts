import type { ModelFacts } from '../../models/model';
import type { FsdpSettings, ParallelSettings } from '../../spec/values';
import type { Architecture } from '../architecture';
import type { Behavior } from '../frameworks/behavior/behavior';
import { profileOf } from '../frameworks/profileOf';
import { gathers } from '../sharding';
import type { LoraPlan } from '../adapterMethod';
import type { MemoryRun, Ranks, Stage } from '../run';
import type { FullySharded, MegatronSharded, Sharding, ZeroSharded } from '../sharding';
import type { Element } from '../tensor';
import type { RunQuestions } from './questions';
import type { Dtypes } from '../run';
import { attentionOf, withAttentionCopies } from './attentionCopies';
import { isInference } from './task';

/** Values shared by the ranks. */
interface Shared {
  readonly model: ModelFacts;
  readonly numbers: Dtypes;
  readonly gpus: number;
  readonly behavior: Behavior;
}

/** FSDP over all GPUs, for a config that does not say how many there are. One GPU does not shard. */
const ALWAYS: Omit<FsdpSettings, 'version'> = {
  strategy: 'FULL_SHARD',
  offloadParams: false,
  activationCheckpointing: null,
};

/** How ranks shard the model; null if each holds it in full. */
export function shardingOf(
  questions: RunQuestions,
  architecture: Architecture,
  { model, numbers, gpus, behavior }: Shared,
): Sharding | null {
  const { framework } = questions.run;
  const profile = profileOf(framework);
  const { sharding: policy } = profile;
  const own = policy === 'always' ? { ...ALWAYS, version: profile.fsdp(framework) } : null;
  const fsdp = questions.value('fsdp') ?? own;
  const stage = questions.value('zeroStage') ?? 0;
  if (policy === 'megatron') {
    const distributed = stage > 0 || questions.detail('distributedOptimizer') === true;
    return megatronSharded(questions, gpus, { distributed, compute: numbers.weightDtype });
  }
  const sharding =
    stage > 0
      ? zeroSharded(questions, stage as 1 | 2 | 3, {
          hidden: model.hiddenSize,
          ranks: gpus,
          compute: numbers.weightDtype,
        })
      : fsdp
        ? fullySharded(questions, fsdp, mixedIn(questions, numbers, behavior), { gpus, behavior })
        : null;
  if (gathers(sharding) && architecture.hasLayers !== true) {
    questions.lack(`which parts of a ${architecture.modelTypes[0] ?? ''} are gathered together`);
  }
  return sharding;
}

/** Replicas of experts: the ranks of a stage, without those that have other experts or other parts of them. */
function megatronSharded(
  questions: RunQuestions,
  ranks: number,
  { distributed, compute }: Pick<MegatronSharded, 'distributed' | 'compute'>,
): MegatronSharded {
  const { tensor, expert } = cutsOf(questions);
  const expertRanks = Math.max(1, Math.floor((ranks * tensor) / (expert * expertTensorOf(questions))));
  const onHost = isOnHost(questions, 'optimizer');
  return { kind: 'megatron', ranks, expertRanks, distributed, compute, onHost };
}

/** Dtypes of gathered parameters and of gradient reduction. */
type Mixed = Pick<FullySharded, 'compute' | 'reduce'> & { readonly version?: 2 };

/**
 * A framework's own MixedPrecisionPolicy; else one dtype for all (accelerate, utils/dataclasses.py,
 * set_mixed_precision).
 */
function mixedIn(questions: RunQuestions, { autocast }: Dtypes, { fsdp: own }: Behavior): Mixed {
  return own ? { ...own, compute: computeOf(questions) } : { compute: autocast, reduce: autocast };
}

/** A single rank does not shard; torch then uses NO_SHARD. */
function fullySharded(
  questions: RunQuestions,
  { version, strategy, offloadParams }: FsdpSettings,
  mixed: Mixed,
  { gpus, behavior }: Pick<Shared, 'gpus' | 'behavior'>,
): FullySharded | null {
  const offload = offloadParams === true || isOnHost(questions, 'param');
  const ranks = ranksOf(questions, strategy, gpus);
  if (strategy === 'NO_SHARD' || (ranks === 1 && !offload)) return null;
  return {
    kind: 'fsdp',
    version: version ?? mixed.version ?? questions.assume(1, 'FSDP 1: the config does not say which'),
    ranks,
    ...(cutsOf(questions).expert > 1 && { expertRanks: expertRanksOf(questions, ranks, gpus) }),
    reshards: strategy !== 'SHARD_GRAD_OP',
    staysGathered: staysGathered(questions),
    compute: mixed.compute,
    reduce: mixed.reduce,
    offload,
    frozenLayers: questions.value('lora') !== null && !behavior.flattensFrozen,
    flattensFrozen: questions.value('lora') !== null && behavior.flattensFrozen,
  };
}

/** Some frameworks keep everything gathered between the micro-batches of a pipeline. */
const staysGathered = (questions: RunQuestions): boolean =>
  profileOf(questions.run.framework).pipelineDividesBatch && (questions.value('parallel')?.pipeline ?? 1) > 1;

/** Hybrid sharding shards within a node and replicates over nodes. */
function ranksOf(questions: RunQuestions, strategy: FsdpSettings['strategy'], gpus: number): number {
  const parallel = questions.value('parallel');
  // The context-parallel ranks of a row also share parameters (accelerate, parallelism_config.py, dp_shard_cp).
  if (parallel?.dataShard) return parallel.dataShard * parallel.context;
  if (parallel?.dataReplicate) return Math.max(1, gpus / parallel.dataReplicate);
  if (strategy !== 'HYBRID_SHARD') return gpus;
  return Math.max(1, Math.floor(gpus / (questions.value('nodes') ?? 1)));
}

/**
 * Expert-parallel ranks are among those that shard the rest (torchtitan, distributed/parallel_dims.py, `efsdp`; NeMo
 * Automodel, components/moe/parallelizer.py, `ep_shard`), unless they multiply them (axolotl: `expert_parallel_size` ×
 * `dp_shard_size`).
 */
function expertRanksOf(questions: RunQuestions, ranks: number, gpus: number): number {
  const { expert, dataReplicate } = cutsOf(questions);
  if (expert > gpus) questions.lack(`${expert} expert-parallel ranks, of which there are ${gpus}`);
  const areApart = ranks * expert * (dataReplicate ?? 1) <= gpus;
  return areApart ? ranks : Math.max(1, Math.floor(ranks / expert));
}

/** True if a movable part of the state is on the host. */
function isOnHost(questions: RunQuestions, part: 'param' | 'optimizer'): boolean {
  const place = questions.value('offload')?.[part] ?? null;
  return place === 'cpu' || place === 'nvme';
}

/** Dtypes under DeepSpeed: it casts the model, and does not use autocast. */
export function underZero(questions: RunQuestions, numbers: Dtypes | null): Dtypes | null {
  if (numbers === null || !usesZero(questions)) return numbers;
  return { ...numbers, weightDtype: computeOf(questions, numbers.weightDtype), autocast: null };
}

/** Adapters are cast, too. */
export function castAdapters(
  questions: RunQuestions,
  lora: LoraPlan | null,
  numbers: Dtypes,
): LoraPlan | null {
  return lora && usesZero(questions) ? { ...lora, dtype: numbers.weightDtype } : lora;
}

export const usesZero = (questions: RunQuestions): boolean =>
  (questions.value('zeroStage') ?? 0) > 0 || profileOf(questions.run.framework).sharding === 'megatron';

/**
 * bf16.enabled and fp16.enabled; fp32 without both; that of the checkpoint's weights, `held`, if the run keeps it and states
 * no precision. Linear layers with fp8 compute take 16-bit tensors.
 */
function computeOf(questions: RunQuestions, held: Element = 'fp32'): Element {
  const unstated = questions.detail('checkpointDtype') === true ? held : 'fp32';
  const [dtype] = (questions.value('precision') ?? unstated).split('-');
  if (dtype === 'fp8') return 'bf16';
  return dtype === 'bf16' || dtype === 'fp16' ? dtype : 'fp32';
}

/** DeepSpeed's defaults (0.19.6, runtime/zero/config.py). */
const REDUCE_BUCKET = 5e8;
const PREFETCH_BUCKET = 5e7;
const SUB_GROUP = 1e9;
const REUSE_DISTANCE = 1e9;

/**
 * Parameters that are reused within the reuse distance are not freed; it counts elements of the modules that run in
 * between (partitioned_param_coordinator.py, __params_to_release): those of later layers in forward, in
 * recomputation if any, and in backward.
 */
const passesOver = (questions: RunQuestions): number =>
  questions.value('gradientCheckpointing') === true ? 3 : 2;

function zeroSharded(
  questions: RunQuestions,
  stage: 1 | 2 | 3,
  { hidden, ranks, compute }: Pick<ZeroSharded, 'ranks' | 'compute'> & { readonly hidden: number },
): ZeroSharded {
  const buffers = questions.detail('zeroBuffers');
  // accelerate and transformers derive `auto` from the hidden size (accelerator.py, _prepare_deepspeed).
  const reduceBucket = sizeOr(buffers?.reduceBucket ?? REDUCE_BUCKET, hidden ** 2);
  const prefetchBucket = sizeOr(buffers?.prefetchBucket ?? PREFETCH_BUCKET, 0.9 * hidden ** 2);
  return {
    kind: 'zero',
    stage,
    ranks,
    compute,
    offloadsParameters: stage === 3 && isOnHost(questions, 'param'),
    offloadsOptimizer: isOnHost(questions, 'optimizer'),
    reduceBucket,
    // stage_1_and_2.py, setup_buckets: a second buffer if reduction overlaps; stage3.py has one.
    reduceBuffers: stage < 3 && buffers?.overlapsComm === true ? 2 : 1,
    prefetchBucket,
    liveElements: (buffers?.reuseDistance ?? REUSE_DISTANCE) / passesOver(questions),
    subGroup: buffers?.subGroup ?? SUB_GROUP,
  };
}

const sizeOr = (stated: number | 'auto', derived: number): number => (stated === 'auto' ? derived : stated);

const NO_PARALLELISM: ParallelSettings = {
  tensor: 1,
  context: 1,
  pipeline: 1,
  expert: 1,
  dataShard: null,
  dataReplicate: null,
};

/** How a training run's model is split; inference uses device_map instead. */
export function cutsOf(questions: RunQuestions): ParallelSettings {
  return isInference(questions) ? NO_PARALLELISM : (questions.value('parallel') ?? NO_PARALLELISM);
}

/** GPUs with different data, or with parts of the same rows, that hold the same slice of the model. */
export function ranksOfSlice(questions: RunQuestions, gpus: number): number {
  const { tensor, pipeline } = cutsOf(questions);
  return Math.max(1, Math.floor(gpus / (tensor * pipeline)));
}

/**
 * One rank's slice of a model. Tensor parallelism splits heads and the MLP's inner width; hidden states, norms and
 * the embeddings are whole on each rank, and logits are gathered (transformers, integrations/tensor_parallel.py:
 * colwise, rowwise, colwise_gather_output). Expert parallelism splits the experts; with even routing, each rank's
 * experts get as many tokens as its own tokens request.
 */
export function sliceOf(questions: RunQuestions, model: ModelFacts): ModelFacts {
  const { tensor, expert } = cutsOf(questions);
  const { tensorParallel, serving } = profileOf(questions.run.framework);
  if (tensorParallel === 'megatron') return megatronSlice(questions, model, { tensor, expert });
  const attention = attentionOf(questions.value('parallel'));
  if (attention.copies > 1) return withAttentionCopies(model, attention.copies);
  const copies = questions.value('parallel')?.dataReplicate ?? 1;
  if (serving?.sharesExperts && model.experts > 0 && model.experts % copies === 0) {
    return { ...model, experts: model.experts / copies };
  }
  return withExpertParallel(questions, withTensorParallel(questions, model, tensor), expert);
}

function withTensorParallel(questions: RunQuestions, model: ModelFacts, ranks: number): ModelFacts {
  if (ranks === 1) return model;
  const { heads, kvHeads, intermediateSize, experts, mla } = model;
  if (mla !== null || experts > 0) questions.lack(`how ${model.modelType} is cut under tensor parallelism`);
  // With fewer key heads than ranks, each rank has one of them.
  const keys = kvHeads % ranks === 0 ? kvHeads / ranks : ranks % kvHeads === 0 ? 1 : null;
  if (heads % ranks !== 0 || intermediateSize % ranks !== 0 || keys === null) {
    questions.lack(`a number of heads and an MLP width that ${ranks} tensor-parallel ranks can share`);
    return model;
  }
  const own = { ...model, heads: heads / ranks, kvHeads: keys, intermediateSize: intermediateSize / ranks };
  if (profileOf(questions.run.framework).tensorParallel === 'heads and words') {
    return { ...own, vocabSize: Math.ceil(model.vocabSize / ranks) };
  }
  questions.assume(null, `embeddings and logits are whole on each of ${ranks} tensor-parallel ranks`);
  return own;
}

function withExpertParallel(questions: RunQuestions, model: ModelFacts, ranks: number): ModelFacts {
  if (ranks === 1) return model;
  if (model.experts % ranks !== 0 || model.experts === 0) {
    questions.lack(`a number of experts that ${ranks} ranks can share`);
    return model;
  }
  questions.assume(null, 'the router sends every rank as many tokens as the others');
  return { ...model, experts: model.experts / ranks };
}

/** Ranks that share each expert; default: the tensor-parallel ranks (`--expert-tensor-parallel-size`). */
const expertTensorOf = (questions: RunQuestions): number =>
  questions.detail('expertTensorRanks') ?? cutsOf(questions).tensor;

/**
 * Megatron splits heads, inner widths, the vocabulary and experts; a padded vocabulary has the same size on each
 * rank.
 */
function megatronSlice(
  questions: RunQuestions,
  model: ModelFacts,
  { tensor, expert }: Pick<ParallelSettings, 'tensor' | 'expert'>,
): ModelFacts {
  const { heads, kvHeads, intermediateSize, experts, moe, vocabSize } = model;
  if (heads % tensor !== 0 || experts % expert !== 0) {
    questions.lack(`numbers of heads and experts that ${tensor} and ${expert} ranks can share`);
  }
  const each = expertTensorOf(questions);
  return {
    ...model,
    heads: heads / tensor,
    kvHeads: Math.max(1, kvHeads / tensor),
    intermediateSize: intermediateSize / tensor,
    vocabSize: Math.ceil(vocabSize / tensor),
    experts: experts / expert,
    moe: moe && {
      ...moe,
      intermediateSize: moe.intermediateSize / each,
      sharedIntermediateSize: moe.sharedIntermediateSize / tensor,
    },
  };
}

/**
 * Pipeline ranks that may need the most: the first, with the most micro-batches in flight, and the last, which has
 * the head (Narayanan et al. 2021, 1F1B and its interleaved form; megatron/core/pipeline_parallel/schedules.py,
 * get_pp_rank_microbatches; torch.distributed.pipelining.schedules has the same numbers). One run each; without a
 * pipeline, the run itself.
 */
export function stagesOf(questions: RunQuestions, run: MemoryRun): readonly MemoryRun[] {
  const ranks = cutsOf(questions).pipeline;
  if (ranks === 1 || run.task !== 'train') return [run];
  const chunks = questions.detail('pipelineChunks') ?? 1;
  const layers = Math.floor(run.model.layers / ranks);
  if (layers < chunks) questions.lack(`a number of layers that ${ranks * chunks} stages can share`);
  const microBatches = microBatchesOf(questions, run, ranks);
  const rows = profileOf(questions.run.framework).pipelineDividesBatch
    ? Math.ceil(run.batch.rows / microBatches)
    : run.batch.rows;
  return PLACES.map(place => {
    const before = place === 'first' ? ranks - 1 : 0;
    const warmUp = chunks === 1 ? before : 2 * before + (chunks - 1) * ranks;
    const underWay = Math.min(warmUp + 1, microBatches * chunks);
    const stage: Stage = {
      place,
      of: ranks,
      alive: Math.round((underWay * layers) / chunks),
      microBatches,
      chunks,
    };
    return {
      ...run,
      batch: { ...run.batch, rows },
      model: stageModel(run.model, layers, place),
      ranks: { ...run.ranks, stage },
    };
  });
}

const PLACES = ['first', 'last'] as const;

/** Layers without experts come first, where only some have them. */
function stageModel(model: ModelFacts, layers: number, place: Stage['place']): ModelFacts {
  if (!model.moe) return { ...model, layers };
  const sparse = (model.moe.layers * layers) / model.layers;
  return {
    ...model,
    layers,
    moe: { ...model.moe, layers: place === 'last' ? Math.ceil(sparse) : Math.floor(sparse) },
  };
}

/** Number of consecutive parts of a step's rows; a divided batch has as many as there are ranks. */
function microBatchesOf(questions: RunQuestions, run: MemoryRun, ranks: number): number {
  const stated = questions.detail('microBatches');
  if (stated !== null) return stated;
  if (profileOf(questions.run.framework).pipelineDividesBatch) return Math.min(ranks, run.batch.rows);
  const rows = questions.value('globalBatchSize');
  if (rows !== null) {
    return Math.max(1, Math.round((rows * run.ranks.context) / (run.batch.rows * run.ranks.replicas)));
  }
  if (run.training.gradAccum > 1) return run.training.gradAccum;
  return questions.assume(ranks, `as many micro-batches as there are stages, ${ranks}`);
}

/** Numbers of ranks that share each part of a layer. */
export function ranksIn(
  questions: RunQuestions,
  { experts }: ModelFacts,
  { sequenceParallel }: Behavior,
): Pick<Ranks, 'context' | 'sequence' | 'expertTensor' | 'tensor'> {
  const { context, tensor } = cutsOf(questions);
  return {
    context,
    sequence: sequenceParallel ? tensor : 1,
    expertTensor: experts > 0 ? expertTensorOf(questions) : 1,
    tensor,
  };
}
