import type { Quantity } from '../../spec/quantity';
import type { FsdpSettings, OffloadSettings, ParallelSettings } from '../../spec/values';
import { accumulationFromGlobal } from '../engine/common';
import { count, words } from '../engine/readers';
import type { ReadResult, ValueReader } from '../engine/readers';
import type { RunReader } from '../engine/runReader';
import { dtypeWord } from '../shared/words';
import type { Plain } from '../../yaml/scalars';

const CONFIG = 'torchtitan/config/job_config.py';

/** What the flavors of each model are called on the hub (models/<name>/__init__.py); debug models are on none. */
const MODELS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  llama3: {
    '8B': 'meta-llama/Llama-3.1-8B',
    '70B': 'meta-llama/Llama-3.1-70B',
    '405B': 'meta-llama/Llama-3.1-405B',
  },
  llama4: {
    '17bx16e': 'meta-llama/Llama-4-Scout-17B-16E',
    '17bx128e': 'meta-llama/Llama-4-Maverick-17B-128E',
  },
  qwen3: Object.fromEntries(
    ['0.6B', '1.7B', '4B', '8B', '14B', '32B', '30B-A3B', '235B-A22B'].map(size => [
      size,
      `Qwen/Qwen3-${size}`,
    ]),
  ),
  deepseek_v3: { '16B': 'deepseek-ai/deepseek-moe-16b-base', '671B': 'deepseek-ai/DeepSeek-V3' },
  gpt_oss: { '20b': 'openai/gpt-oss-20b', '120b': 'openai/gpt-oss-120b' },
};

/** What a flavor's name ends with where only the kernel of attention differs. */
const KERNEL = /_(flex|varlen|irope|flex_attn|varlen_attn)$/;

export function model(run: RunReader): Quantity<string> {
  const family = run.word('model.name') ?? 'llama3';
  const flavor = run.word('model.flavor');
  if (flavor === null) return run.byDefault(`${family} debugmodel`, `${CONFIG}, Model: flavor is debugmodel`);
  const named = MODELS[family]?.[flavor.replace(KERNEL, '')];
  return run.at('model.flavor', named ?? `${family} ${flavor}`);
}

export function attention(run: RunReader): Quantity<string> {
  const kernel = KERNEL.exec(run.word('model.flavor') ?? '')?.[1] ?? '';
  if (kernel.startsWith('flex')) return run.at('model.flavor', 'flex_attention');
  if (kernel.startsWith('varlen')) return run.at('model.flavor', 'flash_attention_2');
  return run.byDefault('sdpa', 'torchtitan/models/attention.py, ScaledDotProductAttentionWrapper');
}

/** -1: as many rows as the ranks take at once. */
export const globalRows: ValueReader<number> = value =>
  value === -1 || value === '-1' ? null : count(value);

export function gradAccum(run: RunReader): Quantity<number> {
  return run.get('globalBatchSize').value === null
    ? run.byDefault(1, `${CONFIG}, Training: global_batch_size is local_batch_size × data-parallel ranks`)
    : accumulationFromGlobal(run);
}

const CONVERTERS = 'model.converters';
const PARAMS = 'training.mixed_precision_param';

export function precision(run: RunReader): Quantity<string> {
  const eight = run.read(CONVERTERS, words)?.some(name => name.includes('float8')) === true;
  if (eight) return run.at(CONVERTERS, 'fp8');
  const dtype = run.read(PARAMS, dtypeWord);
  return dtype === null
    ? run.byDefault('bf16', `${CONFIG}, Training: mixed_precision_param is bfloat16`)
    : run.at(PARAMS, dtype);
}

const MODE = 'activation_checkpoint.mode';
const OPTION = 'activation_checkpoint.selective_ac_option';

const modeOf = (run: RunReader): string => run.word(MODE) ?? 'selective';

/** What the compiler keeps of a budget of memory, nobody says. */
const isCheckpointed = (value: Plain): ReadResult<boolean> => {
  if (value === 'memory_budget') return { left: 'is memory_budget: the compiler decides' };
  if (value === 'full' || value === 'selective') return { ok: true };
  return value === 'none' ? { ok: false } : { unfit: 'is none of none, selective, full, memory_budget' };
};

export function gradientCheckpointing(run: RunReader): Quantity<boolean> {
  const stated = run.read(MODE, isCheckpointed);
  return stated === null
    ? run.byDefault(true, `${CONFIG}, ActivationCheckpoint: mode is selective`)
    : run.at(MODE, stated);
}

export function selectiveCheckpointing(run: RunReader): Quantity<'operations' | number> {
  if (modeOf(run) !== 'selective') return run.none(`${MODE} is not selective`);
  if (!run.has(OPTION)) return run.byDefault(2, `${CONFIG}, ActivationCheckpoint: selective_ac_option is 2`);
  return run.word(OPTION) === 'op' ? run.at(OPTION, 'operations') : run.at(OPTION, run.count(OPTION));
}

