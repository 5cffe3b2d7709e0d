import type { Quantity } from '../../spec/quantity';
import type {
  Dtype,
  FsdpSettings,
  LoraSettings,
  Method,
  OffloadSettings,
  ParallelSettings,
  Quantization,
} from '../../spec/values';
import { number, oneOf } from '../engine/readers';
import type { RunReader } from '../engine/runReader';
import { hasPlugin } from './plugins';
import { freezingKey } from './trainedParts';
import { fsdpOffload, fsdpStrategy, offloadOfParts } from '../shared/sharding';

const bf16Word = oneOf<boolean | 'auto'>({ auto: 'auto', true: true, false: false });

/**
 * Reinforcement-learning tasks by the value of `rl`; without it a flag decides, else it is supervised fine-tuning.
 */
export function task(run: RunReader): Quantity<string> {
  const rl = run.word('rl');
  if (rl !== null) return run.at('rl', rl);
  if (run.flag('reward_model')) return run.at('reward_model', 'reward');
  if (run.flag('process_reward_model')) return run.at('process_reward_model', 'prm');
  if (run.has('pretraining_dataset')) return run.at('pretraining_dataset', 'pretrain');
  return run.byDefault('sft', 'schemas/config.py: rl is None');
}

export function method(run: RunReader): Quantity<Method> {
  const adapter = run.word('adapter');
  if (adapter === 'lora' || adapter === 'qlora') return run.at('adapter', adapter);
  if (adapter === 'llama-adapter') return run.at<Method>('adapter', 'prompt');
  if (adapter !== null) return run.unknown(`adapter: ${adapter} is of a plugin that Headroom does not know.`);
  const frozen = freezingKey(run);
  if (frozen !== null) return run.at<Method>(frozen, 'freeze');
  return run.byDefault('full', 'schemas/peft.py L41: adapter is None');
}

/** Accumulation for configs that state the batch per GPU and optimizer step instead (config/__init__ L202). */
export function accumulationFromBatch(run: RunReader): Quantity<number> {
  const batch = run.count('batch_size');
  const micro = run.get('microBatchSize').value;
  if (batch === null) return run.byDefault(1, 'schemas/training.py L71');
  if (micro === null) return run.unknown('batch_size is divided by micro_batch_size, which is not known.');
  return run.derived(Math.floor(batch / micro), ['batch_size', 'microBatchSize'], `${batch} ÷ ${micro}`);
}

/** bf16 is on by default if the GPU supports it, as all do since Ampere (config/__init__ L158-177). */
function bf16(run: RunReader): boolean {
  const stated = run.isNull('bf16') ? false : (run.read('bf16', bf16Word) ?? 'auto');
  return stated === 'auto' ? run.flag('fp16') !== true : stated;
}

/** Dtype of the weights (config/__init__ L191-196). */
export function dtype(run: RunReader): Dtype {
  if (bf16(run) || run.flag('bfloat16')) return 'bf16';
  return run.flag('load_in_8bit') || run.flag('fp16') || run.flag('float16') ? 'fp16' : 'fp32';
}

const DTYPE_KEYS = ['bf16', 'bfloat16', 'fp16', 'float16'];

export function loadDtype(run: RunReader): Quantity<Dtype> {
  const value = dtype(run);
  return stated(run, DTYPE_KEYS, value, 'schemas/config.py L559: bf16 is auto');
}

export function precision(run: RunReader): Quantity<string> {
  if (run.flag('fp8')) return run.at('fp8', 'fp8');
  return stated<string>(run, DTYPE_KEYS, dtype(run), 'schemas/config.py L559: bf16 is auto');
}

function stated<T>(run: RunReader, keys: readonly string[], value: T, source: string): Quantity<T> {
  return keys.some(key => run.has(key))
    ? run.at(
        keys.filter(key => run.has(key)),
        value,
      )
    : run.byDefault(value, source);
}

/** True if the trainer's bf16 or fp16 flag is on: the forward pass then runs under autocast. */
export function autocast(run: RunReader): Quantity<boolean> {
  const on = bf16(run) || run.flag('fp16') === true;
  return run.derived(on, ['precision'], on ? 'bf16 or fp16 is on' : 'neither bf16 nor fp16 is on');
}

/**
 * 4-bit loading needs `adapter: qlora`, 8-bit loading `adapter: lora` (loaders/model.py L712, L740): the flag alone
 * does not quantize.
 */
