import { builtIn } from './defined/compile';
import file from './deepspeed.yaml';
import type { Quantity } from '../spec/quantity';
import type { OffloadPlace, OffloadSettings, ZeroBuffers } from '../spec/values';
import type { Dialect } from './dialect';
import { count, oneOf, unlessAuto } from './engine/readers';
import type { RunReader } from './engine/runReader';
import type { Plain } from '../yaml/scalars';
import { rawWords } from './shared/words';

const place = oneOf<OffloadPlace>({ none: 'none', cpu: 'cpu', nvme: 'nvme' });

/** DeepSpeed's JSON; sources are files of deepspeedai/DeepSpeed edaa722. */
export const deepspeed: Dialect = builtIn(file, {
  quantities: {
    microBatchSize: { read: unlessAuto(count) },
    gradAccum: { read: unlessAuto(count), absent: oneStep },
    globalBatchSize: { read: unlessAuto(count) },
    precision,
    precisionRaw: run => {
      const words = rawWords(run, ['bf16.enabled', 'fp16.enabled']);
      return words === null
        ? run.unknown('No precision key is set.')
        : run.at(['bf16.enabled', 'fp16.enabled'], words);
    },
    offload,
    parallel: run => {
      const tensor = run.count('tensor_parallel.autotp_size');
      const none = { context: 1, pipeline: 1, expert: 1, dataShard: null, dataReplicate: null };
      if (tensor === null) return run.none('tensor_parallel is off');
      return run.at('tensor_parallel.autotp_size', { tensor, ...none });
    },
    gpus,
  },
  details: {
    zeroBuffers,
  },
});

/** runtime/zero/config.py: 5e8, 5e7 and 1e9 elements; reduction overlaps in stage 3 where nothing is said. */
function zeroBuffers(run: RunReader): Quantity<ZeroBuffers> {
  const value = (name: string): Plain => run.value(`zero_optimization.${name}`);
  const size = (...names: readonly string[]): ZeroBuffers['reduceBucket'] | null => {
    const stated = names.map(value).find(one => one === 'auto' || typeof one === 'number');
    return stated === 'auto' || typeof stated === 'number' ? stated : null;
  };
  const whole = (...names: readonly string[]): number => {
    const stated = size(...names);
    return typeof stated === 'number' ? stated : 1e9;
  };
  return run.at('zero_optimization', {
    reduceBucket: size('reduce_bucket_size') ?? 5e8,
    prefetchBucket: size('stage3_prefetch_bucket_size', 'prefetch_bucket_size') ?? 5e7,
    reuseDistance: whole('stage3_max_reuse_distance', 'max_reuse_distance'),
    subGroup: whole('sub_group_size'),
    overlapsComm: run.flag('zero_optimization.overlap_comm'),
  });
}

/** Without a total to reach, DeepSpeed accumulates nothing (runtime/config.py L942-985). */
function oneStep(run: RunReader): Quantity<number> {
  const total = run.has('train_batch_size');
  return total || !run.has('train_micro_batch_size_per_gpu')
    ? run.unknown('Accumulation follows from the batch sizes and the number of GPUs.')
    : run.byDefault(1, 'runtime/config.py L942-985');
}

/** `auto` leaves it to the trainer; without any switch DeepSpeed computes in fp32. */
function precision(run: RunReader): Quantity<string> {
  if (run.value('bf16.enabled') === true) return run.at('bf16.enabled', 'bf16');
  if (run.value('fp16.enabled') === true) return run.at('fp16.enabled', 'fp16');
  const left = ['bf16.enabled', 'fp16.enabled'].find(key => run.value(key) === 'auto');
  if (left !== undefined) return run.unknown(`${left} is auto: the trainer fills it in.`);
  return run.byDefault('fp32', 'runtime/precision_config.py: bf16 and fp16 are off');
}

function offload(run: RunReader): Quantity<OffloadSettings> {
  const at = (name: string): OffloadPlace | null =>
    run.read(`zero_optimization.offload_${name}.device`, place);
  // The booleans of old files: zero/config.py L181-202.
  const optimizer = at('optimizer') ?? (run.flag('zero_optimization.cpu_offload') ? 'cpu' : null);
  const param = at('param') ?? (run.flag('zero_optimization.cpu_offload_params') ? 'cpu' : null);
  if (optimizer === null && param === null) {
    return run.byDefault(
      { param: 'none', optimizer: 'none' },
      'runtime/zero/offload_config.py: device is none',
    );
  }
  return run.at('zero_optimization', { param: param ?? 'none', optimizer: optimizer ?? 'none' });
}

/** All three batch numbers given, the number of GPUs follows (runtime/config.py L925). */
function gpus(run: RunReader): Quantity<number> {
  const total = run.get('globalBatchSize').value;
  const micro = run.get('microBatchSize').value;
  const steps = run.get('gradAccum').value;
  if (total === null || micro === null || steps === null) {
    return run.unknown('The launcher decides the number of GPUs.');
  }
  const world = total / (micro * steps);
  if (!Number.isInteger(world)) return run.unknown(`${total} is not a multiple of ${micro} × ${steps}.`);
  return run.derived(
    world,
    ['globalBatchSize', 'microBatchSize', 'gradAccum'],
    `${total} ÷ (${micro} × ${steps})`,
  );
}
