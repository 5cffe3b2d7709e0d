import { builtIn } from './defined/compile';
import file from './sglang.yaml';
import type { Dialect } from './dialect';
import { oneOf } from './engine/readers';
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
} from './shared/serving';
import { dtypeWord } from './shared/words';
import { sglangRun } from './sglang/keys';

/** SGLang's server; sgl-project/sglang 004813e1, docs/advanced_features/server_arguments.md. */
export const sglang: Dialect = builtIn(file, {
  quantities: {
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
    devices: servedDevices,
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
  detailKeys: {
    kvCacheDtype: { keys: ['kv-cache-dtype'], write: cacheInE5m2, near: ['mem-fraction-static', 'dtype'] },
    memoryShare: { keys: ['mem-fraction-static'], near: ['context-length', 'dtype'] },
    maxSequences: { keys: ['max-running-requests'], near: ['context-length', 'mem-fraction-static'] },
    prefillTokens: { keys: ['chunked-prefill-size'], near: ['mem-fraction-static', 'context-length'] },
  },
  writers: servingWriters,
  compose: sglangRun,
});

const DTYPES = {
  half: 'fp16',
  float16: 'fp16',
  bfloat16: 'bf16',
  float: 'fp32',
  float32: 'fp32',
} as const;
