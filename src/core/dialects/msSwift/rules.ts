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
import { accumulationFromGlobal } from '../engine/common';
import { number, oneOf } from '../engine/readers';
import type { RunReader } from '../engine/runReader';
import { megatronDegrees } from '../shared/megatronDegrees';
import { fourBit, int8, loraSettings } from '../shared/peft';
import type { LoraKeys } from '../shared/peft';
import { fsdpOffload, offloadOfParts } from '../shared/sharding';
import { dtypeWord } from '../shared/words';

/** Keys that only Megatron's arguments have: `megatron sft`, and every run on Ray. */
const MEGATRON = [
  'micro_batch_size',
  'global_batch_size',
  'recompute_granularity',
  'attention_backend',
  'tensor_model_parallel_size',
  'pipeline_model_parallel_size',
  'expert_model_parallel_size',
  'lr',
  'train_iters',
];

export const isMegatron = (run: RunReader): boolean => MEGATRON.some(key => run.has(key));

const TASK_TYPES: Readonly<Record<string, string>> = {
  seq_cls: 'sequence_classification',
  embedding: 'embedding',
};

/** The command is the task, unless a key of one command alone is there. */
export function task(run: RunReader): Quantity<string> {
  const rlhf = run.word('rlhf_type');
  if (rlhf !== null) return run.at('rlhf_type', rlhf === 'rm' ? 'reward' : rlhf);
  const type = run.word('task_type');
  if (type !== null && type !== 'causal_lm') {
    const known = TASK_TYPES[type];
    return known === undefined
      ? run.unknown(`task_type: ${type} is not known here.`)
      : run.at('task_type', known);
  }
  const words = run.pathWords.at(-1)?.split(/[^a-z]+/) ?? [];
  if (words.includes('pt') || words.includes('pretrain')) {
    return run.derived('pretrain', ['path'], 'the config is named after the command pt');
  }
  return run.derived('sft', ['path'], 'no key belongs to another command than sft');
}

const TUNERS = ['tuner_type', 'train_type'] as const;

/** Adapters that PEFT has and that are no LoRA. */
const OTHER_TUNERS: ReadonlySet<string> = new Set(['adalora', 'vera', 'boft', 'fourierft', 'ia3', 'oft']);

export function method(run: RunReader): Quantity<Method> {
  const key = TUNERS.find(name => run.has(name));
  const tuner = key === undefined ? null : run.word(key);
  const lora: Method = run.get('quantization').value?.bits === 4 ? 'qlora' : 'lora';
  if (key === undefined) {
    return isMegatron(run)
      ? run.byDefault<Method>('full', 'swift/megatron/arguments: tuner_type is full')
      : run.byDefault<Method>(lora, 'swift/arguments/base_args/base_args.py L93');
  }
  if (tuner === 'full') {
    const frozen = (run.read('freeze_parameters_ratio', number) ?? 0) > 0;
    return run.at<Method>(key, frozen ? 'freeze' : 'full');
  }
  if (tuner === 'lora' || OTHER_TUNERS.has(tuner ?? '')) return run.at(key, lora);
  return run.unknown(`${key}: ${tuner ?? ''} is none that Headroom knows.`);
}

/** Samples of a step that ms-swift makes up with accumulation when nothing is said (trainers/arguments.py L281-284). */
const USUAL_BATCH = 16;

export function gradAccum(run: RunReader): Quantity<number> {
  if (run.has('gradient_accumulation_steps')) {
    return run.at('gradient_accumulation_steps', run.count('gradient_accumulation_steps'));
  }
  if (isMegatron(run)) return accumulationFromGlobal(run);
  const micro = run.get('microBatchSize').value;
  const gpus = run.get('gpus').value;
  if (micro === null || gpus === null) {
    return run.unknown('Accumulation makes up 16 samples to a step, and the number of GPUs is not known.');
  }
  const steps = Math.max(1, Math.ceil(USUAL_BATCH / micro / gpus));
  return run.derived(steps, ['microBatchSize', 'gpus'], `16 ÷ (${micro} × ${gpus} GPUs), rounded up`);
}

export function globalBatchSize(run: RunReader): Quantity<number> {
  if (run.has('global_batch_size')) return run.at('global_batch_size', run.count('global_batch_size'));
  return isMegatron(run)
    ? run.byDefault(USUAL_BATCH, 'swift/megatron/arguments/megatron_args.py: global_batch_size is 16')
    : run.unknown('Only Megatron’s arguments have a global batch.');
}

/** Tasks that write completions after the prompt. */
const WRITES = new Set(['grpo', 'gkd', 'ppo']);