const DEGREES = {
  tensor: 'tensor_parallel_degree',
  context: 'context_parallel_degree',
  pipeline: 'pipeline_parallel_degree',
  expert: 'expert_parallel_degree',
  dataReplicate: 'data_parallel_replicate_degree',
} as const;

const degree = (run: RunReader, name: keyof typeof DEGREES): number =>
  run.count(`parallelism.${DEGREES[name]}`) ?? 1;

const SHARD = 'parallelism.data_parallel_shard_degree';

/** -1: all ranks that the other degrees leave. */
const shardDegree: ValueReader<number | null> = value =>
  value === -1 || value === '-1' ? { ok: null } : count(value);

/** Null: all ranks that are left. */
const shards = (run: RunReader): number | null => (run.has(SHARD) ? run.read(SHARD, shardDegree) : null);

const stated = (run: RunReader): readonly string[] =>
  [SHARD, ...Object.values(DEGREES).map(name => `parallelism.${name}`)].filter(key => run.has(key));

export function parallel(run: RunReader): Quantity<ParallelSettings> {
  const settings: ParallelSettings = {
    tensor: degree(run, 'tensor'),
    context: degree(run, 'context'),
    pipeline: degree(run, 'pipeline'),
    expert: degree(run, 'expert'),
    dataShard: shards(run),
    dataReplicate: degree(run, 'dataReplicate'),
  };
  const keys = stated(run);
  return keys.length === 0 ? run.none(`${CONFIG}, Parallelism: every degree is 1`) : run.at(keys, settings);
}

const RESHARD = 'parallelism.fsdp_reshard_after_forward';
const OFFLOAD = 'training.enable_cpu_offload';

/** distributed/fsdp.py, get_fsdp_reshard_after_forward_policy: by default not within a pipeline. */
function keepsGathered(run: RunReader): boolean {
  const policy = run.word(RESHARD) ?? 'default';
  return policy === 'never' || (policy === 'default' && degree(run, 'pipeline') > 1);
}

export function fsdp(run: RunReader): Quantity<FsdpSettings> {
  if (shards(run) === 1 && degree(run, 'context') === 1) return run.none(`${SHARD} is 1: nothing is sharded`);
  const sharded = keepsGathered(run) ? 'SHARD_GRAD_OP' : 'FULL_SHARD';
  const settings: FsdpSettings = {
    version: 2,
    strategy: degree(run, 'dataReplicate') > 1 ? 'HYBRID_SHARD' : sharded,
    offloadParams: run.flag(OFFLOAD) ?? false,
    activationCheckpointing: null,
  };
  const keys = [SHARD, RESHARD, OFFLOAD].filter(key => run.has(key));
  return keys.length === 0
    ? run.byDefault(settings, `${CONFIG}, Parallelism: data_parallel_shard_degree is -1`)
    : run.at(keys, settings);
}

export function offload(run: RunReader): Quantity<OffloadSettings> {
  return run.flag(OFFLOAD) === true
    ? run.at(OFFLOAD, { param: 'cpu', optimizer: 'cpu' })
    : run.none(`${CONFIG}, Training: enable_cpu_offload is False`);
}

/** distributed/utils.py, maybe_enable_amp: autocast only where nothing is sharded or split. */
export function autocast(run: RunReader): Quantity<boolean> {
  const split = degree(run, 'tensor') * degree(run, 'pipeline') * degree(run, 'context') > 1;
  const gpus = run.get('gpus').value;
  if (gpus === null && !split && shards(run) === null) {
    return run.unknown('One GPU computes under autocast, several do not; their number is not in the files.');
  }
  const alone = gpus === 1 || shards(run) === 1;
  const names = ['fsdp', 'parallel', 'gpus'];
  return run.derived(alone && !split, names, 'autocast where neither FSDP nor another split casts');
}

const MICRO = 'parallelism.pipeline_parallel_microbatch_size';

/** distributed/pipeline_parallel.py: the rows of a rank, so many at a time. */
export function microBatches(run: RunReader): Quantity<number> {
  if (degree(run, 'pipeline') === 1) return run.none('there is one stage');
  const rows = run.get('microBatchSize').value;
  const size = run.count(MICRO) ?? 1;
  if (rows === null || rows % size !== 0) {
    return run.unknown(`${MICRO} does not divide training.local_batch_size.`);
  }
  return run.derived(rows / size, ['microBatchSize', MICRO], `${rows} rows, ${size} at a time`);
}

export function fusedOptimizer(run: RunReader): Quantity<boolean> {
  const key = 'optimizer.implementation';
  const said = run.word(key);
  return said === null
    ? run.byDefault(true, `${CONFIG}, Optimizer: implementation is fused`)
    : run.at(key, said === 'fused');
}
