import type { Dialect } from './dialect';
import { count, oneOf, word } from './engine/readers';
import {
  cacheInE5m2,
  kvCacheDtype,
  numberAt,
  servedDevices,
  servedParallel,
  servedQuantization,
  servedStrategy,
  servingDetails,
  servingWriters,
  untrained,
} from './shared/serving';
import { dtypeWord } from './shared/words';
import { sglangHelp, sglangLaunch, sglangLogs } from './sglang/output';
import { sglangRun } from './sglang/keys';

/** SGLang's server; sgl-project/sglang 004813e1, docs/advanced_features/server_arguments.md. */
export const sglang: Dialect = {
  id: 'sglang',
  title: 'SGLang',
  role: 'run',
  framework: { name: 'sglang', version: '0.5.0' },
  loader: 'pyyaml',
  signature: {
    strong: [
      'model-path',
      'mem-fraction-static',
      'mem_fraction_static',
      'max-running-requests',
      'max_running_requests',
      'chunked-prefill-size',
      'chunked_prefill_size',
    ],
    medium: [
      'tensor-parallel-size',
      'tp-size',
      'tp_size',
      'context-length',
      'context_length',
      'kv-cache-dtype',
      'tp',
      'schedule-policy',
      'enable-dp-attention',
      'attention-backend',
      'enable-metrics',
    ],
    weak: ['port', 'quantization', 'dtype', 'model_path'],
    against: ['apiVersion', 'learning_rate', 'gpu-memory-utilization', 'max-model-len'],
    needs: ['model-path', 'model_path'],
    least: 6,
  },
  quantities: {
    model: { keys: ['model-path'], read: word },
    task: run => run.byCode('infer', 'sglang.launch_server generates'),
    seqLen: { keys: ['context-length'], read: count },
    precision: run => {
      const dtype = run.word('dtype');
      if (dtype === null || dtype === 'auto') return run.unknown('dtype is auto: the checkpoint says it.');
      return run.at('dtype', run.read('dtype', oneOf(DTYPES)));
    },
    precisionRaw: run => {
      const dtype = run.word('dtype');
      if (dtype !== null) return run.at('dtype', dtype);
      const quantized = run.word('quantization');
      return quantized === null
        ? run.unknown('dtype is not set.')
        : run.at('quantization', `quantization ${quantized}`);
    },
    loadDtype: run => {
      const dtype = run.word('dtype');
      if (dtype === null || dtype === 'auto') return run.unknown('dtype is auto: the checkpoint says it.');
      return run.at(
        'dtype',
        run.read('dtype', value => dtypeWord(value === 'float' ? 'float32' : value)),
      );
    },
    quantization: servedQuantization('quantization', 'server_arguments.md: quantization is None'),
    parallel: servedParallel('tp-size', 'pp-size', 'dp-size', 'server_arguments.md: every degree is 1'),
    ...untrained,
    devices: servedDevices,
    nodes: { keys: ['nnodes'], read: count },
    accelerator: run => run.byCode('cuda', 'sglang: wheels are built for CUDA'),
    strategy: servedStrategy,
  },
  details: {
    ...servingDetails,
    kvCacheDtype: kvCacheDtype('kv-cache-dtype', 'server_arguments.md: kv_cache_dtype is auto'),
    memoryShare: numberAt('mem-fraction-static', 'server_args.py: from the GPU, ranks and chunks'),
    maxSequences: numberAt('max-running-requests', 'server_arguments.md: from memory'),
    prefillTokens: run => {
      const value = run.value('chunked-prefill-size');
      return value === -1
        ? run.unknown('chunked-prefill-size is -1: prompts are not cut.')
        : numberAt('chunked-prefill-size', 'server_args.py: by the GPU')(run);
    },
  },
  writers: servingWriters,
  detailKeys: {
    kvCacheDtype: { keys: ['kv-cache-dtype'], write: cacheInE5m2, near: ['mem-fraction-static', 'dtype'] },
    memoryShare: { keys: ['mem-fraction-static'], near: ['context-length', 'dtype'] },
    maxSequences: { keys: ['max-running-requests'], near: ['context-length', 'mem-fraction-static'] },
    prefillTokens: { keys: ['chunked-prefill-size'], near: ['mem-fraction-static', 'context-length'] },
  },
  launch: sglangLaunch,
  logs: sglangLogs,
  help: sglangHelp,
  compose: sglangRun,
};

const DTYPES = {
  half: 'fp16',
  float16: 'fp16',
  bfloat16: 'bf16',
  float: 'fp32',
  float32: 'fp32',
} as const;
