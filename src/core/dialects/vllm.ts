import type { Dialect, Written } from './dialect';
import { count, oneOf, word } from './engine/readers';
import type { ReadResult } from './engine/readers';
import type { Plain } from '../yaml/scalars';
import {
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
import { dtypeWord } from './shared/words';
import { vllmRuns } from './vllm/charts';
import { vllmHelp } from './vllm/help';
import { vllmLaunch, vllmLogs } from './vllm/output';

const UNITS: Readonly<Record<string, number>> = { k: 1000, K: 1024, m: 1e6, M: 1024 ** 2 };

/** `8192`, `8k`, `25.6k`; -1 and auto are what fits (vllm/engine/arg_utils.py, human_readable_int). */
function tokens(value: Plain): ReadResult<number> {
  const match = /^(\d+(?:\.\d+)?)([kKmM])$/.exec(typeof value === 'string' ? value : '');
  if (match) return { ok: Math.floor(Number(match[1]) * (UNITS[match[2] ?? ''] ?? 1)) };
  return value === -1 || value === 'auto' ? { left: 'is what fits, which the engine finds' } : count(value);
}

const write = (value: string): Written => ({
  ok: true,
  writes: [{ key: 'quantization', value, near: ['dtype', 'model'] }],
});

/** vLLM's servers: `--config` files, Helm values, recipes, and what commands start; vllm-project/vllm 002f10e0. */
export const vllm: Dialect = {
  id: 'vllm',
  title: 'vLLM',
  role: 'run',
  framework: { name: 'vllm', version: '0.21.0' },
  loader: 'pyyaml',
  signature: {
    strong: [
      'gpu-memory-utilization',
      'gpu_memory_utilization',
      'max-num-batched-tokens',
      'max_num_batched_tokens',
      'max-num-seqs',
      'max_num_seqs',
      'tensor-parallel-size',
      'max-model-len',
      'max_model_len',
      'kv-cache-dtype',
      'enforce-eager',
      'enforce_eager',
      'servingEngineSpec.modelSpec[].modelURL',
      'model.min_vllm_version',
      'variants.default.vram_minimum_gb',
    ],
    medium: [
      'served-model-name',
      'tensor_parallel_size',
      'async-scheduling',
      'no-enable-prefix-caching',
      'enable-prefix-caching',
      'stream-interval',
      'quantization',
      'max-cudagraph-capture-size',
      'swap_space',
      'swap-space',
      'model.model_id',
      'servingEngineSpec.modelSpec[].vllmConfig',
      'servingEngineSpec.modelSpec[].requestGPU',
    ],
    weak: ['model', 'dtype', 'port', 'host', 'meta.slug'],
    against: [
      // A part of verl's own tree.
      String.raw`_target_~^verl\.`,
      'model-path',
      'mem-fraction-static',
      'node_lines',
      'apiVersion',
      'learning_rate',
      'backend',
      'base_model',
      'per_device_train_batch_size',
    ],
    least: 5,
    // verl's rollouts are configured in the engine's own words.
    accepts: root => !root.entries.some(({ key }) => key === 'free_cache_engine'),
  },
  quantities: {
    model: { keys: ['model'], read: word },
    task: run => run.byCode('infer', 'vllm serve generates'),
    seqLen: { keys: ['max-model-len'], read: tokens },
    precision: {
      keys: ['dtype'],
      write: servedDtype,
      read: oneOf({
        auto: 'auto',
        half: 'fp16',
        float16: 'fp16',
        bfloat16: 'bf16',
        float: 'fp32',
        float32: 'fp32',
      }),
      absent: { value: 'auto', source: 'vllm/config/model.py: dtype is auto' },
    },
    precisionRaw: run => {
      const dtype = run.word('dtype');
      return dtype === null ? run.unknown('dtype is not set.') : run.at('dtype', dtype);
    },
    loadDtype: run => {
      const dtype = run.word('dtype');
      if (dtype === null || dtype === 'auto') return run.unknown('dtype is auto: the checkpoint says it.');
      return run.at(
        'dtype',
        run.read('dtype', value => dtypeWord(value === 'float' ? 'float32' : value)),
      );
    },
    quantization: servedQuantization('quantization', 'vllm/config/model.py: quantization is None'),
    parallel: servedParallel(
      'tensor-parallel-size',
      'pipeline-parallel-size',
      'data-parallel-size',
      'vllm/config/parallel.py: every degree is 1',
    ),
    ...untrained,
    devices: servedDevices,
    nodes: { keys: ['nnodes'], read: count },
    accelerator: run => run.byCode('cuda', 'vllm: wheels are built for CUDA'),
    strategy: servedStrategy,
  },
  details: {
    ...servingDetails,
    kvCacheDtype: kvCacheDtype('kv-cache-dtype', 'vllm/config/cache.py: cache_dtype is auto'),
    memoryShare: run =>
      run.has('gpu-memory-utilization')
        ? numberAt('gpu-memory-utilization', '')(run)
        : run.byDefault(0.92, 'vllm/config/cache.py: gpu_memory_utilization'),
    maxSequences: numberAt('max-num-seqs', 'vllm/engine/arg_utils.py: by the GPU'),
    prefillTokens: numberAt('max-num-batched-tokens', 'vllm/engine/arg_utils.py: by the GPU'),
  },
  writers: {
    ...servingWriters,
    quantization: to => {
      if (to.method === 'bnb' && to.bits === 4) return write('bitsandbytes');
      if (to.type === 'fp8') return write('fp8');
      return { ok: false, why: 'A quantised checkpoint is another model: name it.' };
    },
  },
  detailKeys: {
    kvCacheDtype: { keys: ['kv-cache-dtype'], near: ['gpu-memory-utilization', 'dtype'] },
    memoryShare: { keys: ['gpu-memory-utilization'], near: ['max-model-len', 'dtype'] },
    maxSequences: { keys: ['max-num-seqs'], near: ['max-model-len', 'gpu-memory-utilization'] },
    prefillTokens: { keys: ['max-num-batched-tokens'], near: ['max-num-seqs', 'max-model-len'] },
  },
  launch: vllmLaunch,
  logs: vllmLogs,
  help: vllmHelp,
  compose: vllmRuns,
};
