// Written by scripts/registries.mjs: it lists every file of this folder.
import type { Rule } from './rule';
import { attentionName, attentionTwice, flashAttentionUnsupported, contextParallel } from './attention';
import { autoBatchSize, autoBatchWithGrpo, autoBatchWithZero3 } from './autoBatchSize';
import { axolotlGrpoGroups } from './axolotlGrpoGroups';
import {
  accumulationAndBatchSize,
  accumulationInTwoFiles,
  batchContradiction,
  batchKeysMissing,
  batchSizeNotDivisible,
  deepspeedBatch,
  automodelPipelineBatch,
  slowfastBatch,
  rlGamesMinibatch,
} from './batchSize';
import {
  needsGradientCheckpointing,
  deadCheckpointing,
  zero3QloraReentrant,
  distributedRlReentrant,
} from './checkpointing';
import { colocatedEngine } from './colocatedEngine';
import { deepspeedAndFsdp, deepspeedFileWithKeys, deepspeedMismatch } from './deepspeed';
import { eagerAttention } from './eagerAttention';
import { embeddingBatchesDiffer, embeddingPartialBatches, embeddingGuideFormula } from './embeddingBatch';
import { evalBatchLarger, evalPredictionsOnGpu } from './evaluation';
import { doesNotFit, tight, underUsed, noEstimate } from './fit';
import { fp32Compute } from './fp32Compute';
import { fp8AllGather, fp8WithoutCompile, fp8Unsupported } from './fp8';
import { frequentEvaluation } from './frequentEvaluation';
import { frequentSaving } from './frequentSaving';
import {
  fsdpVersionUnstated,
  fsdpVersionKeys,
  fsdpNoWrap,
  fsdpCheckpointing,
  cpuRamLoading,
  shardingStrategyDropped,
  fsdp2QuantisedPreference,
  fsdp8bitOptimizer,
} from './fsdp';
import { dataParallel, gpuComment } from './gpuCount';
import { gpuShareTooSmall, fewerGpusThanRanks } from './gpuRequest';
import { grpoGroups } from './grpoGroups';
import { datasetSplitIgnored, renamedKey, exclusiveKeys, quotedFalse } from './keys';
import { loraRankUnset, loraTargetsUnset, loraKernels } from './lora';
import { crossEntropyTwice, cutCrossEntropyPrecision } from './loss';
import { misspeltKey } from './misspeltKey';
import { noPrefetch } from './noPrefetch';
import { noWorkers } from './noWorkers';
import { offloadParamStage, partialOffload, optimizerOffloadHostMemory, hostMemory } from './offload';
import { optimizerNotShardable, misspeltOptimizer } from './optimizer';
import {
  batchFlattening,
  packingWithRl,
  packingWithoutLength,
  packingWithoutFlash,
  packingWithoutIsolation,
} from './packing';
import { paddedToLimit } from './paddedToLimit';
import { paddingFreeLength, paddingFreeSingleRow, paddingWaste } from './padding';
import { pluginMissing } from './plugins';
import {
  fp16AndBf16,
  fp16Ignored,
  deepspeedTwoPrecisions,
  bf16Unsupported,
  tf32Unsupported,
  pureBf16,
  fp32Weights,
  fp32QuantisedCompute,
} from './precision';
import { preferencePairs, ktoColumns, referenceModelCopy } from './preference';
import {
  quantisedWithoutAdapter,
  quantisedWithoutPeft,
  qloraNot4bit,
  eightBitOptions,
  loraNotQuantised,
} from './quantization';
import { ranOutOfMemory } from './ranOutOfMemory';
import { releaseMemory } from './releaseMemory';
import { removedKey } from './removedKey';
import {
  sequenceLengthDefault,
  sequenceBeyondModel,
  megatronBridgeLengthsDiffer,
  rowsCut,
  limitAboveData,
} from './sequenceLength';
import { serverCacheTooSmall, serverCutsRequests, serverRefusesModel } from './serverStart';
import { servicesShareGpu } from './servicesShareGpu';
import { smallMicroBatch } from './smallMicroBatch';
import { tensorParallel8bitOptimizer, tensorParallelLiger } from './tensorParallel';
import { unknownModel } from './unknownModel';
import { unneededCheckpointing } from './unneededCheckpointing';
import { unpinnedBatches } from './unpinnedBatches';
import { vllmSharesGpu } from './vllmSharesGpu';