export function quantization(run: RunReader): Quantity<Quantization> {
  const adapter = run.word('adapter');
  const four = run.flag('load_in_4bit') === true;
  if (run.flag('gptq')) return run.at('gptq', bits(null, 'gptq', null), 'bits are in the checkpoint');
  // monkeypatch/moe_quant.py
  const experts = run.flag('quantize_moe_experts') ? { experts: true } : {};
  if (adapter === 'qlora' && four) return run.at('load_in_4bit', { ...nf4(run), ...experts });
  if (adapter === 'lora' && run.flag('load_in_8bit')) {
    return run.at('load_in_8bit', { ...bits(8, 'bnb', 'int8'), ...experts });
  }
  if (adapter === 'lora' && four) {
    return run.at<Quantization>(
      'load_in_4bit',
      null,
      'adapter: lora ignores load_in_4bit; adapter: qlora needs it',
    );
  }
  if (adapter === 'qlora') {
    return run.unknown('adapter: qlora without load_in_4bit: true is refused by Axolotl.');
  }
  return checkpointQuantization(run);
}

function checkpointQuantization(run: RunReader): Quantity<Quantization> {
  const config = run.word('model_quantization_config');
  const dequantized = run.flag('model_quantization_config_kwargs.dequantize') === true;
  if (config === null) return run.none('schemas/peft.py: load_in_4bit and load_in_8bit are false');
  if (dequantized) return run.at<Quantization>('model_quantization_config', null, 'dequantized when loaded');
  const mxfp4 = config === 'Mxfp4Config';
  return run.at('model_quantization_config', bits(mxfp4 ? 4 : 8, 'other', mxfp4 ? 'mxfp4' : 'fp8'));
}

const bits = (
  count: Quantization['bits'],
  how: Quantization['method'],
  type: string | null,
): Quantization => ({
  bits: count,
  method: how,
  type,
  doubleQuant: null,
  computeDtype: null,
  storageDtype: null,
});

/**
 * loaders/model.py L712-739: nf4, double quantization, bf16 storage; `bnb_config_kwargs` changes single settings.
 */
function nf4(run: RunReader): Quantization {
  return {
    ...bits(4, 'bnb', run.word('bnb_config_kwargs.bnb_4bit_quant_type') ?? 'nf4'),
    doubleQuant: run.flag('bnb_config_kwargs.bnb_4bit_use_double_quant') ?? true,
    computeDtype: dtype(run),
    storageDtype: 'bf16',
  };
}

export function lora(run: RunReader): Quantity<LoraSettings> {
  const adapter = run.word('adapter');
  if (adapter === null) return run.none('schemas/peft.py L41: adapter is None');
  const named = run.words('lora_target_modules');
  const parameters = run.words('lora_target_parameters');
  return run.at(['lora_r', 'adapter'], {
    r: run.count('lora_r'),
    alpha: run.read('lora_alpha', number),
    dropout: run.read('lora_dropout', number) ?? 0,
    targets: run.flag('lora_target_linear') ? 'all-linear' : named,
    modulesToSave: run.words('lora_modules_to_save') ?? [],
    rslora: run.flag('peft_use_rslora') ?? false,
    dora: run.flag('peft_use_dora') ?? false,
    ...(parameters && { targetParameters: parameters }),
  });
}

/** A key of `fsdp_config`, with or without the old `fsdp_` prefix. */
function fsdpKey(run: RunReader, name: string): string {
  const [key, prefixed] = [`fsdp_config.${name}`, `fsdp_config.fsdp_${name}`];
  return run.has(key) ? key : prefixed;
}

const fsdpFlag = (run: RunReader, name: string): boolean | null => run.flag(fsdpKey(run, name));

export function fsdp(run: RunReader): Quantity<FsdpSettings> {
  const legacy = run.words('fsdp') ?? [];
  if (!run.has('fsdp_config') && legacy.length === 0) return run.none('schemas/fsdp.py: no fsdp_config');
  const version = run.count('fsdp_version') ?? run.count('fsdp_config.fsdp_version') ?? 1;
  const reshard = legacy.includes('shard_grad_op') ? false : fsdpFlag(run, 'reshard_after_forward');
  return run.at(['fsdp_config', 'fsdp'], {
    version: version === 2 ? 2 : 1,
    strategy: fsdpStrategy(reshard, run.count('dp_replicate_size')),
    offloadParams: legacy.includes('offload') || fsdpFlag(run, 'offload_params'),
    activationCheckpointing: fsdpFlag(run, 'activation_checkpointing'),
  });
}

/** `activation_offloading`, or its old spelling `gradient_checkpointing: offload` (validation.py L1425). */
function activationPlace(run: RunReader): 'cpu' | 'nvme' | null {
  const setting = run.value('activation_offloading') ?? false;
  if (setting !== false) return setting === 'disk' ? 'nvme' : 'cpu';
  const checkpointing = run.value('gradient_checkpointing');
  if (checkpointing === 'offload') return 'cpu';
  return checkpointing === 'offload_disk' ? 'nvme' : null;
}

