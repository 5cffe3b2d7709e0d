import type { Quantity } from '../../spec/quantity';
import type {
  FsdpSettings,
  LoraSettings,
  Method,
  OffloadSettings,
  ParallelSettings,
  Quantization,
} from '../../spec/values';
import { accumulationFromGlobal } from '../engine/common';
import { number } from '../engine/readers';
import type { RunReader } from '../engine/runReader';
import { fourBit, int8 } from '../shared/peft';
import { fsdpOffload, fsdpStrategy, offloadOfParts, zeroStage as zeroStageOf } from '../shared/sharding';

export const DEEPSPEED_FILE = 'dist_config.config_file';

/** v1/launcher.py: the task is the command; preference pairs are told by the file's or the data's name. */
export function task(run: RunReader): Quantity<string> {
  const words = [run.pathWords.at(-1) ?? '', run.word('train_dataset') ?? ''].join(' ');
  if (/(?:^|[^a-z])dpo(?:[^a-z]|$)/i.test(words)) {
    return run.derived('dpo', ['path', 'train_dataset'], 'the config or its data is named dpo');
  }
  return run.byDefault('sft', 'v1/launcher.py: the command train is supervised fine-tuning');
}

export function method(run: RunReader): Quantity<Method> {
  const name = run.word('peft_config.name');
  if (name === null) return run.byDefault('full', 'v1/core/model_engine.py: without peft_config');
  if (name === 'freeze') return run.at<Method>('peft_config.name', 'freeze');
  if (name !== 'lora') return run.unknown(`peft_config.name: ${name} is none that Headroom knows.`);
  return run.at('peft_config.name', run.get('quantization').value?.bits === 4 ? 'qlora' : 'lora');
}

/** Without a global batch there is one micro batch to a step (v1/config/training_args.py). */
export function gradAccum(run: RunReader): Quantity<number> {
  if (run.has('global_batch_size')) return accumulationFromGlobal(run);
  return run.byDefault(1, 'v1/config/training_args.py: global_batch_size is dp_size × micro_batch_size');
}

export function precision(run: RunReader): Quantity<string> {
  const on = run.flag('bf16');
  if (on === null) return run.byDefault('bf16', 'v1/config/training_args.py: bf16 is true');
  return run.at('bf16', on ? 'bf16' : 'fp32');
}

/** v1/plugins/model_plugins/quantization.py: bnb, nf4, double quantisation. */
export function quantization(run: RunReader): Quantity<Quantization> {
  const name = run.word('quant_config.name');
  if (name === null) return run.none('v1/config/model_args.py: quant_config is None');
  if (name !== 'bnb') return run.unknown(`quant_config.name: ${name} is decided by the checkpoint.`);
  const bits = run.count('quant_config.quantization_bit') ?? 4;
  if (bits === 8) return run.at('quant_config', int8);
  if (bits !== 4) return run.unknown(`bitsandbytes quantises to 4 or 8 bits, not to ${bits}.`);
  const type = run.word('quant_config.quantization_type') ?? 'nf4';
  const nested = run.flag('quant_config.double_quantization') ?? true;
  return run.at('quant_config', fourBit(type, nested, 'bf16', null));
}

/** v1/plugins/model_plugins/peft.py, get_lora_model. */
export function lora(run: RunReader): Quantity<LoraSettings> {
  const chosen = run.get('method').value;
  if (chosen !== 'lora' && chosen !== 'qlora') return run.none('peft_config is not lora');
  const key = (name: string): string => `peft_config.${name}`;
  const targets = run.words(key('target_modules')) ?? ['all'];
  return run.at([key('r'), key('name')], {
    r: run.count(key('r')) ?? 8,
    alpha: run.read(key('lora_alpha'), number) ?? 16,
    dropout: run.read(key('lora_dropout'), number) ?? 0.05,
    targets: targets.length === 1 && targets[0] === 'all' ? 'all-linear' : targets,
    modulesToSave: run.words(key('modules_to_save')) ?? [],
    rslora: run.flag(key('use_rslora')) ?? false,
    dora: run.flag(key('use_dora')) ?? false,
  });
}

export function optimizer(run: RunReader): Quantity<string> {
  const name = run.word('optim_config.name');
  return name === null
    ? run.byDefault('torch.optim.AdamW', 'v1/core/base_trainer.py: without optim_config')
    : run.at('optim_config.name', name);
}

const isDistributed = (run: RunReader, name: string): boolean => run.word('dist_config.name') === name;

export function zeroStage(run: RunReader): Quantity<0 | 1 | 2 | 3> {
  return isDistributed(run, 'deepspeed')
    ? zeroStageOf(run, [DEEPSPEED_FILE])
    : run.none('dist_config is not deepspeed');
}

/** v1/plugins/trainer_plugins/distributed/fsdp2.py, FSDP2Engine. */
export function fsdp(run: RunReader): Quantity<FsdpSettings> {
  if (!isDistributed(run, 'fsdp2')) return run.none('dist_config is not fsdp2');
  const reshard = run.flag('dist_config.reshard_after_forward');
  return run.at('dist_config.name', {
    version: 2,
    strategy: fsdpStrategy(reshard, run.count('mp_replicate_size')),
    offloadParams: run.flag('dist_config.offload_params') ?? false,
    activationCheckpointing: false,
  });
}

export function offload(run: RunReader): Quantity<OffloadSettings> {
  const sharding = run.get('fsdp');
  const own = sharding.value && { ...sharding, value: fsdpOffload(sharding.value) };
  return offloadOfParts(run, [DEEPSPEED_FILE]) ?? own ?? run.none('nothing is offloaded by default');
}

const DEGREES = ['cp_size', 'dist_config.ep_size', 'mp_replicate_size', 'mp_shard_size'] as const;

export function parallel(run: RunReader): Quantity<ParallelSettings> {
  if (!DEGREES.some(key => run.has(key))) return run.none('v1/config: every degree is 1');
  const [context, expert, replicas, shards] = DEGREES.map(key => run.count(key));
  return run.at(DEGREES, {
    tensor: 1,
    context: context ?? 1,
    pipeline: 1,
    expert: expert ?? 1,
    dataShard: shards ?? null,
    dataReplicate: replicas ?? null,
  });
}

/** Liger's fused head is left out in training: the loss weighs tokens by itself (v1/core/model_engine.py). */
export function kernels(run: RunReader): Quantity<readonly string[]> {
  return run.word('kernel_config.name') === 'liger_kernel'
    ? run.at('kernel_config.name', ['liger_glu', 'liger_rms_norm', 'liger_rope'])
    : run.byDefault([], 'v1/config/model_args.py: kernel_config is None');
}
