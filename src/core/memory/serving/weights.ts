import { GIB, MIB } from '../../units';
import type { ModelFacts } from '../../models/model';
import { outerType } from '../../models/languageModel';
import type { Serving } from '../engine';
import { weightFormat } from '../quantization';
import type { MemoryRun } from '../run';
import { bytesPer } from '../tensor';

/** Allocations from this size get a segment of their own, in steps (c10/cuda/CUDACachingAllocator.cpp). */
const LEAST_SEGMENT = 10 * MIB;
const SEGMENT_STEP = 2 * MIB;
/** What is left of a segment counts as allocated up to this size; more is split off (should_split). */
const MOST_REST = MIB;

/** The rest of a tensor's segment that torch counts with the tensor. */
export function restOf(bytes: number): number {
  if (bytes < LEAST_SEGMENT) return 0;
  const rest = Math.ceil(bytes / SEGMENT_STEP) * SEGMENT_STEP - bytes;
  return rest > MOST_REST ? 0 : rest;
}

/** Rows that vocabulary tables are rounded up to (vocab_parallel_embedding.py, DEFAULT_VOCAB_PADDING_SIZE). */
const VOCABULARY_STEP = 64;

/**
 * Bytes of a rank that torch counts with the weights beyond the parameters: rests of segments. Engines fuse projections
 * of queries, keys and values, and of gate and up, into one tensor each (vllm, model_executor/layers/linear.py).
 */
export function restsOfWeights(run: MemoryRun, { tensorRanks }: Serving): number {
  const { model } = run;
  const { hiddenSize, heads, kvHeads, headDim, intermediateSize, layers, gatedMlp, experts, moe } = model;
  if (hiddenSize === 0 || model.mla !== null) return 0;
  const cut = (rows: number): number => rows / tensorRanks;
  const keys = Math.max(1, kvHeads / tensorRanks) * headDim;
  const attention = [cut(heads * headDim) + 2 * keys, cut(heads * headDim)];
  const inner = moe?.intermediateSize ?? intermediateSize;
  const copies = Math.max(1, experts);
  const mlp = [copies * cut(inner) * (gatedMlp ? 2 : 1), copies * cut(inner)];
  const linear = [...attention, ...mlp].reduce(
    (sum, rows) => sum + restOf(linearBytes(run, rows, hiddenSize)),
    0,
  );
  const words = Math.ceil(model.vocabSize / VOCABULARY_STEP) * VOCABULARY_STEP;
  const table = restOf(cut(words) * hiddenSize * bytesPer(run.numbers.weightDtype));
  return layers * linear + table * (model.tiedEmbeddings ? 1 : 2);
}

/** The weight alone: scales are small tensors of their own. */
function linearBytes(
  { numbers: { quantization, weightDtype } }: MemoryRun,
  rows: number,
  columns: number,
): number {
  if (quantization === null) return rows * columns * bytesPer(weightDtype);
  return Math.max(...weightFormat(quantization).parts(Math.round(rows), columns));
}

/**
 * What every tensor rank has whole, beyond the share that an even cut gives it: projections to latents, and routers
 * (ReplicatedLinear in vllm, model_executor/models/deepseek_v2.py and qwen3_moe.py, and in sglang 0.5.12, srt/models).
 */
export function replicatedBytes(run: MemoryRun, { tensorRanks, stages }: Serving): number {
  const { mla, layers, hiddenSize, experts, moe } = run.model;
  const latents = mla === null ? 0 : mla.qLoraRank + mla.kvLoraRank + mla.qkRopeHeadDim;
  const routers = (moe?.layers ?? 0) * experts * hiddenSize * bytesPer(run.numbers.weightDtype);
  const whole = layers * linearBytes(run, latents, hiddenSize) + routers;
  return (whole * (1 - 1 / tensorRanks)) / stages;
}

/**
 * 16-bit copies of a rank's projection of latents to keys and values, which attention multiplies queries and its output
 * by: of quantized weights in vLLM (v1/attention/backends/mla/common.py, process_weights_after_loading; views of others),
 * of all in SGLang (0.5.12, models/deepseek_common/deepseek_weight_loader.py, post_load_weights).
 */
export function latentCopies(
  { model, numbers }: MemoryRun,
  { engine, tensorRanks, stages }: Serving,
): number {
  const { mla, heads, layers } = model;
  const copies = engine.copiesLatents;
  const isPlain = copies === 'quantized' && numbers.quantization === null;
  if (mla === null || copies === undefined || isPlain) return 0;
  const values = heads * (mla.qkNopeHeadDim + mla.vHeadDim) * mla.kvLoraRank;
  return (layers * values * bytesPer('bf16')) / (tensorRanks * stages);
}

/**
 * Bytes of layers' weights that stay on the host, whole tensors up to the limit (vllm, model_executor/models/utils.py,
 * maybe_offload_to_cpu; since 0.17 model_executor/offloader/uva.py). Word tables and heads stay on the GPU.
 */
export function offloadedBytes({ model }: MemoryRun, { extras }: Serving, weights: number): number {
  const limit = (extras?.offloadGiB ?? 0) * GIB;
  const counts = model.parameters;
  if (limit === 0) return 0;
  const share = counts === null || counts.total === 0 ? 1 : (counts.attention + counts.mlp) / counts.total;
  return Math.min(limit, share * weights);
}

/** The factor by which a family stretches its rotary positions linearly, where the facts have no `rope_scaling`. */
const STRETCHED: ReadonlyMap<string, number> = new Map([
  // transformers, convert_gemma3_weights.py: all that have a tower; layers with a window are not stretched.
  ['gemma3', 8],
]);

/** Kinds of scaling whose tables are longer than the positions (vllm, rotary_embedding/linear_scaling_rope.py). */
const LENGTHENING: ReadonlySet<string> = new Set(['linear', 'dynamic', 'deepseek_yarn']);

/** Tables of cosines and sines, in the dtype of the weights: one for each kind of rotary positions. */
export function rotaryTables({ model, numbers: { weightDtype } }: MemoryRun): number {
  const { positions, maxPositions, headDim, mla, slidingWindow } = model;
  if (positions !== 'rope' || maxPositions === null) return 0;
  const width = (mla?.qkRopeHeadDim ?? headDim) * rotaryShare(model);
  const table = maxPositions * width * bytesPer(weightDtype);
  const factor = stretchOf(model);
  // Layers with a window keep a table of their own where the others' is stretched.
  return table * factor + (factor !== 1 && slidingWindow !== null ? table : 0);
}

function stretchOf(model: ModelFacts): number {
  const scaling = model.extra['rope_scaling'];
  if (typeof scaling !== 'object' || scaling === null) return STRETCHED.get(outerType(model)) ?? 1;
  const entries = new Map<string, unknown>(Object.entries(scaling));
  const kind = entries.get('rope_type') ?? entries.get('type');
  const factor = entries.get('factor');
  return typeof kind === 'string' && LENGTHENING.has(kind) && typeof factor === 'number' && factor > 0
    ? factor
    : 1;
}

function rotaryShare({ extra }: ModelFacts): number {
  const share = extra['partial_rotary_factor'];
  return typeof share === 'number' && share > 0 && share <= 1 ? share : 1;
}
