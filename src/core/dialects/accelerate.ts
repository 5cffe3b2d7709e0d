import { builtIn } from './defined/compile';
import file from './accelerate.yaml';
import type { Quantity } from '../spec/quantity';
import type { FsdpSettings, OffloadPlace, OffloadSettings, ParallelSettings } from '../spec/values';
import type { Dialect } from './dialect';
import { count, oneOf, unlessAuto } from './engine/readers';
import type { RunReader } from './engine/runReader';
import { fsdpOffload, fsdpStrategy, zeroBuffersOf } from './shared/sharding';
import { rawWords } from './shared/words';

const DEEPSPEED_FILE = 'deepspeed_config.deepspeed_config_file';

/** accelerate's launcher YAML; sources are files of huggingface/accelerate 16cb6eb. */
export const accelerate: Dialect = builtIn(file, {
  quantities: {
    gradAccum: {
      read: unlessAuto(count),
      absent: run =>
        run.part(DEEPSPEED_FILE)?.get('gradAccum') ?? run.unknown('The trainer decides about accumulation.'),
    },
    precision: {
      absent: run =>
        run.part(DEEPSPEED_FILE)?.get('precision') ??
        run.byDefault('no', 'commands/config/config_args.py: mixed_precision is None'),
    },
    precisionRaw: run => {
      const words = rawWords(run, ['mixed_precision']);
      return words === null ? run.unknown('mixed_precision is not set.') : run.at('mixed_precision', words);
    },
    zeroStage,
    fsdp,
    offload,
    parallel,
    gpus: run => {
      if (run.word('distributed_type')?.toUpperCase() === 'NO') return run.at('distributed_type', 1);
      const total = run.value('num_processes');
      if (total === null || total === -1) return run.unknown('num_processes is left to the command line.');
      return run.at('num_processes', run.count('num_processes'));
    },
    devices: run => {
      const { gpus, nodes } = { gpus: run.get('gpus').value, nodes: run.get('nodes').value };
      if (gpus === null || nodes === null || gpus % nodes !== 0) {
        return run.unknown('The number of GPUs of a node is not known.');
      }
      return run.derived(gpus / nodes, ['gpus', 'nodes'], `${gpus} ÷ ${nodes} nodes`);
    },
    compile: {
      read: value => (typeof value === 'object' ? null : { ok: String(value).toUpperCase() !== 'NO' }),
    },
  },
  details: {
    zeroBuffers: zeroBuffersOf([DEEPSPEED_FILE]),
  },
});

const isType = (run: RunReader, type: string): boolean =>
  run.word('distributed_type')?.toUpperCase() === type;

/** A DeepSpeed file wins over the single keys beside it, which accelerate then refuses. */
function zeroStage(run: RunReader): Quantity<0 | 1 | 2 | 3> {
  const inFile = run.part(DEEPSPEED_FILE)?.get('zeroStage');
  if (inFile) return inFile;
  if (!isType(run, 'DEEPSPEED')) return run.none('distributed_type is not DEEPSPEED');
  const stage = run.read('deepspeed_config.zero_stage', oneOf<0 | 1 | 2 | 3>({ 0: 0, 1: 1, 2: 2, 3: 3 }));
  if (stage !== null) return run.at('deepspeed_config.zero_stage', stage);
  return run.byDefault(2, 'utils/dataclasses.py L1238');
}

function fsdp(run: RunReader): Quantity<FsdpSettings> {
  if (!isType(run, 'FSDP')) return run.none('distributed_type is not FSDP');
  const version = run.count('fsdp_config.fsdp_version') === 2 ? 2 : 1;
  const replicas = run.get('parallel').value?.dataReplicate ?? null;
  return run.at(['fsdp_config', 'distributed_type'], {
    version,
    strategy: version === 2 ? fsdpStrategy(reshards(run), replicas) : shardingStrategy(run),
    offloadParams: run.flag('fsdp_config.fsdp_offload_params') ?? false,
    activationCheckpointing: run.flag('fsdp_config.fsdp_activation_checkpointing') ?? false,
  });
}

const STRATEGIES = oneOf<NonNullable<FsdpSettings['strategy']>>({
  full_shard: 'FULL_SHARD',
  1: 'FULL_SHARD',
  shard_grad_op: 'SHARD_GRAD_OP',
  2: 'SHARD_GRAD_OP',
  no_shard: 'NO_SHARD',
  3: 'NO_SHARD',
  hybrid_shard: 'HYBRID_SHARD',
  4: 'HYBRID_SHARD',
  hybrid_shard_zero2: 'HYBRID_SHARD',
  5: 'HYBRID_SHARD',
});

/** FSDP 1; newer accelerate takes the same words under the name that FSDP 2 uses. */
function shardingStrategy(run: RunReader): FsdpSettings['strategy'] {
  const reshard = run.value('fsdp_config.fsdp_reshard_after_forward');
  const named =
    typeof reshard === 'string' ? run.read('fsdp_config.fsdp_reshard_after_forward', STRATEGIES) : null;
  return run.read('fsdp_config.fsdp_sharding_strategy', STRATEGIES) ?? named ?? 'FULL_SHARD';
}

const reshards = (run: RunReader): boolean => run.value('fsdp_config.fsdp_reshard_after_forward') !== false;

const place = oneOf<OffloadPlace>({ none: 'none', cpu: 'cpu', nvme: 'nvme' });

function offload(run: RunReader): Quantity<OffloadSettings> {
  const inFile = run.part(DEEPSPEED_FILE)?.get('offload');
  if (inFile) return inFile;
  const sharding = run.get('fsdp');
  if (sharding.value) return { ...sharding, value: fsdpOffload(sharding.value) };
  if (!isType(run, 'DEEPSPEED')) return run.none('nothing shards this run');
  const optimizer = run.read('deepspeed_config.offload_optimizer_device', place) ?? 'none';
  const param = run.read('deepspeed_config.offload_param_device', place) ?? 'none';
  return run.at(['deepspeed_config', 'distributed_type'], { param, optimizer });
}

function parallel(run: RunReader): Quantity<ParallelSettings> {
  if (!run.has('parallelism_config')) return run.none('utils/dataclasses.py: no parallelism_config');
  const size = (name: string): number => run.count(`parallelism_config.parallelism_config_${name}_size`) ?? 1;
  return run.at('parallelism_config', {
    tensor: size('tp'),
    context: Math.max(size('cp'), size('sp')),
    pipeline: 1,
    expert: 1,
    dataShard: size('dp_shard'),
    dataReplicate: size('dp_replicate'),
  });
}