export function seqLen(run: RunReader): Quantity<number> {
  const length = run.count('max_length');
  if (length === null) {
    return run.unknown('max_length is not set: the limit of the model decides.');
  }
  const completion = run.count('max_completion_length');
  if (completion === null || !WRITES.has(run.get('task').value ?? '')) return run.at('max_length', length);
  return run.derived(
    length + completion,
    ['max_length', 'max_completion_length'],
    `${length} prompt + ${completion} completion`,
  );
}

export const DTYPE_KEYS = ['torch_dtype'] as const;

/** swift/arguments/base_args/model_args.py, _init_mixed_precision: fp32 weights compute in fp16. */
export function precision(run: RunReader): Quantity<string> {
  if (run.flag('bf16')) return run.at('bf16', 'bf16');
  if (run.flag('fp16')) return run.at('fp16', 'fp16');
  const dtype = run.read('torch_dtype', dtypeWord);
  if (dtype === null) return run.unknown('torch_dtype is not set: the checkpoint decides the precision.');
  return run.derived(
    dtype === 'bf16' ? 'bf16' : 'fp16',
    ['torch_dtype'],
    dtype === 'fp32' ? 'float32 turns on fp16' : 'the flag follows torch_dtype',
  );
}

export function loadDtype(run: RunReader): Quantity<Dtype> {
  const dtype = run.read('torch_dtype', dtypeWord);
  return dtype === null
    ? run.unknown('torch_dtype is not set: weights keep the dtype of the checkpoint.')
    : run.at('torch_dtype', dtype);
}

const METHODS = oneOf<Quantization['method']>({
  bnb: 'bnb',
  hqq: 'other',
  eetq: 'other',
  quanto: 'other',
  fp8: 'other',
});
const BITS: ReadonlySet<number> = new Set([2, 3, 4, 8]);

/** Bits without a method are of no effect (swift/arguments/base_args/quant_args.py L45-47). */
export function quantization(run: RunReader): Quantity<Quantization> {
  const how = run.read('quant_method', METHODS);
  const bits = run.count('quant_bits') ?? (run.word('quant_method') === 'fp8' ? 8 : null);
  if (how === null) return run.none('quant_args.py L45-47: nothing is quantised without quant_method');
  if (how === 'bnb' && bits === 4) {
    const type = run.word('bnb_4bit_quant_type') ?? 'nf4';
    const nested = run.flag('bnb_4bit_use_double_quant') ?? true;
    return run.at('quant_method', fourBit(type, nested, computeDtype(run), null));
  }
  if (how === 'bnb' && bits === 8) return run.at('quant_method', int8);
  if (bits === null || !BITS.has(bits)) return run.unknown('quant_bits is none of 2, 3, 4 and 8.');
  const known = bits as Quantization['bits'];
  const rest = { doubleQuant: null, computeDtype: null, storageDtype: null };
  return run.at('quant_method', { bits: known, method: how, type: run.word('quant_method'), ...rest });
}

function computeDtype(run: RunReader): Dtype | null {
  const stated = run.read('bnb_4bit_compute_dtype', dtypeWord);
  if (stated !== null) return stated;
  const weights = run.read('torch_dtype', dtypeWord);
  return weights === null ? null : weights === 'bf16' ? 'bf16' : 'fp32';
}

const LORA: LoraKeys = {
  r: ['lora_rank'],
  alpha: ['lora_alpha'],
  dropout: ['lora_dropout'],
  targets: ['target_modules'],
  modulesToSave: ['modules_to_save'],
  rslora: ['use_rslora'],
  dora: ['use_dora'],
  defaults: { r: 8, alpha: 32, dropout: 0.05 },
};

/** swift/arguments/tuner_args.py L126-140. */
export function lora(run: RunReader): Quantity<LoraSettings> {
  const chosen = run.get('method').value;
  if (chosen !== 'lora' && chosen !== 'qlora') return run.none('tuner_type makes no adapters');
  const key = TUNERS.find(name => run.has(name));
  const tuner = (key === undefined ? null : run.word(key)) ?? 'lora';
  const { value } = loraSettings(run, LORA, [...TUNERS, 'model', 'dataset']);
  const settings = value && {
    ...value,
    targets: value.targets ?? 'all-linear',
    ...(tuner !== 'lora' && { method: tuner }),
  };
  const keys = ['lora_rank', 'lora_alpha', 'target_modules', ...TUNERS];
  return keys.some(name => run.has(name))
    ? run.at(keys, settings)
    : run.byDefault(settings, 'swift/arguments/tuner_args.py L126-140');
}

