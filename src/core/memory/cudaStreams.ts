/**
 * A CUDA stream. Memory allocated for one stream is not reused by another (c10/cuda/CUDACachingAllocator.cpp:
 * BlockComparator and get_free_block compare the stream first).
 */
export type Stream = 0 | 1 | 2;

/** The stream of the model's computation. */
export const COMPUTE: Stream = 0;
/** The stream in which ranks gather shards. */
export const GATHER: Stream = 1;
/** The stream in which ranks reduce gradients. */
export const REDUCE: Stream = 2;
