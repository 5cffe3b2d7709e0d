// Written by scripts/registries.mjs from the files beside it: a new file is in by being there.
import type { Rule } from './rule';
import { accumulationAndBatchSize } from './accumulationAndBatchSize';
import { accumulationInTwoFiles } from './accumulationInTwoFiles';
import { attentionName } from './attentionName';
import { attentionTwice } from './attentionTwice';
import { autoBatchSize } from './autoBatchSize';
import { autoBatchWithGrpo } from './autoBatchWithGrpo';
import { autoBatchWithZero3 } from './autoBatchWithZero3';
import { automodelPipelineBatch } from './automodelPipelineBatch';
import { axolotlGrpoGroups } from './axolotlGrpoGroups';
import { batchContradiction } from './batchContradiction';
import { batchFlattening } from './batchFlattening';
import { batchKeysMissing } from './batchKeysMissing';
import { batchSizeNotDivisible } from './batchSizeNotDivisible';
import { bf16Unsupported } from './bf16Unsupported';
import { contextParallel } from './contextParallel';
import { cpuRamLoading } from './cpuRamLoading';
import { crossEntropyTwice } from './crossEntropyTwice';
import { cutCrossEntropyPrecision } from './cutCrossEntropyPrecision';
import { dataParallel } from './dataParallel';
import { datasetSplitIgnored } from './datasetSplitIgnored';
import { deadCheckpointing } from './deadCheckpointing';
import { deepspeedAndFsdp } from './deepspeedAndFsdp';
import { deepspeedBatch } from './deepspeedBatch';
import { deepspeedFileWithKeys } from './deepspeedFileWithKeys';
import { deepspeedMismatch } from './deepspeedMismatch';
import { deepspeedTwoPrecisions } from './deepspeedTwoPrecisions';
import { distributedRlReentrant } from './distributedRlReentrant';
import { doesNotFit } from './doesNotFit';
import { eightBitOptions } from './eightBitOptions';
import { evalBatchLarger } from './evalBatchLarger';
import { evalPredictionsOnGpu } from './evalPredictionsOnGpu';
import { exclusiveKeys } from './exclusiveKeys';
import { flashAttentionUnsupported } from './flashAttentionUnsupported';
import { fp16AndBf16 } from './fp16AndBf16';
import { fp16Ignored } from './fp16Ignored';
import { fp32QuantisedCompute } from './fp32QuantisedCompute';
import { fp32Weights } from './fp32Weights';
import { fp8AllGather } from './fp8AllGather';
import { fp8Unsupported } from './fp8Unsupported';
import { fp8WithoutCompile } from './fp8WithoutCompile';
import { fsdp2QuantisedPreference } from './fsdp2QuantisedPreference';
import { fsdp8bitOptimizer } from './fsdp8bitOptimizer';
import { fsdpCheckpointing } from './fsdpCheckpointing';
import { fsdpNoWrap } from './fsdpNoWrap';
import { fsdpVersionKeys } from './fsdpVersionKeys';
import { fsdpVersionUnstated } from './fsdpVersionUnstated';
import { gpuComment } from './gpuComment';
import { grpoGroups } from './grpoGroups';
import { hostMemory } from './hostMemory';
import { ktoColumns } from './ktoColumns';
import { limitAboveData } from './limitAboveData';
import { loraKernels } from './loraKernels';
import { loraNotQuantised } from './loraNotQuantised';
import { loraRankUnset } from './loraRankUnset';
import { loraTargetsUnset } from './loraTargetsUnset';
import { megatronBridgeLengthsDiffer } from './megatronBridgeLengthsDiffer';
import { misspeltKey } from './misspeltKey';
import { misspeltOptimizer } from './misspeltOptimizer';
import { needsGradientCheckpointing } from './needsGradientCheckpointing';
import { noEstimate } from './noEstimate';
import { offloadParamStage } from './offloadParamStage';
import { optimizerNotShardable } from './optimizerNotShardable';
import { optimizerOffloadHostMemory } from './optimizerOffloadHostMemory';
import { packingWithRl } from './packingWithRl';
import { packingWithoutFlash } from './packingWithoutFlash';
import { packingWithoutIsolation } from './packingWithoutIsolation';
import { packingWithoutLength } from './packingWithoutLength';
import { paddingFreeLength } from './paddingFreeLength';
import { paddingFreeSingleRow } from './paddingFreeSingleRow';
import { paddingWaste } from './paddingWaste';
import { partialOffload } from './partialOffload';
import { pluginMissing } from './pluginMissing';
import { preferencePairs } from './preferencePairs';
import { pureBf16 } from './pureBf16';
import { qloraNot4bit } from './qloraNot4bit';
import { quantisedWithoutAdapter } from './quantisedWithoutAdapter';
import { quantisedWithoutPeft } from './quantisedWithoutPeft';
import { quotedFalse } from './quotedFalse';
import { ranOutOfMemory } from './ranOutOfMemory';
import { referenceModelCopy } from './referenceModelCopy';
import { removedKey } from './removedKey';
import { renamedKey } from './renamedKey';
import { rlGamesMinibatch } from './rlGamesMinibatch';
import { rowsCut } from './rowsCut';
import { sequenceBeyondModel } from './sequenceBeyondModel';
import { sequenceLengthDefault } from './sequenceLengthDefault';
import { servicesShareGpu } from './servicesShareGpu';
import { shardingStrategyDropped } from './shardingStrategyDropped';
import { slowfastBatch } from './slowfastBatch';
import { tensorParallel8bitOptimizer } from './tensorParallel8bitOptimizer';
import { tensorParallelLiger } from './tensorParallelLiger';
import { tf32Unsupported } from './tf32Unsupported';
import { tight } from './tight';
import { underUsed } from './underUsed';
import { unknownModel } from './unknownModel';
import { vllmSharesGpu } from './vllmSharesGpu';
import { zero3QloraReentrant } from './zero3QloraReentrant';

