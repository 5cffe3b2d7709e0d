import { builtIn } from './defined/compile';
import file from './vllm.yaml';
import type { Dialect, Written } from './dialect';
import { count } from './engine/readers';
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
} from './shared/serving';
import { dtypeWord } from './shared/words';
import { vllmRuns } from './vllm/charts';

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
export const vllm: Dialect = builtIn(file, {
  accepts: root => !root.entries.some(({ key }) => key === 'free_cache_engine'),
  quantities: {
    seqLen: { read: tokens },
    precision: { write: servedDtype },
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
    devices: servedDevices,
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
  compose: vllmRuns,
});
