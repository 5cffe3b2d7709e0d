import type { Quantity } from '../../spec/quantity';
import type {
  Dtype,
  LoraSettings,
  Method,
  OffloadSettings,
  ParallelSettings,
  Quantization,
} from '../../spec/values';
import { number, oneOf } from '../engine/readers';
import type { RunReader } from '../engine/runReader';
import { megatronDegrees } from '../shared/megatronDegrees';
import { fourBit, int8 } from '../shared/peft';
import { trainingArguments } from '../shared/trainingArguments';
import { ownOf } from '../../yaml/tables';
import { engine, inferDtype, servedParallel } from './engine';

const STAGES: Readonly<Record<string, string>> = { pt: 'pretrain', rm: 'reward' };

/** Keys of configs without training: chat and servers, predictions, benchmarks; merging adapters only loads. */
const UNTRAINED: readonly (readonly [key: string, task: string])[] = [
  ['export_dir', 'load'],
  ['infer_backend', 'infer'],
  ['save_dir', 'infer'],
];

export function task(run: RunReader): Quantity<string> {
  const other = UNTRAINED.find(([key]) => run.has(key));
  if (other && !run.flag('do_train')) return run.at(other[0], other[1]);
  if (run.flag('do_predict') && !run.flag('do_train')) return run.at('do_predict', 'infer');
  const stage = run.word('stage');
  if (stage === null) return run.byDefault('sft', 'hparams/finetuning_args.py L460');
  const loss = stage === 'dpo' ? run.word('pref_loss') : null;
  if (loss === 'orpo' || loss === 'simpo') return run.at('pref_loss', loss);
  return run.at('stage', ownOf(STAGES, stage) ?? stage);
}

/** Trains the weights of a checkpoint, or adapters (finetuning_args.py L464). */
export function method(run: RunReader): Quantity<Method> {
  if (engine(run) !== null) return run.none('an engine trains nothing');
  const type = run.word('finetuning_type');
  if (type === 'full' || type === 'freeze') return run.at<Method>('finetuning_type', type);
  if (type !== null && type !== 'lora' && type !== 'oft') {
    return run.unknown(`finetuning_type: ${type} is none that Headroom knows.`);
  }
  // Quantized checkpoints state their own bits: LoRA on top of them stays LoRA.
  const stated = run.has('quantization_bit') && run.get('quantization').value?.bits === 4;
  const adapter: Method = stated ? 'qlora' : 'lora';
  return type === null
    ? run.byDefault(adapter, 'hparams/finetuning_args.py L464')
    : run.at('finetuning_type', adapter);
}

const FLAGS = ['pure_bf16', 'bf16', 'fp16'] as const;

/** hparams/parser.py L640-643; null: the checkpoint's dtype. */
export function computeDtype(run: RunReader): Dtype | null {
  if (run.flag('bf16') || run.flag('pure_bf16')) return 'bf16';
  return run.flag('fp16') ? 'fp16' : inferDtype(run);
}

export function loadDtype(run: RunReader): Quantity<Dtype> {
  const dtype = computeDtype(run);
  if (dtype === null) return run.unknown('Neither bf16 nor fp16 is on: the checkpoint decides the dtype.');
  const keys = FLAGS.filter(key => run.flag(key));
  if (keys.length === 0) return run.at('infer_dtype', dtype);
  return run.derived(dtype, keys, 'weights are loaded in the compute dtype');
}

export function precision(run: RunReader): Quantity<string> {
  if (run.flag('fp8')) return run.at('fp8', 'fp8');
  const dtype = computeDtype(run);
  const key = FLAGS.find(name => run.flag(name)) ?? (dtype === null ? undefined : 'infer_dtype');
  if (dtype === null || key === undefined) {
    return run.unknown('Neither bf16 nor fp16 is on: the checkpoint decides the compute dtype.');
  }
  return run.at<string>(key, dtype);
}

const METHODS = oneOf<Quantization['method']>({
  bnb: 'bnb',
  bitsandbytes: 'bnb',
  hqq: 'other',
  eetq: 'other',
});
const BITS: ReadonlySet<number> = new Set([2, 3, 4, 8]);