export const rules: readonly Rule[] = [
  attentionName,
  attentionTwice,
  flashAttentionUnsupported,
  contextParallel,
  autoBatchSize,
  autoBatchWithGrpo,
  autoBatchWithZero3,
  axolotlGrpoGroups,
  accumulationAndBatchSize,
  accumulationInTwoFiles,
  batchContradiction,
  batchKeysMissing,
  batchSizeNotDivisible,
  deepspeedBatch,
  automodelPipelineBatch,
  slowfastBatch,
  rlGamesMinibatch,
  needsGradientCheckpointing,
  deadCheckpointing,
  zero3QloraReentrant,
  distributedRlReentrant,
  colocatedEngine,
  deepspeedAndFsdp,
  deepspeedFileWithKeys,
  deepspeedMismatch,
  eagerAttention,
  embeddingBatchesDiffer,
  embeddingPartialBatches,
  embeddingGuideFormula,
  evalBatchLarger,
  evalPredictionsOnGpu,
  doesNotFit,
  tight,
  underUsed,
  noEstimate,
  fp32Compute,
  fp8AllGather,
  fp8WithoutCompile,
  fp8Unsupported,
  frequentEvaluation,
  frequentSaving,
  fsdpVersionUnstated,
  fsdpVersionKeys,
  fsdpNoWrap,
  fsdpCheckpointing,
  cpuRamLoading,
  shardingStrategyDropped,
  fsdp2QuantisedPreference,
  fsdp8bitOptimizer,
  dataParallel,
  gpuComment,
  gpuShareTooSmall,
  fewerGpusThanRanks,
  grpoGroups,
  datasetSplitIgnored,
  renamedKey,
  exclusiveKeys,
  quotedFalse,
  loraRankUnset,
  loraTargetsUnset,
  loraKernels,
  crossEntropyTwice,
  cutCrossEntropyPrecision,
  misspeltKey,
  noPrefetch,
  noWorkers,
  offloadParamStage,
  partialOffload,
  optimizerOffloadHostMemory,
  hostMemory,
  optimizerNotShardable,
  misspeltOptimizer,
  batchFlattening,
  packingWithRl,
  packingWithoutLength,
  packingWithoutFlash,
  packingWithoutIsolation,
  paddedToLimit,
  paddingFreeLength,
  paddingFreeSingleRow,
  paddingWaste,
  pluginMissing,
  fp16AndBf16,
  fp16Ignored,
  deepspeedTwoPrecisions,
  bf16Unsupported,
  tf32Unsupported,
  pureBf16,
  fp32Weights,
  fp32QuantisedCompute,
  preferencePairs,
  ktoColumns,
  referenceModelCopy,
  quantisedWithoutAdapter,
  quantisedWithoutPeft,
  qloraNot4bit,
  eightBitOptions,
  loraNotQuantised,
  ranOutOfMemory,
  releaseMemory,
  removedKey,
  sequenceLengthDefault,
  sequenceBeyondModel,
  megatronBridgeLengthsDiffer,
  rowsCut,
  limitAboveData,
  serverCacheTooSmall,
  serverCutsRequests,
  serverRefusesModel,
  servicesShareGpu,
  smallMicroBatch,
  tensorParallel8bitOptimizer,
  tensorParallelLiger,
  unknownModel,
  unneededCheckpointing,
  unpinnedBatches,
  vllmSharesGpu,
];
