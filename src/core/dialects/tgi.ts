import { builtIn } from './defined/compile';
import file from './tgi.yaml';
import type { Dialect } from './dialect';
import {
  cacheInE5m2,
  kvCacheDtype,
  numberAt,
  servedDevices,
  servedDtype,
  servedParallel,
  servedQuantization,
  servedStrategy,
  servingDetails,
  servingWriters,
} from './shared/serving';

/** Text Generation Inference, as commands and environments start it: it reads no file; its flags may still stand
 * in one that a program of the user's own hands on. huggingface/text-generation-inference db931fc, launcher/src/main.rs. */
export const tgi: Dialect = builtIn(file, {
  quantities: {
    precision: { write: servedDtype },
    quantization: servedQuantization('quantize', 'launcher/src/main.rs: quantize is None'),
    parallel: servedParallel('num-shard', 'pipeline', 'replicas', 'launcher/src/main.rs: one shard'),
    devices: servedDevices,
    strategy: servedStrategy,
  },
  details: {
    ...servingDetails,
    kvCacheDtype: kvCacheDtype('kv-cache-dtype', 'launcher/src/main.rs: kv_cache_dtype is None'),
    memoryShare: run =>
      run.has('cuda-memory-fraction')
        ? numberAt('cuda-memory-fraction', '')(run)
        : run.byDefault(1, 'launcher/src/main.rs: cuda_memory_fraction'),
    maxSequences: numberAt('max-batch-size', 'launcher/src/main.rs: max_batch_size is None'),
    prefillTokens: numberAt('max-batch-prefill-tokens', 'launcher/src/main.rs: max_input_tokens + 50'),
  },
  detailKeys: {
    kvCacheDtype: { keys: ['kv-cache-dtype'], write: cacheInE5m2, near: ['dtype', 'model-id'] },
    memoryShare: { keys: ['cuda-memory-fraction'], near: ['max-total-tokens', 'model-id'] },
    maxSequences: { keys: ['max-batch-size'], near: ['max-total-tokens', 'model-id'] },
    prefillTokens: { keys: ['max-batch-prefill-tokens'], near: ['max-total-tokens', 'model-id'] },
  },
  writers: servingWriters,
});
