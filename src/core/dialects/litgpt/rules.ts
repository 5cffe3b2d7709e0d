import type { Quantity } from '../../spec/quantity';
import type {
  Dtype,
  FsdpSettings,
  LoraSettings,
  Method,
  OffloadSettings,
  Quantization,
} from '../../spec/values';
import { count, number } from '../engine/readers';
import type { RunReader } from '../engine/runReader';
import { lightningPrecision } from '../shared/lightning';

const BNB: Readonly<Record<string, Pick<Quantization, 'bits' | 'type' | 'doubleQuant'>>> = {
  'bnb.nf4': { bits: 4, type: 'nf4', doubleQuant: false },
  'bnb.nf4-dq': { bits: 4, type: 'nf4', doubleQuant: true },
  'bnb.fp4': { bits: 4, type: 'fp4', doubleQuant: false },
  'bnb.fp4-dq': { bits: 4, type: 'fp4', doubleQuant: true },
  'bnb.int8-training': { bits: 8, type: 'int8', doubleQuant: null },
};

const LORA_KEYS = ['lora_r', 'lora_alpha', 'lora_query', 'lora_value'];
/** litgpt/finetune/lora.py setup(): what each switch covers, and what it is when it is not said. */
const LORA_SWITCHES: readonly (readonly [key: string, byDefault: boolean, modules: readonly string[]])[] = [
  ['lora_query', true, ['q_proj']],
  ['lora_key', false, ['k_proj']],
  ['lora_value', true, ['v_proj']],
  ['lora_projection', false, ['o_proj']],
  ['lora_mlp', false, ['gate_proj', 'up_proj', 'down_proj']],
  ['lora_head', false, ['lm_head']],
];

/** Pretraining names an architecture and counts tokens; finetuning names a checkpoint. */
export function isPretraining(run: RunReader): boolean {
  if (run.has('checkpoint_dir')) return false;
  return run.has('model_name') || run.has('model_config') || run.has('train.max_tokens');
}

const isLora = (run: RunReader): boolean => LORA_KEYS.some(key => run.has(key));

export function task(run: RunReader): Quantity<string> {
  if (isPretraining(run)) {
    return run.derived('pretrain', ['model_name'], 'litgpt pretrain names an architecture');
  }
  return run.has('checkpoint_dir')
    ? run.derived('sft', ['checkpoint_dir'], 'litgpt finetune trains a checkpoint on instructions')
    : run.unknown('Neither checkpoint_dir nor model_name is set.');
}

/** adapter and adapter_v2 have no key of their own: the command says them. */
export function method(run: RunReader): Quantity<Method> {
  if (!isLora(run)) return run.derived<Method>('full', ['lora_r'], 'no key of LoRA');
  const quantized = run.get('quantization').value;
  return run.derived<Method>(
    quantized?.bits === 4 ? 'qlora' : 'lora',
    ['lora_r', 'quantize'],
    'keys of LoRA',
  );
}

export function quantization(run: RunReader): Quantity<Quantization> {
  const name = run.word('quantize');
  if (name === null) return run.none('litgpt/finetune/*.py: quantize is None');
  const bnb = BNB[name];
  if (bnb === undefined) return run.unknown(`quantize: ${name} is none of ${Object.keys(BNB).join(', ')}.`);
  return run.at('quantize', { ...bnb, method: 'bnb', computeDtype: null, storageDtype: null });
}

/** Without `precision`, the GPU decides (litgpt/utils.py get_default_supported_precision). */
export function precision(run: RunReader): Quantity<string> {
  const stated = run.read('precision', lightningPrecision);
  if (stated !== null) return run.at('precision', stated);
  return run.byDefault('bf16-mixed', 'litgpt/utils.py L363-375', '16-mixed on GPUs without bf16');
}

export function precisionRaw(run: RunReader): Quantity<string> {
  const word = run.word('precision');
  return word === null ? run.unknown('precision is not set.') : run.at('precision', word);
}

/** `-true` makes the module in that dtype; `-mixed` keeps fp32 weights. */
export function loadDtype(run: RunReader): Quantity<Dtype> {
  const precision = run.get('precision').value;
  if (precision === null) return run.unknown('The precision is not known.');
  const half = precision === 'bf16' || precision === 'fp16' ? precision : null;
  const formula = half === null ? 'fp32 weights' : 'the module is made in this dtype';
  return run.derived<Dtype>(half ?? 'fp32', ['precision'], formula);
}

/** An optimizer is its class's name, or a class_path with init_args (litgpt/utils.py instantiate_torch_optimizer). */
export function optimizer(run: RunReader): Quantity<string> {
  const key = ['optimizer.class_path', 'optimizer'].find(name => typeof run.value(name) === 'string');
  return key === undefined
    ? run.byDefault('AdamW', 'litgpt/finetune/*.py, pretrain.py setup(): optimizer is AdamW')
    : run.at(key, run.word(key));
}

