import type { Quantity } from '../../spec/quantity';
import type {
  Dtype,
  FsdpSettings,
  LoraSettings,
  Method,
  OffloadSettings,
  ParallelSettings,
} from '../../spec/values';
import { number, oneOf, word } from '../engine/readers';
import type { ValueReader } from '../engine/readers';
import type { RunReader } from '../engine/runReader';
import { valueText } from '../shared/words';

const SCHEME = 'model.peft.peft_scheme';
const FINETUNE = 'NeMo tuning/conf/megatron_gpt_finetuning_config.yaml';

/** A .nemo file; the shipped configs leave `???` for the command line. */
export const checkpoint: ValueReader<string> = value =>
  value === '???' ? { left: 'is ???: it is given on the command line' } : word(value);

/** The program decides; its config has data for training on prompts, or a corpus. */
export function task(run: RunReader): Quantity<string> {
  if (run.has('actor') || run.has('critic')) {
    return run.derived('ppo', ['actor', 'critic'], 'an actor and a critic');
  }
  if (run.has('model.dpo')) return run.at('model.dpo', 'dpo');
  const tuned = ['model.data.train_ds', 'model.peft'].find(key => run.has(key));
  if (tuned !== undefined) return run.derived('sft', [tuned], `${tuned} is what fine-tuning reads`);
  const corpus = ['model.data.data_prefix', 'model.data', 'model.num_layers'].find(key => run.has(key));
  return corpus === undefined
    ? run.unknown('Neither a corpus nor data for fine-tuning is named.')
    : run.derived('pretrain', [corpus], `${corpus} is what pretraining reads`);
}

/** peft_scheme: what is trained, all of it for null. */
export function method(run: RunReader): Quantity<Method> {
  const scheme = run.word(SCHEME);
  if (scheme === null) {
    return run.isNull(SCHEME)
      ? run.at<Method>(SCHEME, 'full')
      : run.byDefault<Method>('full', 'NeMo: no model.peft');
  }
  const meaning: Readonly<Record<string, Method>> = {
    lora: 'lora',
    qlora: 'qlora',
    adapter: 'lora',
    ia3: 'lora',
    ptuning: 'prompt',
    selective: 'freeze',
    none: 'full',
  };
  const known = scheme.split(',').map(one => meaning[one.trim()]);
  const [first] = known;
  return known.length === 1 && first !== undefined
    ? run.at(SCHEME, first)
    : run.unknown(`${SCHEME}: ${scheme} is not one of NeMo's schemes.`);
}

const TARGETS: Readonly<Record<string, readonly string[]>> = {
  attention_qkv: ['q_proj', 'k_proj', 'v_proj'],
  attention_dense: ['o_proj'],
  attention: ['q_proj', 'k_proj', 'v_proj', 'o_proj'],
  mlp_fc1: ['gate_proj', 'up_proj'],
  mlp_fc2: ['down_proj'],
  mlp: ['gate_proj', 'up_proj', 'down_proj'],
  all: ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'],
};

export function lora(run: RunReader): Quantity<LoraSettings> {
  const scheme = run.word(SCHEME);
  const chosen = run.get('method').value;
  if (chosen !== 'lora' && chosen !== 'qlora') return run.none(`${FINETUNE}: another scheme`);
  const section = scheme === 'lora' || scheme === 'qlora' ? 'lora_tuning' : `${scheme ?? ''}_tuning`;
  const key = (name: string): string => `model.peft.${section}.${name}`;
  const r = run.has(key('adapter_dim'))
    ? run.count(key('adapter_dim'))
    : section === 'ia3_tuning'
      ? null
      : 32;
  const targets = run.words(key('target_modules')) ?? ['attention_qkv'];
  return run.at([key('adapter_dim'), SCHEME], {
    r,
    alpha: run.read(key('alpha'), number) ?? r,
    dropout: run.read(key('adapter_dropout'), number) ?? 0,
    targets: targets.flatMap(name => TARGETS[name] ?? [name]),
    modulesToSave: [],
    rslora: false,
    dora: false,
    ...(section !== 'lora_tuning' && { method: scheme ?? '' }),
  });
}

export function packing(run: RunReader): Quantity<boolean> {
  const key = 'model.data.train_ds.packed_sequence';
  if (run.has(key)) return run.at(key, run.flag(key));
  return run.get('task').value === 'sft'
    ? run.byDefault(false, `${FINETUNE}: packed_sequence is False`)
    : run.unknown('Rows of pretraining are cut out of a corpus: they are as long as the sequence.');
}

