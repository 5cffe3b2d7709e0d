import { builtIn } from './defined/compile';
import file from './fairseq.yaml';
import type { Dialect } from './dialect';
import {
  accumulation,
  evalBatch,
  gpus,
  longestSample,
  microBatch,
  offload,
  precision,
  precisionRaw,
  task,
} from './fairseq/rules';
import { effectiveOfMicro } from './shared/toolkit';

/** fairseq's Hydra configs; sources are files of facebookresearch/fairseq 3d262bb. */
export const fairseq: Dialect = builtIn(file, {
  quantities: {
    task,
    microBatchSize: microBatch,
    evalBatchSize: evalBatch,
    effectiveBatch: effectiveOfMicro,
    gradAccum: accumulation,
    seqLen: longestSample,
    precision,
    precisionRaw,
    offload,
    gpus,
  },
  writers: {
    microBatchSize: (to, run) =>
      run.has('dataset.max_tokens')
        ? { ok: false, why: 'dataset.max_tokens fills the batches, in tokens or samples of the waveform.' }
        : { ok: true, writes: [{ key: 'dataset.batch_size', value: to }] },
    gradAccum: () => ({ ok: false, why: 'optimization.update_freq is a list with an entry for each epoch.' }),
    precision: to =>
      to.startsWith('fp16') || to === 'fp32'
        ? { ok: true, writes: [{ key: 'common.fp16', value: to !== 'fp32' }] }
        : { ok: true, writes: [{ key: 'common.bf16', value: true }] },
  },
});
