import type { Quantity } from '../../spec/quantity';
import type {
  Dtype,
  FsdpSettings,
  LoraSettings,
  Method,
  OffloadSettings,
  ParallelSettings,
} from '../../spec/values';
import { number } from '../engine/readers';
import type { RunReader } from '../engine/runReader';
import { dtypeWord, valueText } from '../shared/words';

const DTENSOR = 'policy.dtensor_cfg';
const MEGATRON = 'policy.megatron_cfg';

/** Of two backends the one that is enabled counts (nemo_rl/models/policy/lm_policy.py). */
export const isMegatron = (run: RunReader): boolean => run.flag(`${MEGATRON}.enabled`) === true;

const backend = (run: RunReader): string => (isMegatron(run) ? MEGATRON : DTENSOR);

const TASKS: Readonly<Record<string, string>> = {
  grpo: 'grpo',
  ppo: 'ppo',
  dpo: 'dpo',
  rm: 'reward',
  distillation: 'distillation',
  sft: 'sft',
};

/** The section of the algorithm, which its program reads. */
export function task(run: RunReader): Quantity<string> {
  const section = Object.keys(TASKS).find(key => run.has(key));
  if (section !== undefined) {
    return run.derived(TASKS[section] ?? null, [section], `${section} is what its program reads`);
  }
  return run.has('generation.model_name')
    ? run.derived('infer', ['generation'], 'evaluation only generates')
    : run.unknown('No section of an algorithm is there.');
}

const adapters = (run: RunReader): string => (isMegatron(run) ? `${MEGATRON}.peft` : `${DTENSOR}.lora_cfg`);

export function method(run: RunReader): Quantity<Method> {
  const key = `${adapters(run)}.enabled`;
  if (!run.has(key)) return run.byDefault<Method>('full', 'examples/configs: no adapters');
  return run.at<Method>(key, run.flag(key) ? 'lora' : 'full');
}

export function lora(run: RunReader): Quantity<LoraSettings> {
  if (run.get('method').value !== 'lora') {
    return run.none('examples/configs/sft.yaml: lora_cfg.enabled is False');
  }
  const section = adapters(run);
  const targets = run.words(`${section}.target_modules`);
  return run.at([`${section}.dim`, `${section}.enabled`], {
    r: run.count(`${section}.dim`),
    alpha: run.read(`${section}.alpha`, number),
    dropout: run.read(`${section}.dropout`, number),
    targets: targets !== null && targets.length > 0 ? targets : 'all-linear',
    modulesToSave: [],
    rslora: false,
    dora: false,
  });
}

export function evalBatchSize(run: RunReader): Quantity<number> {
  const keys = ['sft', 'dpo', 'rm'].map(section => `${section}.val_micro_batch_size`);
  const key = keys.find(name => run.has(name));
  return key === undefined ? run.unknown('No key states it.') : run.at(key, run.count(key));
}

export function seqLen(run: RunReader): Quantity<number> {
  const key = ['policy.max_total_sequence_length', 'generation.vllm_cfg.max_model_len'].find(one =>
    run.has(one),
  );
  return key === undefined
    ? run.unknown('policy.max_total_sequence_length is not set.')
    : run.at(key, run.count(key));
}

/** Packing and dynamic batches exclude each other (lm_policy.py L326, L353). */
export function packing(run: RunReader): Quantity<boolean> {
  const key = 'policy.sequence_packing.enabled';
  return run.has(key) ? run.at(key, run.flag(key)) : run.unknown(`${key} is not set.`);
}

/** The words of this very file: a child that inherits them says nothing itself. */
export function precisionRaw(run: RunReader): Quantity<string> {
  const key = 'policy.precision';
  if (!run.has(key)) return run.unknown(`${key} is not set.`);
  const said = run.at(key, `${key}: ${valueText(run.value(key))}`);
  return said.origin.kind === 'file' ? said : run.unknown('This file leaves it to the one that it lies on.');
}

/** dtensor_policy_worker.py L296-298 loads in fp32; Megatron's weights are in the compute dtype beside fp32 copies. */
export function loadDtype(run: RunReader): Quantity<Dtype> {
  if (!isMegatron(run)) {
    return run.byCode<Dtype>('fp32', 'nemo_rl/models/policy/dtensor_policy_worker.py L296-298');
  }
  return run.derived(
    run.read('policy.precision', dtypeWord),
    ['policy.precision'],
    'bf16 weights, fp32 copies',
  );
}

export function optimizer(run: RunReader): Quantity<string> {
  const key = isMegatron(run) ? `${MEGATRON}.optimizer.optimizer` : 'policy.optimizer.name';
  return run.has(key) ? run.at(key, run.word(key)) : run.unknown(`${key} is not set.`);
}

export function checkpointing(run: RunReader): Quantity<boolean> {
  const key = `${backend(run)}.activation_checkpointing`;
  return run.has(key) ? run.at(key, run.flag(key)) : run.unknown(`${key} is not set.`);
}

/** FSDP 2 over all data-parallel ranks; with replicas it shards within each. */
export function fsdp(run: RunReader): Quantity<FsdpSettings> {
  if (isMegatron(run)) return run.none('Megatron’s distributed optimizer, no FSDP');
  const replicas = run.has(`${DTENSOR}.dp_replicate_size`) ? run.count(`${DTENSOR}.dp_replicate_size`) : null;
  return run.byCode(
    {
      version: 2,
      strategy: replicas !== null && replicas > 1 ? 'HYBRID_SHARD' : null,
      offloadParams: run.flag(`${DTENSOR}.cpu_offload`),
      activationCheckpointing: run.flag(`${DTENSOR}.activation_checkpointing`),
    },
    'nemo_rl/models/policy/dtensor_policy_worker.py: fully_shard',
  );
}

export function offload(run: RunReader): Quantity<OffloadSettings> {
  const key = isMegatron(run) ? `${MEGATRON}.optimizer.optimizer_cpu_offload` : `${DTENSOR}.cpu_offload`;
  if (!run.has(key)) return run.unknown(`${key} is not set.`);
  const place = run.flag(key) ? 'cpu' : 'none';
  return run.at(key, { param: isMegatron(run) ? 'none' : place, optimizer: place });
}

export function parallel(run: RunReader): Quantity<ParallelSettings> {
  const section = backend(run);
  const names = isMegatron(run)
    ? [
        'tensor_model_parallel_size',
        'context_parallel_size',
        'pipeline_model_parallel_size',
        'expert_model_parallel_size',
      ]
    : ['tensor_parallel_size', 'context_parallel_size'];
  const keys = names.map(name => `${section}.${name}`);
  if (!keys.some(key => run.has(key))) return run.unknown(`${keys[0] ?? ''} is not set.`);
  const [tensor, context, pipeline, expert] = keys.map(key => (run.has(key) ? run.count(key) : null));
  const replicate = `${DTENSOR}.dp_replicate_size`;
  return run.at(keys, {
    tensor: tensor ?? 1,
    context: context ?? 1,
    pipeline: pipeline ?? 1,
    expert: expert ?? 1,
    dataShard: null,
    dataReplicate: !isMegatron(run) && run.has(replicate) ? run.count(replicate) : null,
  });
}
