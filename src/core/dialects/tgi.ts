import type { Dialect } from './dialect';
import { count, oneOf, word } from './engine/readers';
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
  untrained,
} from './shared/serving';

const DTYPES = { float16: 'fp16', bfloat16: 'bf16' } as const;

/**
 * Text Generation Inference, as commands and environments start it: it reads no file; its flags may still stand
 * in one that a program of the user's own hands on. huggingface/text-generation-inference db931fc, launcher/src/main.rs.
 */
export const tgi: Dialect = {
  id: 'tgi',
  title: 'Text Generation Inference',
  role: 'run',
  framework: { name: 'tgi', version: '3.3.5' },
  loader: 'pyyaml',
  signature: {
    strong: ['max-batch-prefill-tokens', 'cuda-memory-fraction'],
    medium: ['model-id', 'num-shard'],
    weak: [],
    against: ['gpu-memory-utilization', 'apiVersion', 'services'],
    needs: ['model-id'],
    least: 6,
  },
  quantities: {
    model: { keys: ['model-id'], read: word },
    task: run => run.byCode('infer', 'text-generation-launcher generates'),
    seqLen: { keys: ['max-total-tokens'], read: count },
    precision: {
      keys: ['dtype'],
      write: servedDtype,
      read: oneOf<string>(DTYPES),
      absent: run => run.unknown('dtype is not set: the checkpoint says it.'),
    },
    precisionRaw: { keys: ['dtype'], read: word },
    loadDtype: {
      keys: ['dtype'],
      read: oneOf(DTYPES),
      absent: run => run.unknown('dtype is not set: the checkpoint says it.'),
    },
    quantization: servedQuantization('quantize', 'launcher/src/main.rs: quantize is None'),
    parallel: servedParallel('num-shard', 'pipeline', 'replicas', 'launcher/src/main.rs: one shard'),
    ...untrained,
    devices: servedDevices,
    accelerator: run => run.byCode('cuda', 'the image has no other prefix'),
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
  writers: servingWriters,
  detailKeys: {
    kvCacheDtype: { keys: ['kv-cache-dtype'], write: cacheInE5m2, near: ['dtype', 'model-id'] },
    memoryShare: { keys: ['cuda-memory-fraction'], near: ['max-total-tokens', 'model-id'] },
    maxSequences: { keys: ['max-batch-size'], near: ['max-total-tokens', 'model-id'] },
    prefillTokens: { keys: ['max-batch-prefill-tokens'], near: ['max-total-tokens', 'model-id'] },
  },
  launch: [{ argv: ['text-generation-launcher', '--model-id', '{model}'], source: 'launcher/src/main.rs' }],
  help: {
    'cuda-memory-fraction': {
      text: 'Share of the GPU that this server takes. Two servers on one GPU need a sum below 1.',
      byDefault: '1.0',
    },
    'max-total-tokens': { text: 'Longest sequence, prompt and answer together.' },
    'max-batch-prefill-tokens': { text: 'Tokens of prompts in one pass: activations grow with it.' },
    'num-shard': { text: 'GPUs that share every layer.', byDefault: '1' },
    quantize: { text: 'How the weights are quantised when they are loaded.' },
  },
};