export function offload(run: RunReader): Quantity<OffloadSettings> {
  const sharding = run.get('fsdp');
  const engine =
    offloadOfParts(run, ['deepspeed']) ??
    (sharding.value && { ...sharding, value: fsdpOffload(sharding.value) });
  const activations = activationPlace(run);
  if (activations === null) return engine ?? run.none('nothing is offloaded by default');
  const rest = engine?.value ?? { param: 'none', optimizer: 'none' };
  return run.at(['activation_offloading', 'gradient_checkpointing'], { ...rest, activations });
}

export function checkpointingByFsdp(run: RunReader): Quantity<boolean> {
  const key = fsdpKey(run, 'activation_checkpointing');
  if (run.flag(key)) return run.at(key, true);
  return run.byDefault(false, 'schemas/config.py L600');
}

const LEGACY_ATTENTION: Readonly<Record<string, string>> = {
  flash_attention: 'flash_attention_2',
  sdp_attention: 'sdpa',
  xformers_attention: 'xformers',
  flex_attention: 'flex_attention',
  sage_attention: 'sage',
  eager_attention: 'eager',
};

/** The deprecated switches, one per kernel. */
export function attentionBySwitch(run: RunReader): Quantity<string> {
  for (const [key, kernel] of Object.entries(LEGACY_ATTENTION)) if (run.flag(key)) return run.at(key, kernel);
  return run.byDefault('sdpa', 'attn_implementation is None: transformers takes sdpa');
}

/** Loss kernels require that their plugin is listed. */
export function loss(run: RunReader): Quantity<string> {
  if (hasPlugin(run, 'LigerPlugin')) {
    if (run.flag('liger_fused_linear_cross_entropy')) {
      return run.at('liger_fused_linear_cross_entropy', 'liger');
    }
    if (run.flag('liger_cross_entropy')) return run.at('liger_cross_entropy', 'liger_cross_entropy');
  }
  if (hasPlugin(run, 'CutCrossEntropyPlugin') && run.flag('cut_cross_entropy') !== false) {
    return run.at(['cut_cross_entropy', 'plugins'], 'cut_cross_entropy');
  }
  if (run.flag('chunked_cross_entropy')) return run.at('chunked_cross_entropy', 'chunked');
  return run.byDefault('standard', 'no loss kernel is on');
}

const PARALLEL_KEYS = [
  'tensor_parallel_size',
  'context_parallel_size',
  'sequence_parallel_degree',
  'expert_parallel_size',
  'dp_shard_size',
  'dp_replicate_size',
];

export function parallel(run: RunReader): Quantity<ParallelSettings> {
  if (!PARALLEL_KEYS.some(key => run.has(key))) return run.none('all degrees are None');
  const context = run.count('context_parallel_size') ?? run.count('sequence_parallel_degree');
  return run.at(PARALLEL_KEYS, {
    tensor: run.count('tensor_parallel_size') ?? 1,
    context: context ?? 1,
    pipeline: 1,
    expert: run.count('expert_parallel_size') ?? 1,
    dataShard: run.count('dp_shard_size'),
    dataReplicate: run.count('dp_replicate_size'),
  });
}

/** The default if no data-loading key is set (schemas/config.py L2132-2140). */
export function workersByGpus(run: RunReader): Quantity<number> {
  const gpus = run.get('gpus').value;
  if (gpus === null) {
    return run.unknown('One worker per GPU unless set, and the number of GPUs is not known.');
  }
  return run.derived(gpus, ['gpus'], 'one worker per GPU');
}

/**
 * Ray states its workers; with a shard size, the degrees must multiply to the world size (utils/distributed.py
 * L323).
 */
export function gpus(run: RunReader): Quantity<number> {
  if (run.flag('use_ray')) {
    const workers = run.count('ray_num_workers') ?? 1;
    const each = run.count('resources_per_worker.GPU') ?? 1;
    return run.derived(workers * each, ['ray_num_workers'], `${workers} Ray workers × ${each}`);
  }
  const degrees = run.get('parallel').value;
  if (!degrees?.dataShard) {
    return run.unknown('The launcher decides the number of GPUs; the config does not say it.');
  }
  const factors = [
    degrees.dataShard,
    degrees.dataReplicate ?? 1,
    degrees.tensor,
    degrees.context,
    degrees.expert,
  ];
  const total = factors.reduce((product, factor) => product * factor, 1);
  return run.derived(
    total,
    ['parallel'],
    `${factors.filter(factor => factor > 1).join(' × ')} parallel ranks`,
  );
}