const dtype = oneOf<'fp32' | 'bf16' | 'fp16'>({
  bf16: 'bf16',
  'bf16-mixed': 'bf16',
  'bf16-true': 'bf16',
  16: 'fp16',
  '16-mixed': 'fp16',
  fp16: 'fp16',
  32: 'fp32',
  '32-true': 'fp32',
  fp32: 'fp32',
});

const O2 = 'model.megatron_amp_O2';

/** O2: weights in 16 bits and fp32 copies; not with torch's FSDP (parts/megatron_trainer_builder.py L64-75). */
export const fullPrecision = (run: RunReader): boolean =>
  run.flag(O2) === true && run.flag('model.fsdp') !== true;

export function precision(run: RunReader): Quantity<string> {
  if (run.flag('model.fp8') === true) return run.at('model.fp8', 'fp8');
  const compute = run.read('trainer.precision', dtype);
  return compute === null
    ? run.unknown('trainer.precision is not set.')
    : run.at('trainer.precision', compute);
}

export function precisionRaw(run: RunReader): Quantity<string> {
  const said = ['trainer.precision', O2].filter(key => run.has(key));
  if (said.length === 0) return run.unknown('No precision key is set.');
  const words = said.map(key => `${key.replace('model.', '')}: ${valueText(run.value(key))}`);
  return run.at('trainer.precision', words.join(', '));
}

/** megatron_trainer_builder.py L112-132: without O2 weights stay in fp32, under autocast. */
export function loadDtype(run: RunReader): Quantity<Dtype> {
  const compute = run.read('trainer.precision', dtype);
  if (compute === null) return run.unknown('trainer.precision is not set.');
  return fullPrecision(run)
    ? run.derived<Dtype>(compute, ['trainer.precision', O2], 'weights in the dtype of precision, with O2')
    : run.derived<Dtype>('fp32', ['trainer.precision', O2], 'fp32 weights under autocast, without O2');
}

const GRANULARITY = 'model.activations_checkpoint_granularity';

export function checkpointing(run: RunReader): Quantity<boolean> {
  if (run.has(GRANULARITY)) return run.at(GRANULARITY, true);
  return run.isNull(GRANULARITY)
    ? run.at(GRANULARITY, false)
    : run.byDefault(false, 'NeMo conf/megatron_gpt_config.yaml: granularity is null');
}

export function selective(run: RunReader): Quantity<'operations' | number> {
  return run.word(GRANULARITY) === 'selective'
    ? run.at(GRANULARITY, 'operations')
    : run.none('whole layers, or none');
}

/** Transformer Engine chooses the kernel where it is used. */
export function attention(run: RunReader): Quantity<string> {
  const key = 'model.use_flash_attention';
  if (run.flag('model.transformer_engine') !== true && run.flag(key) === false) {
    return run.at(key, 'eager');
  }
  return run.flag(key)
    ? run.at(key, 'flash_attention_2')
    : run.unknown('Transformer Engine chooses the kernel.');
}

export function fsdp(run: RunReader): Quantity<FsdpSettings> {
  if (run.flag('model.fsdp') !== true) return run.none('NeMo: model.fsdp is False');
  const strategies = oneOf<NonNullable<FsdpSettings['strategy']>>({
    full: 'FULL_SHARD',
    hybrid: 'HYBRID_SHARD',
    grad: 'SHARD_GRAD_OP',
  });
  const strategy = run.read('model.fsdp_sharding_strategy', strategies) ?? 'FULL_SHARD';
  return run.at('model.fsdp', { version: 1, strategy, offloadParams: false, activationCheckpointing: null });
}

export function offload(run: RunReader): Quantity<OffloadSettings> {
  if (run.flag('model.cpu_offloading') !== true) return run.none('NeMo: cpu_offloading is False');
  return run.at('model.cpu_offloading', { param: 'none', optimizer: 'none', activations: 'cpu' });
}

export function parallel(run: RunReader): Quantity<ParallelSettings> {
  const keys = [
    'model.tensor_model_parallel_size',
    'model.context_parallel_size',
    'model.pipeline_model_parallel_size',
    'model.expert_model_parallel_size',
  ] as const;
  if (!keys.some(key => run.has(key))) return run.unknown('The degrees are those of the checkpoint.');
  const [tensor, context, pipeline, expert] = keys.map(key => run.count(key) ?? 1);
  return run.at([...keys], {
    tensor: tensor ?? 1,
    context: context ?? 1,
    pipeline: pipeline ?? 1,
    expert: expert ?? 1,
    dataShard: null,
    dataReplicate: null,
  });
}
