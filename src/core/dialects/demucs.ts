import { builtIn } from './defined/compile';
import file from './demucs.yaml';
import type { Dialect } from './dialect';
import { effectiveOfShared, shareOfBatch } from './shared/toolkit';

/** Demucs' configs; sources are files of facebookresearch/demucs e976d93. */
export const demucs: Dialect = builtIn(file, {
  quantities: {
    microBatchSize: shareOfBatch,
    effectiveBatch: effectiveOfShared,
  },
  writers: { microBatchSize: () => ({ ok: false, why: 'batch_size counts what all GPUs share.' }) },
});
