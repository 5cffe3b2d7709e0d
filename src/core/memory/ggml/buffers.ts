import type { ModelFacts } from '../../models/model';
import { bytesOf } from '../../models/ggmlTypes';
import type { GgmlType } from '../../models/ggmlTypes';

/** The inputs that decide llama.cpp's buffers in addition to the weights. */
export interface Served {
  readonly model: ModelFacts;
  /** Cells of the cache: tokens of all sequences combined. */
  readonly context: number;
  readonly sequences: number;
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

/** Cells of layers with a window: one window per sequence, plus a pass (src/llama-kv-cache-iswa.cpp). */
function windowCells({ context, sequences, pass }: Served, window: number): number {
  return padded(Math.min(context, window * sequences + pass));
}

/** True if a layer has a window: in each period, the last layer has global attention. */
export function isWindowed({ slidingWindow, extra }: ModelFacts, layer: number): boolean {
  const stated = extra['sliding_window_pattern'];
  const pattern = typeof stated === 'number' ? stated : null;
  return slidingWindow !== null && pattern !== null && (layer + 1) % pattern !== 0;
}

/** Keys and values of a layer (src/llama-kv-cache.cpp): all cells are allocated at once. */
export function cacheOf(served: Served, layer: number): number {
  const { model, context, keys, values, wholeWindows } = served;
  const width = model.kvHeads * model.headDim;
  const window = model.slidingWindow;
  const narrow = window !== null && !wholeWindows && isWindowed(model, layer);
  const cells = narrow ? windowCells(served, window) : padded(context);
  return bytesOf(keys, width, cells) + bytesOf(values, width, cells);
}

const FP32 = 4;
const FP16 = 2;

/**
 * The buffer of a pass at its largest moment (ggml-alloc reuses freed memory): scores of all heads over all cells
 * without flash attention, with the mask and four hidden states; an MLP's inner states; or logits of every token of
 * the pass. Matches llama.cpp's output to the MiB: 164 and 2144 (Mistral 7B, 2,048 and 32,768 cells), 1104 (Llama 3
 * 70B, 8,192), 70.5 (7B, 512), and with flash attention 495 (27 B with 248,320 words).
 */
export function computeBuffer({ model, context, pass, flash }: Served): number {
  const { heads, hiddenSize, intermediateSize, vocabSize, gatedMlp, moe, expertsPerToken } = model;
  const hidden = hiddenSize * pass * FP32;
  const cells = padded(context) * pass;
  const scores = flash ? cells * FP16 : heads * cells * FP32 + cells * FP32;
  const width = moe ? moe.intermediateSize * expertsPerToken : intermediateSize;
  const inner = (gatedMlp ? 2 : 1) * width * pass * FP32;
  return Math.max(scores + 4 * hidden, inner + 3 * hidden, vocabSize * pass * FP32 + hidden);
}