/** Suffixes in the names of quantized checkpoints. */
const NAMED: readonly (readonly [pattern: RegExp, method: Quantization['method']])[] = [
  [/-GPTQ\b/i, 'gptq'],
  [/-AWQ\b/i, 'awq'],
  [/-AQLM\b/i, 'other'],
];

/** model/model_utils/quantization.py: on-the-fly quantization, else the checkpoint's own. */
export function quantization(run: RunReader): Quantity<Quantization> {
  const bits = run.count('quantization_bit');
  if (bits === null) return quantizedCheckpoint(run);
  const how = run.read('quantization_method', METHODS) ?? 'bnb';
  if (how === 'bnb' && bits === 4) {
    const type = run.word('quantization_type') ?? 'nf4';
    const nested = run.flag('double_quantization') ?? true;
    const dtype = computeDtype(run);
    return run.at('quantization_bit', fourBit(type, nested, dtype, dtype));
  }
  if (how === 'bnb') {
    return bits === 8
      ? run.at('quantization_bit', int8)
      : run.unknown(`bitsandbytes quantises to 4 or 8 bits, not to ${bits}.`);
  }
  if (!BITS.has(bits)) return run.unknown(`Headroom does not know weights of ${bits} bits.`);
  const known = bits as Quantization['bits'];
  return run.at('quantization_bit', { ...bare(how), bits: known, type: run.word('quantization_method') });
}

function quantizedCheckpoint(run: RunReader): Quantity<Quantization> {
  const name = run.get('model').value ?? '';
  const named = NAMED.find(([pattern]) => pattern.test(name));
  if (!named) return run.none('hparams/model_args.py: quantization_bit is None');
  return run.derived(bare(named[1]), ['model'], 'the name of the checkpoint; its config says the bits');
}

const bare = (method: Quantization['method']): Quantization => ({
  bits: null,
  method,
  type: null,
  doubleQuant: null,
  computeDtype: null,
  storageDtype: null,
});

/** A list, or a comma-separated text, which HfArgumentParser leaves to LLaMA-Factory (`split_arg`). */
export function listOf(run: RunReader, key: string): readonly string[] | null {
  const words = run.words(key);
  return (
    words
      ?.flatMap(one => one.split(','))
      .map(one => one.trim())
      .filter(one => one !== '') ?? null
  );
}

/** hparams/finetuning_args.py L56-81, L585. */
export function lora(run: RunReader): Quantity<LoraSettings> {
  if (engine(run) !== null) return run.none('an engine trains nothing');
  const chosen = run.get('method').value;
  if (chosen !== 'lora' && chosen !== 'qlora') return run.none('finetuning_type makes no adapters');
  const common = {
    modulesToSave: listOf(run, 'additional_target') ?? [],
    rslora: run.flag('use_rslora') ?? false,
    dora: run.flag('use_dora') ?? false,
  };
  if (run.word('finetuning_type') === 'oft') {
    const rotations = {
      r: null,
      alpha: null,
      dropout: 0,
      targets: targetsOf(run, 'oft_target'),
      method: 'oft',
    };
    return run.at(['oft_target', 'finetuning_type'], { ...common, ...rotations });
  }
  const rank = run.count('lora_rank') ?? 8;
  const alpha = run.read('lora_alpha', number);
  const dropout = run.read('lora_dropout', number) ?? 0;
  const targets = targetsOf(run, 'lora_target');
  const settings = { ...common, r: rank, alpha: alpha ?? rank * 2, dropout, targets };
  if (alpha !== null) return run.at('lora_alpha', settings);
  return run.has('lora_rank')
    ? run.derived(settings, ['lora_rank'], 'lora_alpha is twice lora_rank')
    : run.byDefault(settings, 'hparams/finetuning_args.py L56-81, L585');
}

function targetsOf(run: RunReader, key: string): LoraSettings['targets'] {
  const targets = listOf(run, key) ?? ['all'];
  return targets.length === 1 && targets[0] === 'all' ? 'all-linear' : targets;
}

