/**
 * A CUDA stream: what is allocated for work in one is not given to another (c10/cuda/CUDACachingAllocator.cpp, BlockComparator
 * and get_free_block look at the stream first).
 */
export type Stream = 0 | 1 | 2;

/** Where a model computes. */
export const COMPUTE: Stream = 0;
/** Where ranks gather what they share. */
export const GATHER: Stream = 1;
/** Where they sum up gradients. */
export const REDUCE: Stream = 2;
