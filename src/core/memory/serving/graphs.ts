import type { MemoryRun } from '../run';
import type { Serving } from '../engine';

/** The largest batch that a CUDA graph is captured for by default, and its number of graphs (vllm, config/vllm.py). */
const MOST_TOKENS = 512;

/** Batches that graphs are captured for: 1, 2, 4, then every 8th to 256, then every 16th (`_set_cudagraph_sizes`). */
export function captureSizes(sequences: number, tokens: number): readonly number[] {
  const most = Math.min(2 * sequences, MOST_TOKENS, tokens);
  const sizes = [1, 2, 4].filter(size => size <= most);
  for (let size = 8; size <= most && size < 256; size += 8) sizes.push(size);
  for (let size = 256; size <= most; size += 16) sizes.push(size);
  return sizes;
}

/**
 * Least squares over ten starts of vLLM 0.19 on one H100 (Code Llama, Gemma 1 to 3, Phi; 51 sizes up to 512): what the
 * driver keeps of a layer's graph for each size, and what the graphs' pool holds per token and inner column. Eight
 * others (Qwen2.5, Mistral; one to four GPUs) are 8 % off.
 */
const BYTES_PER_LAYER_GRAPH = 0.347 * 2 ** 20;
const BYTES_PER_INNER_VALUE = 31;

/** Memory of CUDA graphs that are captured by layer for each size. */
export function graphsBytes({ model, batch }: MemoryRun, serving: Serving): number {
  if (serving.isEager) return 0;
  const sizes = captureSizes(serving.sequences, batch.tokens);
  const inner = (model.moe?.intermediateSize ?? model.intermediateSize) / serving.tensorRanks;
  const pool = (sizes.at(-1) ?? 0) * inner * BYTES_PER_INNER_VALUE;
  return (model.layers / serving.stages) * sizes.length * BYTES_PER_LAYER_GRAPH + pool;
}