export function optimizer(run: RunReader): Quantity<string> {
  const key = ['optim', 'optimizer'].find(name => run.has(name));
  if (key !== undefined) return run.at(key, run.word(key));
  if (run.flag('use_galore')) return run.at('use_galore', 'galore_adamw');
  return isMegatron(run)
    ? run.byDefault('adam', 'swift/megatron/arguments/megatron_args.py: optimizer is adam')
    : run.byDefault('adamw_torch_fused', 'transformers training_args.py, with torch ≥ 2.8');
}

/** Checkpointing is on; Megatron computes attention’s core again unless told more. FSDP2 has a switch of its own. */
export function gradientCheckpointing(run: RunReader): Quantity<boolean> {
  if (isMegatron(run)) {
    const kind = run.word('recompute_granularity');
    if (kind === null) {
      return run.byDefault(
        true,
        'swift/megatron/arguments/megatron_args.py: recompute_granularity is selective',
      );
    }
    return run.at('recompute_granularity', kind !== 'none');
  }
  const stated = run.flag('gradient_checkpointing');
  if (stated !== null) return run.at('gradient_checkpointing', stated);
  return run.byDefault(true, 'swift/trainers/arguments.py: gradient_checkpointing is true');
}

const ATTENTION: Readonly<Record<string, string>> = {
  flash_attn: 'flash_attention_2',
  flash: 'flash_attention_2',
};

export function attention(run: RunReader): Quantity<string> {
  const key = ['attn_impl', 'attention_backend'].find(name => run.has(name));
  if (key !== undefined) {
    const word = run.word(key) ?? '';
    return run.at(key, ATTENTION[word] ?? word);
  }
  return isMegatron(run)
    ? run.byDefault(
        'flash_attention_2',
        'swift/megatron/arguments/megatron_args.py: attention_backend is flash',
      )
    : run.byDefault('sdpa', 'attn_impl is None: transformers takes sdpa where the model has it');
}

/** `fsdp: fsdp2` is a preset (swift/config/fsdp2.json). */
export function fsdp(run: RunReader): Quantity<FsdpSettings> {
  const words = run.words('fsdp')?.flatMap(one => one.split(/[\s,]+/)) ?? [];
  if (words.length === 0 || run.value('fsdp') === false) return run.none('fsdp is off');
  if (words.includes('fsdp2')) {
    const preset = { version: 2, strategy: 'FULL_SHARD', offloadParams: false } as const;
    return run.at('fsdp', { ...preset, activationCheckpointing: true });
  }
  if (!words.includes('full_shard') && !words.includes('shard_grad_op')) {
    return run.unknown(`fsdp: ${words.join(' ')} names a file that Headroom does not read.`);
  }
  return run.at('fsdp', {
    version: run.count('fsdp_config.fsdp_version') === 1 ? 1 : 2,
    strategy: words.includes('full_shard') ? 'FULL_SHARD' : 'SHARD_GRAD_OP',
    offloadParams: words.includes('offload'),
    activationCheckpointing: run.flag('fsdp_config.activation_checkpointing') ?? false,
  });
}

export function offload(run: RunReader): Quantity<OffloadSettings> {
  const sharding = run.get('fsdp');
  const own = sharding.value && { ...sharding, value: fsdpOffload(sharding.value) };
  if (run.flag('optimizer_cpu_offload')) {
    return run.at('optimizer_cpu_offload', { param: 'none', optimizer: 'cpu' });
  }
  return offloadOfParts(run, ['deepspeed']) ?? own ?? run.none('nothing is offloaded by default');
}

export function parallel(run: RunReader): Quantity<ParallelSettings> {
  const degrees = megatronDegrees(run);
  if (degrees) return degrees;
  const context = run.count('sequence_parallel_size');
  if (context === null) return run.none('swift/trainers/arguments.py: sequence_parallel_size is 1');
  const rest = { tensor: 1, pipeline: 1, expert: 1, dataShard: null, dataReplicate: null };
  return run.at('sequence_parallel_size', { ...rest, context });
}

/** `list(range(0, 4))`, or how many. */
const RANGE = /^list\(range\((?:(\d+),\s*)?(\d+)\)\)$/;

/** Ray's groups say their GPUs; elsewhere NPROC_PER_NODE does. */
export function gpus(run: RunReader): Quantity<number> {
  if (run.has('train.gpus')) return run.at('train.gpus', run.count('train.gpus'));
  const ranks = run.flag('use_ray') ? run.value('device_groups.default.ranks') : null;
  if (typeof ranks === 'number') return run.at('device_groups.default.ranks', ranks);
  const range = typeof ranks === 'string' ? RANGE.exec(ranks) : null;
  if (range) {
    return run.at('device_groups.default.ranks', Number(range[2]) - Number(range[1] ?? 0));
  }
  return run.unknown('NPROC_PER_NODE decides the number of GPUs; the config does not say it.');
}
