import type { Quantity } from '../../spec/quantity';
import type {
  FsdpSettings,
  LoraSettings,
  Method,
  OffloadSettings,
  ParallelSettings,
  Quantization,
} from '../../spec/values';
import { number } from '../engine/readers';
import type { RunReader } from '../engine/runReader';

const BUILDER = 'model._component_';

/** The last part of a dotted name. */
const lastOf = (name: string | null): string => name?.split('.').at(-1) ?? '';

/** Where the recipe is not said, the loss and what is loaded beside the model tell it. */
export function task(run: RunReader): Quantity<string> {
  const loss = lastOf(run.word('loss._component_'));
  const from = (key: string, value: string): Quantity<string> =>
    run.derived(value, [key], `${key} is what its recipe reads`);
  const rewards = ['reward_and_value_model', 'reward_model'].find(key => run.has(key));
  if (rewards !== undefined) return from(rewards, 'ppo');
  if (run.has('teacher_model')) return from('teacher_model', 'distillation');
  if (/GRPO/i.test(loss) || run.has('grpo_samples_per_prompt')) return from('loss._component_', 'grpo');
  if (/DPO|RSO|SimPO/i.test(loss)) return from('loss._component_', 'dpo');
  if (!run.has(BUILDER)) return run.unknown('No model is named.');
  // Recipes that evaluate, generate or quantise are configured without either.
  if (run.has('optimizer') || run.has('loss')) return from(BUILDER, 'sft');
  return run.has('tokenizer') ? from(BUILDER, 'infer') : from(BUILDER, 'load');
}

/** `qlora_llama3_8b`, `lora_llama3_8b`, `llama3_8b`: the builder's prefix says what is trained. */
export function method(run: RunReader): Quantity<Method> {
  const builder = lastOf(run.word(BUILDER));
  const formula = `the builder ${builder}`;
  if (builder === '') return run.unknown(`${BUILDER} is not set.`);
  if (builder.startsWith('qlora_') || (isLora(builder) && run.flag('model.quantize_base'))) {
    return run.derived<Method>('qlora', [BUILDER], formula);
  }
  return run.derived<Method>(isLora(builder) ? 'lora' : 'full', [BUILDER], formula);
}

const isLora = (builder: string): boolean => /^(?:lora|qlora|dora)_/.test(builder);

/** torchao's NF4 (torchtune/modules/peft/lora.py: to_nf4). */
export function quantization(run: RunReader): Quantity<Quantization> {
  if (run.get('method').value !== 'qlora') return run.none('torchtune/models: quantize_base is False');
  const nf4 = { bits: 4, method: 'torchao', type: 'nf4', doubleQuant: null } as const;
  return run.at([BUILDER], { ...nf4, computeDtype: null, storageDtype: null });
}

export function lora(run: RunReader): Quantity<LoraSettings> {
  const chosen = run.get('method').value;
  if (chosen !== 'lora' && chosen !== 'qlora') return run.none('the builder makes no adapters');
  const value = (name: string, otherwise: number): number => run.read(`model.${name}`, number) ?? otherwise;
  const attention = run.words('model.lora_attn_modules');
  return run.at(['model.lora_rank', 'model.lora_attn_modules', BUILDER], {
    // torchtune/models/*/_model_builders.py
    r: value('lora_rank', 8),
    alpha: value('lora_alpha', 16),
    dropout: value('lora_dropout', 0),
    targets: attention && [
      ...attention.map(name => (name === 'output_proj' ? 'o_proj' : name)),
      ...(run.flag('model.apply_lora_to_mlp') ? ['gate_proj', 'up_proj', 'down_proj'] : []),
      ...(run.flag('model.apply_lora_to_output') ? ['lm_head'] : []),
    ],
    modulesToSave: [],
    rslora: false,
    dora: run.flag('model.use_dora') ?? false,
  });
}

/** A row of packed samples has a mask of its own: FlexAttention; else SDPA without one. */
export function attention(run: RunReader): Quantity<string> {
  return run.byCode('sdpa', 'torchtune/modules/attention_utils.py');
}

/** The canonical word for a loss of torchtune's. */
export function loss(run: RunReader): Quantity<string> {
  const name = lastOf(run.word('loss._component_'));
  if (name === '') return run.unknown('loss._component_ is not set.');
  const isChunked = /Chunked|LinearCrossEntropy/.test(name);
  return run.at('loss._component_', isChunked ? 'chunked_output' : 'standard');
}

/** Recipes for several devices always shard (recipes/full_finetune_distributed.py L382), those for one never do. */
export function fsdp(run: RunReader): Quantity<FsdpSettings> {
  const gpus = run.get('gpus').value;
  if (gpus === null || gpus === 1) return run.byDefault<FsdpSettings>(null, 'recipes/*_single_device.py');
  const strategy = run.flag('fsdp_reshard_after_forward') === false ? 'SHARD_GRAD_OP' : 'FULL_SHARD';
  const offloadParams = run.flag('fsdp_cpu_offload') ?? false;
  return run.byCode(
    { version: 2, strategy, offloadParams, activationCheckpointing: null },
    'recipes/*_distributed.py: training.shard_model',
  );
}

export function offload(run: RunReader): Quantity<OffloadSettings> {
  const host = run.flag('fsdp_cpu_offload');
  const activations = run.flag('enable_activation_offloading');
  const onHost = lastOf(run.word('optimizer._component_')) === 'CPUOffloadOptimizer';
  if (!host && !activations && !onHost) return run.none('recipes/*.py: fsdp_cpu_offload is False');
  return run.at(['fsdp_cpu_offload', 'enable_activation_offloading', 'optimizer._component_'], {
    param: host ? 'cpu' : 'none',
    optimizer: host || onHost ? 'cpu' : 'none',
    ...(activations && { activations: 'cpu' as const }),
  });
}

/** recipes/full_finetune_distributed.py L145-170. */
export function parallel(run: RunReader): Quantity<ParallelSettings> {
  const keys = [
    'tensor_parallel_dim',
    'context_parallel_dim',
    'data_parallel_shard_dim',
    'data_parallel_replicate_dim',
  ];
  const [tensor, context, shard, replicate] = keys.map(key => run.read(key, number));
  const source = 'recipes/full_finetune_distributed.py: every degree is 1';
  if (keys.every(key => !run.has(key))) return run.none(source);
  return run.at(keys, {
    tensor: tensor ?? 1,
    context: context ?? 1,
    pipeline: 1,
    expert: 1,
    dataShard: shard !== undefined && shard !== null && shard > 0 ? shard : null,
    dataReplicate: replicate ?? null,
  });
}
