import type { Quantity } from '../../spec/quantity';
import type {
  Dtype,
  FsdpSettings,
  LoraSettings,
  Method,
  OffloadSettings,
  ParallelSettings,
} from '../../spec/values';
import { countOrNone } from '../engine/readers';
import type { RunReader } from '../engine/runReader';
import { loraSettings } from '../shared/peft';
import type { LoraKeys } from '../shared/peft';
import { dtypeWord } from '../shared/words';
import { isSft } from './rules';

const ACTOR = 'actor_rollout_ref.actor';
const FSDP = 'trainer/config/engine/fsdp.yaml';

const both = (run: RunReader, name: string): string =>
  isSft(run) ? `model.${name}` : `actor_rollout_ref.model.${name}`;

/** A rank of 0 is no LoRA. */
const rankOf = (run: RunReader): number => run.read(both(run, 'lora_rank'), countOrNone) ?? 0;

export function method(run: RunReader): Quantity<Method> {
  const key = both(run, 'lora_rank');
  if (rankOf(run) > 0) return run.at<Method>(key, 'lora');
  return run.has(key)
    ? run.at<Method>(key, 'full')
    : run.byDefault<Method>('full', 'hf_model.yaml: lora_rank is 0');
}

export function lora(run: RunReader): Quantity<LoraSettings> {
  if (rankOf(run) === 0) return run.none('trainer/config/model/hf_model.yaml: lora_rank is 0');
  const key = (name: string): readonly string[] => [both(run, name)];
  const keys: LoraKeys = {
    r: key('lora_rank'),
    alpha: key('lora_alpha'),
    dropout: [],
    targets: key('target_modules'),
    modulesToSave: [],
    rslora: [],
    dora: [],
    defaults: { r: 0, alpha: 16, dropout: 0 },
  };
  const settings = loraSettings(run, keys, key('lora_rank'));
  return settings.value?.targets === null
    ? { ...settings, value: { ...settings.value, targets: 'all-linear' } }
    : settings;
}

/** Which engine trains: fsdp, fsdp2 or megatron. */
function strategyOf(run: RunReader): string {
  const key = isSft(run) ? 'model.strategy' : `${ACTOR}.strategy`;
  return run.word(key) ?? (isSft(run) ? 'fsdp2' : 'fsdp');
}

export function fsdp(run: RunReader): Quantity<FsdpSettings> {
  const strategy = strategyOf(run);
  if (strategy === 'megatron') return run.none('Megatron shards what it trains itself');
  const section = isSft(run) ? 'model.fsdp_config' : `${ACTOR}.fsdp_config`;
  const size = run.value(`${section}.fsdp_size`);
  const settings: FsdpSettings = {
    version: strategy === 'fsdp2' ? 2 : 1,
    strategy: isWhole(size) ? 'FULL_SHARD' : 'HYBRID_SHARD',
    offloadParams: false,
    activationCheckpointing: null,
  };
  const keeps = run.flag(`${section}.reshard_after_forward`) === false;
  const value = keeps ? { ...settings, strategy: 'SHARD_GRAD_OP' as const } : settings;
  const keys = [isSft(run) ? 'model.strategy' : `${ACTOR}.strategy`, section];
  return keys.some(key => run.has(key)) ? run.at(keys, value) : run.byDefault(value, FSDP);
}

/** −1: all GPUs are one group. */
const isWhole = (size: unknown): boolean => size === null || size === -1 || size === '-1';

/** Weights and states are copied to the host between phases, and back. */
export function offload(run: RunReader): Quantity<OffloadSettings> {
  const section = isSft(run) ? 'model.fsdp_config' : `${ACTOR}.fsdp_config`;
  const sft = isSft(run) ? ['cpu_offload', 'offload_params'] : ['param_offload', 'offload_policy'];
  const parameters = sft.map(name => `${section}.${name}`);
  const states = `${section}.optimizer_offload`;
  const activations = both(run, 'enable_activation_offload');
  // param_offload and optimizer_offload are for the other phases: while the actor trains, both are on the GPU.
  const streams =
    run.flag(`${section}.offload_policy`) === true ||
    (isSft(run) && run.flag(`${section}.cpu_offload`) === true);
  const value: OffloadSettings = {
    param: streams ? 'cpu' : 'none',
    optimizer: streams ? 'cpu' : 'none',
    ...(run.flag(activations) === true && { activations: 'cpu' as const }),
  };
  const keys = [...parameters, states, activations];
  return keys.some(key => run.has(key)) ? run.at(keys, value) : run.byDefault(value, FSDP);
}

/** fp32 unless another dtype is asked for; Megatron keeps its own masters. */
export function loadDtype(run: RunReader): Quantity<Dtype> {
  if (strategyOf(run) === 'megatron') return run.unknown('Megatron keeps 16-bit weights beside its masters.');
  const key = isSft(run) ? 'model.fsdp_config.model_dtype' : `${ACTOR}.fsdp_config.model_dtype`;
  const stated = run.read(key, dtypeWord);
  return stated === null ? run.byDefault('fp32', `${FSDP}: model_dtype is fp32`) : run.at(key, stated);
}

export function optimizer(run: RunReader): Quantity<string> {
  const key = isSft(run) ? 'optim.optimizer' : `${ACTOR}.optim.optimizer`;
  const stated = run.word(key);
  return stated === null
    ? run.byDefault('AdamW', 'trainer/config/optim/fsdp.yaml: optimizer is AdamW')
    : run.at(key, stated);
}

export function attention(run: RunReader): Quantity<string> {
  const key = both(run, 'override_config.attn_implementation');
  const stated = run.word(key);
  return stated === null
    ? run.byCode('flash_attention_2', 'workers/fsdp_workers.py: attn_implementation="flash_attention_2"')
    : run.at(key, stated);
}

export function loss(run: RunReader): Quantity<string> {
  const key = both(run, 'use_liger');
  return run.flag(key)
    ? run.at(key, 'liger')
    : run.byDefault('standard', 'hf_model.yaml: use_liger is False');
}

const DEGREES = ['tensor', 'context', 'pipeline', 'expert'] as const;

/** Ulysses shares each sequence; Megatron layers and experts as well. The rollout's ranks are another matter. */
export function parallel(run: RunReader): Quantity<ParallelSettings> {
  const none = { tensor: 1, context: 1, pipeline: 1, expert: 1, dataShard: null, dataReplicate: null };
  if (strategyOf(run) === 'megatron') {
    const keys = DEGREES.map(name => `${ACTOR}.megatron.${name}_model_parallel_size`);
    keys[1] = `${ACTOR}.megatron.context_parallel_size`;
    const degrees = DEGREES.map((name, i) => [name, run.count(keys[i] ?? '') ?? 1] as const);
    if (degrees.every(([, degree]) => degree === 1)) return run.none('megatron.yaml: every degree is 1');
    return run.at(keys, { ...none, ...Object.fromEntries(degrees) });
  }
  const key = isSft(run) ? 'ulysses_sequence_parallel_size' : `${ACTOR}.ulysses_sequence_parallel_size`;
  const ranks = run.count(key) ?? 1;
  return ranks === 1
    ? run.none('ulysses_sequence_parallel_size is 1')
    : run.at(key, { ...none, context: ranks });
}