/** Optimizers that a LLaMA-Factory switch uses instead of `optim` (train/trainer_utils.py). */
const OWN_OPTIMIZERS: Readonly<Record<string, string>> = {
  use_galore: 'galore_adamw',
  use_apollo: 'apollo_adamw',
  use_badam: 'badam',
  use_adam_mini: 'adam_mini',
  use_muon: 'muon',
};

/** Keys of a run that uses Megatron (USE_MCA=1 or USE_MEGATRON_BRIDGE=1). */
export const isMegatron = (run: RunReader): boolean =>
  run.has('use_distributed_optimizer') || megatronDegrees(run) !== null;

export function optimizer(run: RunReader): Quantity<string> {
  if (engine(run) !== null) return run.none('an engine trains nothing');
  if (isMegatron(run)) return run.unknown('Megatron steps with an optimizer of its own.');
  const own = Object.entries(OWN_OPTIMIZERS).find(([key]) => run.flag(key));
  if (own) {
    const layerwise = ['galore_layerwise', 'apollo_layerwise'].some(key => run.flag(key));
    return run.at(own[0], layerwise ? `${own[1]}_layerwise` : own[1]);
  }
  const stated = run.word('optim');
  if (stated !== null) return run.at('optim', stated);
  const [fused, plain] = trainingArguments.optimizer.absent;
  const row = run.atLeast(fused.since, fused.library) ? fused : plain;
  return run.byDefault(row.value, row.source);
}

/** `neat_packing` enables packing; pretraining packs by default (hparams/parser.py L645). */
export function packing(run: RunReader): Quantity<boolean> {
  if (run.flag('neat_packing')) return run.at('neat_packing', true);
  const stated = run.flag('packing');
  if (stated !== null) return run.at('packing', stated);
  return run.get('task').value === 'pretrain'
    ? run.byDefault(true, 'hparams/parser.py L645: stage pt packs')
    : run.byDefault(false, 'hparams/data_args.py: packing is None');
}

/**
 * Liger's fused head is disabled if a trainer needs the logits (model/model_utils/liger_kernel.py, require_logits).
 */
export function loss(run: RunReader): Quantity<string> {
  if (run.flag('use_unsloth')) return run.at('use_unsloth', 'unsloth_cross_entropy');
  if (!run.flag('enable_liger_kernel')) {
    return run.byDefault('standard', 'hparams/model_args.py: enable_liger_kernel is false');
  }
  const task = run.get('task').value;
  const fused = task === 'sft' || task === 'pretrain';
  return run.at('enable_liger_kernel', fused ? 'liger' : 'liger_cross_entropy');
}

/** Unsloth's checkpointing offloads to the host (model/model_utils/checkpointing.py). */
export function offload(run: RunReader): Quantity<OffloadSettings> {
  const engine: Quantity<OffloadSettings> = trainingArguments.offload(run);
  if (!run.flag('use_unsloth_gc') || run.get('gradientCheckpointing').value !== true) return engine;
  const rest = engine.value ?? { param: 'none', optimizer: 'none' };
  return run.at('use_unsloth_gc', { ...rest, activations: 'cpu' });
}

export function parallel(run: RunReader): Quantity<ParallelSettings> {
  const ofParts = run.part('deepspeed')?.get('parallel') ?? run.part('accelerate_config')?.get('parallel');
  return (
    servedParallel(run) ??
    megatronDegrees(run) ??
    ofParts ??
    run.none('only Megatron and AutoTP split a model')
  );
}

/** Ray's workers have one GPU each (hparams/training_args.py, RayArguments). */
export function gpus(run: RunReader): Quantity<number> {
  if (run.has('ray_num_workers')) return run.at('ray_num_workers', run.count('ray_num_workers'));
  const launched = run.part('accelerate_config')?.get('gpus');
  if (launched && launched.value !== null) return launched;
  return run.unknown('LLaMA-Factory takes every GPU that it sees; the config does not say how many.');
}
