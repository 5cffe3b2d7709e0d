import type { ModelFacts } from '../../models/model';
import { bytesOf } from '../../models/ggmlTypes';
import type { GgmlType } from '../../models/ggmlTypes';

/** The inputs that decide llama.cpp's buffers in addition to the weights. */
export interface Served {
  readonly model: ModelFacts;
  /** Cells of the cache: tokens of all sequences combined. */
  readonly context: number;
  readonly sequences: number;
  /** All sequences share the cells; else each has its part of them. */
  readonly unified: boolean;
  /** Tokens per pass (`--ubatch-size`). */
  readonly pass: number;
  readonly flash: boolean;
  readonly keys: GgmlType;
  readonly values: GgmlType;
  readonly wholeWindows: boolean;
}

/** Cells are padded to this (llama.cpp, src/llama-context.cpp). */
const PADDING = 256;

const padded = (cells: number): number => Math.ceil(cells / PADDING) * PADDING;

/** Parts of the cache, one for each sequence unless they share it (src/llama-kv-cache.cpp, n_stream). */
const streamsOf = ({ sequences, unified }: Served): number => (unified ? 1 : sequences);

/** Cells of one part: what a sequence can see. */
const cellsPerStream = (served: Served): number => padded(padded(served.context) / streamsOf(served));

/** Cells of layers with a window: the windows of a part's sequences, and a pass (src/llama-kv-cache-iswa.cpp). */
function windowCells(served: Served, window: number): number {
  const windows = window * (served.unified ? served.sequences : 1);
  return padded(Math.min(cellsPerStream(served), windows + served.pass));
}

/**
 * The period in which one layer has global attention, by architecture (src/models/*.cpp, load_swa_pattern), under the
 * names of GGUF files and of Hugging Face. In other architectures llama.cpp does not use windows.
 */
const PERIODS: Readonly<Record<string, number>> = {
  gemma2: 2,
  gemma3: 6,
  gemma3_text: 6,
  'gpt-oss': 2,
  gpt_oss: 2,
  cohere2: 4,
};

/** True if a layer has a window: in each period, the last layer has global attention. */
export function isWindowed({ slidingWindow, modelType }: ModelFacts, layer: number): boolean {
  const period = PERIODS[modelType];
  return slidingWindow !== null && period !== undefined && (layer + 1) % period !== 0;
}

/**
 * Keys and values of a layer (src/llama-kv-cache.cpp): all cells are allocated at once. Latent attention keeps one row
 * for all heads, and no values.
 */
export function cacheOf(served: Served, layer: number): number {
  const { model, keys, values, wholeWindows } = served;
  const { slidingWindow: window, mla } = model;
  const narrow = window !== null && !wholeWindows && isWindowed(model, layer);
  const cells = (narrow ? windowCells(served, window) : cellsPerStream(served)) * streamsOf(served);
  if (mla) return bytesOf(keys, mla.kvLoraRank + mla.qkRopeHeadDim, cells);
  const width = model.kvHeads * model.headDim;
  return bytesOf(keys, width, cells) + bytesOf(values, width, cells);
}

const FP32 = 4;
const FP16 = 2;

/** The mask of a pass, in the type that the kernel reads. */
const maskOf = (served: Served): number =>
  cellsPerStream(served) * served.pass * (served.flash ? FP16 : FP32);

/**
 * The buffer of a pass at its largest moment (ggml-alloc reuses freed memory): scores of all heads over all cells
 * without flash attention, with the mask, four hidden states and what is copied `fromHost` of a layer whose cache is
 * there (ggml-backend.cpp, ggml_backend_sched_split_graph: inputs of a split); an MLP's inner states, which are as many as its
 * matrices and one more, with three; or logits of every token of the pass, above what was alive before. LayerNorm does
 * not work in place.
 */
export function computeBuffer(served: Served, fromHost = 0): number {
  const { heads, hiddenSize, intermediateSize, vocabSize, gatedMlp, moe, expertsPerToken } = served.model;
  const { pass, flash } = served;
  const hidden = hiddenSize * pass * FP32;
  const mask = maskOf(served);
  const scores = flash ? 0 : heads * cellsPerStream(served) * pass * FP32;
  const width = moe ? moe.intermediateSize * expertsPerToken : intermediateSize;
  const inner = (gatedMlp ? 3 : 2) * width * pass * FP32;
  const logits = vocabSize * pass * FP32 + belowLogits(served.model) * pass * FP32;
  return Math.max(fromHost + scores + mask + 4 * hidden, flash ? inner + 3 * hidden + mask : 0, logits);
}

/** Values per token below the logits: the last hidden states; with latent attention, queries and outputs of its width. */
function belowLogits({ hiddenSize, heads, mla, norm }: ModelFacts): number {
  if (mla === null) return hiddenSize * (norm === 'layernorm' ? 2 : 1);
  const row = mla.kvLoraRank + mla.qkRopeHeadDim;
  return heads * (row + mla.kvLoraRank) + 2 * row;
}

/** The host's part of a pass: words, their copy for the device, and the mask. */
export const hostBuffer = (served: Served): number =>
  2 * served.model.hiddenSize * served.pass * FP32 + maskOf(served);