/** litgpt/args.py L56-66: whole divisions, what remains is dropped. */
export function accumulation(run: RunReader): Quantity<number> {
  const global = run.get('globalBatchSize').value;
  const micro = run.get('microBatchSize').value;
  const gpus = run.get('gpus').value;
  if (global === null || micro === null || gpus === null) {
    return run.unknown('Accumulation follows from the global batch, the micro batch and the number of GPUs.');
  }
  const steps = Math.floor(Math.floor(global / gpus) / micro);
  if (steps < 1) return run.unknown(`${global} samples do not reach ${gpus} GPUs with ${micro} each.`);
  return run.derived(
    steps,
    ['globalBatchSize', 'microBatchSize', 'gpus'],
    `(${global} ÷ ${gpus} GPUs) ÷ ${micro}, remainders dropped`,
  );
}

export function packing(run: RunReader): Quantity<boolean> {
  return isPretraining(run)
    ? run.derived(true, ['model_name'], 'rows are cut from a stream of tokens')
    : run.derived(false, ['checkpoint_dir'], 'rows are padded samples');
}

const isAlone = (run: RunReader): boolean => run.get('gpus').value === 1;

/** No key has it: FSDP's policy in full fine-tuning, parallelize_fn in LoRA (lora.py L522-540). */
export function activationCheckpointing(run: RunReader): Quantity<boolean> {
  if (isPretraining(run)) return run.derived(false, ['model_name'], 'litgpt/pretrain.py checkpoints nothing');
  const gpus = run.get('gpus').value;
  if (gpus === null) {
    return run.unknown('LitGPT checkpoints where there are several GPUs; their number is not known.');
  }
  const formula = gpus === 1 ? 'off on one GPU' : 'on with several GPUs';
  return run.derived(gpus > 1, ['gpus'], `${formula} (litgpt/finetune/full.py L108-114, lora.py L157)`);
}

export function fsdp(run: RunReader): Quantity<FsdpSettings> {
  const gpus = run.get('gpus').value;
  if (isPretraining(run)) {
    if (gpus === 1) return run.byDefault<FsdpSettings>(null, 'litgpt/pretrain.py L143: several devices');
    if (gpus === null) {
      return run.unknown('LitGPT shards where there are several GPUs; their number is not known.');
    }
    const hybrid = { version: 1, strategy: 'HYBRID_SHARD', offloadParams: false } as const;
    return run.derived({ ...hybrid, activationCheckpointing: false }, ['gpus'], 'litgpt/pretrain.py L143');
  }
  if (isAlone(run)) return run.byDefault<FsdpSettings>(null, 'litgpt/finetune/*.py: one device');
  if (gpus === null) {
    return run.unknown('LitGPT shards where there are several GPUs; their number is not known.');
  }
  const version = isLora(run) ? 2 : 1;
  return run.derived(
    { version, strategy: 'FULL_SHARD', offloadParams: false, activationCheckpointing: true },
    ['gpus'],
    version === 2
      ? 'litgpt/finetune/lora.py L157: ModelParallelStrategy'
      : 'litgpt/finetune/full.py L108-114',
  );
}

export function offload(run: RunReader): Quantity<OffloadSettings> {
  const sharded = run.get('fsdp').value !== null;
  return sharded
    ? run.derived({ param: 'none', optimizer: 'none' }, ['fsdp'], 'cpu_offload=False')
    : run.none('litgpt/finetune/*.py: one device');
}

export function attention(run: RunReader): Quantity<string> {
  return run.byCode('sdpa', 'litgpt/model.py: scaled_dot_product_attention');
}

/** Finetuning takes the loss in chunks of 128 tokens (lm_head_chunk_size). */
export function loss(run: RunReader): Quantity<string> {
  return isPretraining(run)
    ? run.byCode('standard', 'litgpt/pretrain.py: chunked_cross_entropy with chunk_size=0')
    : run.byCode('chunked_output', 'litgpt/finetune/*.py: lm_head_chunk_size=128');
}

export function lora(run: RunReader): Quantity<LoraSettings> {
  if (!isLora(run)) return run.none('no key of LoRA');
  const value = (key: string, otherwise: number): number => run.read(key, number) ?? otherwise;
  return run.at(LORA_KEYS, {
    r: run.read('lora_r', count) ?? 8,
    alpha: value('lora_alpha', 16),
    dropout: value('lora_dropout', 0.05),
    targets: LORA_SWITCHES.flatMap(([key, byDefault, modules]) =>
      (run.flag(key) ?? byDefault) ? modules : [],
    ),
    modulesToSave: [],
    rslora: false,
    dora: false,
  });
}
