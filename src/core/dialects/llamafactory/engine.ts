import type { FrameworkId } from '../../spec/frameworkId';
import type { Quantity } from '../../spec/quantity';
import type { Dtype, ParallelSettings } from '../../spec/values';
import type { DetailKeys, DetailTable } from '../dialect';
import { count, number, oneOf } from '../engine/readers';
import type { ValueReader } from '../engine/readers';
import type { RunReader } from '../engine/runReader';
import { kvCacheDtype } from '../shared/serving';
import { ownOf } from '../../yaml/tables';

/** Keys of an engine, in the order in which they win; the last is LLaMA-Factory's own. */
interface EngineKeys {
  readonly share: readonly string[];
  readonly length: readonly string[];
  readonly source: string;
}

/** Both engines get 4096 tokens and a share of 0.7 (hparams/model_args.py, VllmArguments and SGLangArguments). */
const [LENGTH, SHARE] = [4096, 0.7];

const ENGINES: Readonly<Record<string, EngineKeys>> = {
  vllm: {
    share: ['vllm_config.gpu_memory_utilization', 'vllm_gpu_util'],
    length: ['vllm_config.max_model_len', 'vllm_maxlen'],
    source: 'chat/vllm_engine.py',
  },
  sglang: {
    share: ['sglang_mem_fraction'],
    length: ['sglang_maxlen'],
    source: 'chat/sglang_engine.py',
  },
};

/** The engine of a chat or a server (chat/chat_model.py); training and prediction use the Trainer. */
export function engine(run: RunReader): FrameworkId | null {
  const backend = run.word('infer_backend');
  const trains = ['do_train', 'do_predict'].some(key => run.flag(key));
  const others = ['export_dir', 'save_dir'].some(key => run.has(key));
  if (trains || others || (backend !== 'vllm' && backend !== 'sglang')) return null;
  return backend;
}

const keysOf = (run: RunReader): EngineKeys | null => ownOf(ENGINES, engine(run) ?? '') ?? null;

/** The first of an engine's keys that is there, read; null: none is. */
function stated<T>(run: RunReader, keys: readonly string[], reader: ValueReader<T>): Quantity<T> | null {
  const key = keys.find(one => run.has(one));
  return key === undefined ? null : run.at(key, run.read(key, reader));
}

/** The longest request of an engine; null: no engine serves. */
export function servedLength(run: RunReader): Quantity<number> | null {
  const keys = keysOf(run);
  return keys && (stated(run, keys.length, count) ?? run.byDefault(LENGTH, 'hparams/model_args.py'));
}

/** All visible GPUs share the model, unless SGLang is told how many. */
export function servedParallel(run: RunReader): Quantity<ParallelSettings> | null {
  const keys = keysOf(run);
  if (keys === null) return null;
  const key = engine(run) === 'sglang' ? 'sglang_tp_size' : 'vllm_config.tensor_parallel_size';
  const ranks = run.has(key) ? run.count(key) : null;
  if (ranks !== null) return run.at(key, split(ranks));
  const gpus = run.get('gpus').value;
  if (gpus === null) return run.none('one GPU unless it sees more');
  return run.derived(split(gpus), ['gpus'], `${keys.source}: all visible GPUs share the model`);
}

const split = (tensor: number): ParallelSettings => ({
  tensor,
  pipeline: 1,
  context: 1,
  expert: 1,
  dataReplicate: null,
  dataShard: null,
});

const INFER_DTYPES = oneOf<Dtype | null>({ auto: null, float16: 'fp16', bfloat16: 'bf16', float32: 'fp32' });

/** The dtype of weights in a run without training; null: the checkpoint's (model/patcher.py, patch_config). */
export const inferDtype = (run: RunReader): Dtype | null =>
  run.get('task').value === 'infer' && run.has('infer_dtype') ? run.read('infer_dtype', INFER_DTYPES) : null;

/** A setting that only vLLM's mapping states. */
const ofConfig =
  (key: string) =>
  (run: RunReader): Quantity<number> =>
    (engine(run) === 'vllm' ? stated(run, [`vllm_config.${key}`], number) : null) ??
    run.none('the engine decides');

/** What an engine is asked for. */
export const engineDetails: DetailTable = {
  memoryShare: run => {
    const keys = keysOf(run);
    if (keys === null) return run.none('no engine serves');
    return stated(run, keys.share, number) ?? run.byDefault(SHARE, 'hparams/model_args.py');
  },
  maxSequences: ofConfig('max_num_seqs'),
  prefillTokens: ofConfig('max_num_batched_tokens'),
  kvCacheDtype: run => kvCacheDtype('vllm_config.kv_cache_dtype')(run) ?? run.none('that of the model'),
};

/** Keys that plans change. */
export const engineKeys: DetailKeys = {
  memoryShare: {
    keys: ['vllm_gpu_util', 'sglang_mem_fraction'],
    keysOf: run => keysOf(run)?.share ?? [],
    near: ['infer_backend'],
  },
};

/** The key of the longest request; null: no engine serves. */
export const lengthKeyOf = (run: RunReader): string | null => {
  const keys = keysOf(run);
  return keys && (keys.length.find(key => run.has(key)) ?? keys.length.at(-1) ?? null);
};