export const rules: readonly Rule[] = [
  accumulationAndBatchSize,
  accumulationInTwoFiles,
  attentionName,
  attentionTwice,
  autoBatchSize,
  autoBatchWithGrpo,
  autoBatchWithZero3,
  automodelPipelineBatch,
  axolotlGrpoGroups,
  batchContradiction,
  batchFlattening,
  batchKeysMissing,
  batchSizeNotDivisible,
  bf16Unsupported,
  contextParallel,
  cpuRamLoading,
  crossEntropyTwice,
  cutCrossEntropyPrecision,
  dataParallel,
  datasetSplitIgnored,
  deadCheckpointing,
  deepspeedAndFsdp,
  deepspeedBatch,
  deepspeedFileWithKeys,
  deepspeedMismatch,
  deepspeedTwoPrecisions,
  distributedRlReentrant,
  doesNotFit,
  eightBitOptions,
  evalBatchLarger,
  evalPredictionsOnGpu,
  exclusiveKeys,
  flashAttentionUnsupported,
  fp16AndBf16,
  fp16Ignored,
  fp32QuantisedCompute,
  fp32Weights,
  fp8AllGather,
  fp8Unsupported,
  fp8WithoutCompile,
  fsdp2QuantisedPreference,
  fsdp8bitOptimizer,
  fsdpCheckpointing,
  fsdpNoWrap,
  fsdpVersionKeys,
  fsdpVersionUnstated,
  gpuComment,
  grpoGroups,
  hostMemory,
  ktoColumns,
  limitAboveData,
  loraKernels,
  loraNotQuantised,
  loraRankUnset,
  loraTargetsUnset,
  megatronBridgeLengthsDiffer,
  misspeltKey,
  misspeltOptimizer,
  needsGradientCheckpointing,
  noEstimate,
  offloadParamStage,
  optimizerNotShardable,
  optimizerOffloadHostMemory,
  packingWithRl,
  packingWithoutFlash,
  packingWithoutIsolation,
  packingWithoutLength,
  paddingFreeLength,
  paddingFreeSingleRow,
  paddingWaste,
  partialOffload,
  pluginMissing,
  preferencePairs,
  pureBf16,
  qloraNot4bit,
  quantisedWithoutAdapter,
  quantisedWithoutPeft,
  quotedFalse,
  ranOutOfMemory,
  referenceModelCopy,
  removedKey,
  renamedKey,
  rlGamesMinibatch,
  rowsCut,
  sequenceBeyondModel,
  sequenceLengthDefault,
  servicesShareGpu,
  shardingStrategyDropped,
  slowfastBatch,
  tensorParallel8bitOptimizer,
  tensorParallelLiger,
  tf32Unsupported,
  tight,
  underUsed,
  unknownModel,
  vllmSharesGpu,
  zero3QloraReentrant,
];
