import type { Quantity } from '../../spec/quantity';
import type { TrainedParts } from '../../spec/trainedParts';
import type { Dtype } from '../../spec/values';
import type { DetailTable } from '../dialect';
import { number } from '../engine/readers';
import type { RunReader } from '../engine/runReader';
import { evaluatesByStrategy } from '../shared/evaluation';
import { zeroBuffersOf } from '../shared/sharding';
import { head, sequencesPerSample } from '../shared/tasks';
import { autocastByFlags, ligerKernels } from '../shared/trainingArguments';
import { dtypeWord } from '../shared/words';
import { isMegatron } from './rules';

export const msSwiftDetails: DetailTable = {
  paddedRows,
  adapterDtype,
  checkpointDtype: run => {
    const kept = !run.has('torch_dtype');
    return run.derived(kept, ['loadDtype'], kept ? 'torch_dtype is not set' : 'the dtype is set');
  },
  autocast: run =>
    isMegatron(run)
      ? run.byCode(false, 'Megatron computes in the dtype of its weights')
      : autocastByFlags(run),
  selectiveCheckpointing: run => {
    const kind = run.word('recompute_granularity');
    if (!isMegatron(run) || (kind !== null && kind !== 'selective')) {
      return run.none('layers are checkpointed whole, or not at all');
    }
    return kind === null
      ? run.byDefault<'operations'>(
          'operations',
          'swift/megatron/arguments: recompute_granularity is selective',
        )
      : run.at<'operations'>('recompute_granularity', 'operations');
  },
  sequencesPerSample,
  sequenceParallel: run =>
    run.flag('sequence_parallel')
      ? run.at('sequence_parallel', true)
      : run.byDefault(false, 'swift/megatron/arguments/megatron_args.py: sequence_parallel is false'),
  referenceModel,
  completionTokens: run => {
    const writes = run.get('task').value === 'grpo';
    if (!writes) return run.none('this task writes nothing');
    const key = 'max_completion_length';
    return run.has(key)
      ? run.at(key, run.count(key))
      : run.byDefault(512, 'swift/trainers/arguments.py: max_completion_length is 512');
  },
  memoryShare: run => {
    const colocated =
      run.flag('use_vllm') && (run.has('colocate_groups') || run.word('vllm_mode') === 'colocate');
    if (!colocated) return run.none('no engine runs beside training');
    if ((run.count('sleep_level') ?? 0) > 0) {
      return run.none('the engine gives its memory back while training runs');
    }
    const key = ['rollout.vllm_gpu_memory_utilization', 'vllm_gpu_memory_utilization'].find(name =>
      run.has(name),
    );
    return key === undefined
      ? run.unknown('vllm_gpu_memory_utilization is not set.')
      : run.at(key, run.read(key, number));
  },
  head,
  kernels: ligerKernels,
  zeroBuffers: zeroBuffersOf(['deepspeed']),
  evaluates: evaluatesByStrategy,
  trainedParts,
};

/** swift/utils/torch_utils.py, freeze_parameters: from the first until they make up this share of all. */
function trainedParts(run: RunReader): Quantity<TrainedParts> {
  const key = 'freeze_parameters_ratio';
  const frozenShare = run.read(key, number) ?? 0;
  const named = ['freeze_parameters', 'trainable_parameters'].find(name => run.has(name));
  if (run.get('method').value !== 'freeze') return run.none('nothing of the base is frozen, or all of it');
  if (named !== undefined) return run.unknown(`${named} beside ${key} is not read.`);
  return run.at<TrainedParts>(key, { by: 'top', frozenShare });
}

function paddedRows(run: RunReader): Quantity<boolean> {
  const free = ['packing', 'padding_free'].find(key => run.flag(key));
  if (free !== undefined) return run.at(free, false, 'rows stand one after the other');
  const micro = run.get('microBatchSize').value;
  const each = run.detail('sequencesPerSample').value;
  if (micro === null || each === null) return run.unknown('The number of rows is not known.');
  const padded = micro * each > 1;
  const why = padded ? 'rows are padded to the longest' : 'one row needs no padding';
  return run.derived(padded, ['microBatchSize', 'sequencesPerSample'], why);
}

function adapterDtype(run: RunReader): Quantity<Dtype> {
  if (run.get('lora').value === null) return run.none('no adapter is trained');
  const stated = run.read('lora_dtype', dtypeWord);
  return stated === null
    ? run.byDefault('fp32', 'peft: autocast_adapter_dtype is true')
    : run.at('lora_dtype', stated);
}

/** Tasks whose loss compares with a frozen copy (swift/arguments/rlhf_args.py L293). */
const REFERENCED = new Set(['dpo', 'kto', 'ppo', 'grpo']);

function referenceModel(run: RunReader): Quantity<boolean> {
  const task = run.get('task').value;
  if (task === null) return run.unknown('The task is not known.');
  const beta = task === 'grpo' ? (run.read('beta', number) ?? 0.04) : 1;
  if (!REFERENCED.has(task) || beta === 0) {
    return run.derived(false, ['task'], 'this task has no reference model');
  }
  const adapter = run.get('lora').value !== null;
  return run.derived(
    !adapter,
    ['task', 'method'],
    adapter ? 'the base without its adapter' : 'a frozen copy',
  );
}
