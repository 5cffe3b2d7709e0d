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
import { switchedOn } from '../shared/switches';

const CLI = 'openrlhf/cli';

/** An argument's names: dotted, and as it was before 0.10. */
type Names = readonly string[];

const said = (run: RunReader, names: Names): string | undefined => names.find(name => run.has(name));

const counted = (run: RunReader, names: Names): number | null => {
  const key = said(run, names);
  return key === undefined ? null : run.count(key);
};

const TASKS: readonly (readonly [RegExp, string])[] = [
  [/^train_sft$/, 'sft'],
  [/^train_dpo$/, 'dpo'],
  [/^train_rm$/, 'reward'],
  [/^train_prm$/, 'prm'],
  [/^train_kto$/, 'kto'],
  [/^train_kd$/, 'gkd'],
];

const ESTIMATOR: Names = ['algo.advantage.estimator', 'advantage_estimator'];
const isOnline = (run: RunReader): boolean => run.pathWords.some(word => /^train_\w*(?:ppo|ray)/.test(word));

/** The program says it; how PPO's advantages are estimated, whether there is a critic. */
export function task(run: RunReader): Quantity<string> {
  if (isOnline(run)) {
    const key = said(run, ESTIMATOR);
    if (key === undefined) return run.byDefault('ppo', `${CLI}/train_ppo_ray.py: advantage_estimator is gae`);
    return run.at(key, run.word(key) === 'gae' ? 'ppo' : 'grpo');
  }
  const found = TASKS.find(([name]) => run.pathWords.some(word => name.test(word)));
  return found ? run.byCode(found[1], `${CLI}: the program`) : run.unknown('The program does not say it.');
}

export function model(run: RunReader): Quantity<string> {
  const key = said(run, ['model.model_name_or_path', 'actor.model_name_or_path', 'pretrain']);
  return key === undefined ? run.unknown('No model is given.') : run.at(key, run.word(key));
}

const RANK: Names = ['ds.lora.rank', 'model.lora.rank', 'lora_rank'];
const FOUR_BITS: Names = ['ds.load_in_4bit', 'load_in_4bit'];
const inFourBits = (run: RunReader): boolean => FOUR_BITS.some(key => run.flag(key) === true);

/** A rank of 0 is none. */
function rankOf(run: RunReader): { readonly key: string; readonly rank: number } | null {
  const key = said(run, RANK);
  const rank = key === undefined ? 0 : (run.read(key, number) ?? 0);
  return key !== undefined && rank > 0 ? { key, rank } : null;
}

export function method(run: RunReader): Quantity<Method> {
  const adapter = rankOf(run);
  if (adapter === null) return run.byDefault<Method>('full', `${CLI}: lora.rank is 0`);
  return run.at<Method>(adapter.key, inFourBits(run) ? 'qlora' : 'lora');
}

export function lora(run: RunReader): Quantity<LoraSettings> {
  const adapter = rankOf(run);
  if (adapter === null) return run.none(`${CLI}: lora.rank is 0`);
  const near = (name: string): string => adapter.key.replace(/rank$/, name);
  const targets = said(run, [near('target_modules'), 'target_modules']);
  const word = targets === undefined ? null : run.word(targets);
  return run.at(adapter.key, {
    r: adapter.rank,
    alpha: run.read(near('alpha'), number) ?? 16,
    dropout: run.read(near('dropout'), number) ?? 0,
    targets: word === null || word === 'all-linear' ? 'all-linear' : [word],
    modulesToSave: [],
    rslora: false,
    dora: false,
  });
}

/** nf4 with nested constants (openrlhf/models/actor.py). */
export function quantization(run: RunReader): Quantity<Quantization> {
  const key = FOUR_BITS.find(one => run.flag(one) === true);
  if (key === undefined) return run.none(`${CLI}: load_in_4bit is off`);
  const compute: Dtype = 'bf16';
  return run.at(key, {
    bits: 4,
    method: 'bnb',
    type: 'nf4',
    doubleQuant: true,
    computeDtype: compute,
    storageDtype: null,
  });
}

const MICRO: Names = ['train.micro_batch_size', 'micro_train_batch_size'];
const DYNAMIC: Names = ['train.dynamic_batch_enable', 'use_dynamic_batch'];

/** 8 for training on texts, 1 for PPO; with dynamic batches as many rows as tokens allow. */
export function microBatch(run: RunReader): Quantity<number> {
  if (DYNAMIC.some(key => run.flag(key) === true)) {
    return run.unknown(
      'Batches are filled up to a number of tokens: how many rows that is, their lengths say.',
    );
  }
  const key = said(run, MICRO);
  if (key !== undefined) return run.at(key, run.count(key));
  return isOnline(run)
    ? run.byDefault(1, `${CLI}/train_ppo_ray.py: micro_batch_size is 1`)
    : run.byDefault(8, `${CLI}/train_sft.py: micro_batch_size is 8`);
}

const PROMPT: Names = ['prompt_max_len', 'data.prompt_max_len'];
const ANSWER: Names = ['generate_max_len', 'rollout.max_new_tokens'];
const LENGTH: Names = ['data.max_len', 'max_len'];

/** Tokens of a row; before 0.10 PPO had those of prompt and answer apart. */
export function seqLen(run: RunReader): Quantity<number> {
  const key = said(run, LENGTH);
  if (key !== undefined) return run.at(key, run.count(key));
  const [prompt, answer] = [counted(run, PROMPT), counted(run, ANSWER)];
  if (isOnline(run) && (prompt !== null || answer !== null)) {
    const [first, second] = [prompt ?? 1024, answer ?? 1024];
    const formula = `${first} of the prompt + ${second} of the answer`;
    return run.derived(first + second, ['prompt_max_len', 'generate_max_len'], formula);
  }
  return run.byDefault(2048, `${CLI}: max_len is 2048`);
}

export function completionTokens(run: RunReader): Quantity<number> {
  if (!isOnline(run)) return run.none('nothing is written');
  const key = said(run, ANSWER);
  return key === undefined ? run.unknown('The answer’s length is not given.') : run.at(key, run.count(key));
}

const DTYPES = oneOf<'bf16' | 'fp16' | 'fp32'>({ bf16: 'bf16', fp16: 'fp16', fp32: 'fp32' });
const DTYPE: Names = ['ds.param_dtype', 'param_dtype'];

export function precision(run: RunReader): Quantity<string> {
  const key = said(run, DTYPE);
  if (key !== undefined) return run.at(key, run.read(key, DTYPES));
  if (run.flag('bf16') === true) return run.at('bf16', 'bf16');
  return run.atLeast('0.10.0')
    ? run.byDefault('bf16', `${CLI}: param_dtype is bf16`)
    : run.unknown('Whether the release computes in bf16 without --bf16, its number would say.');
}

export function loadDtype(run: RunReader): Quantity<Dtype> {
  const compute = run.get('precision').value;
  return compute === 'bf16' || compute === 'fp16' || compute === 'fp32'
    ? run.derived<Dtype>(compute, ['precision'], 'DeepSpeed holds weights in the compute dtype')
    : run.unknown('The precision is not known.');
}

const HOST: Names = ['ds.adam_offload', 'adam_offload'];

export function optimizer(run: RunReader): Quantity<string> {
  const key = said(run, ['optim', 'actor.optim']);
  if (key !== undefined && run.word(key) !== 'adam') return run.at(key, run.word(key));
  const onHost = HOST.find(one => run.flag(one) === true);
  return onHost === undefined
    ? run.byDefault('FusedAdam', 'openrlhf/utils/deepspeed/deepspeed.py: FusedAdam')
    : run.at(onHost, 'DeepSpeedCPUAdam');
}

export function offload(run: RunReader): Quantity<OffloadSettings> {
  const key = HOST.find(one => run.flag(one) === true);
  return key === undefined
    ? run.byDefault({ param: 'none', optimizer: 'none' }, `${CLI}: adam_offload is off`)
    : run.at(key, { param: 'none', optimizer: 'cpu' });
}

const CHECKPOINTING: Names = [
  'model.gradient_checkpointing_enable',
  'actor.gradient_checkpointing_enable',
  'gradient_checkpointing',
];
export const checkpointing = switchedOn(CHECKPOINTING, `${CLI}: gradient checkpointing is off`);

export function attention(run: RunReader): Quantity<string> {
  const key = said(run, ['ds.attn_implementation', 'attn_implementation']);
  if (key !== undefined) return run.at(key, run.word(key));
  if (run.flag('flash_attn') === true) return run.at('flash_attn', 'flash_attention_2');
  return run.atLeast('0.10.0')
    ? run.byDefault('flash_attention_2', `${CLI}: attn_implementation is flash_attention_2`)
    : run.unknown('Releases differ in what they choose without --attn_implementation.');
}

const STAGES = oneOf<0 | 1 | 2 | 3>({ 0: 0, 1: 1, 2: 2, 3: 3 });

export function stage(run: RunReader): Quantity<0 | 1 | 2 | 3> {
  const key = said(run, ['ds.zero_stage', 'zero_stage']);
  return key === undefined
    ? run.byDefault<0 | 1 | 2 | 3>(2, `${CLI}: zero_stage is 2`)
    : run.at(key, run.read(key, STAGES));
}

export function parallel(run: RunReader): Quantity<ParallelSettings> {
  const names = [
    ['ds.tensor_parallel_size', 'ds_tensor_parallel_size'],
    ['ds.ring_attn_size', 'ring_attn_size'],
  ];
  const [tensor = 1, context = 1] = names.map(keys => counted(run, keys) ?? 1);
  const keys = names.flat().filter(key => run.has(key));
  return keys.length === 0
    ? run.none(`${CLI}: both sizes are 1`)
    : run.at(keys, { tensor, context, pipeline: 1, expert: 1, dataShard: null, dataReplicate: null });
}

/** PPO's actor has GPUs of its own in Ray's cluster; other programs are started by a launcher. */
export function devices(run: RunReader): Quantity<number | 'auto'> {
  if (!isOnline(run)) return run.byDefault('auto', 'deepspeed/launcher/runner.py: all GPUs of the machine');
  const key = said(run, ['actor.num_gpus_per_node', 'actor_num_gpus_per_node']);
  return key === undefined
    ? run.byDefault(8, `${CLI}/train_ppo_ray.py: actor.num_gpus_per_node is 8`)
    : run.at(key, run.count(key));
}

export function nodes(run: RunReader): Quantity<number> {
  const key = isOnline(run) ? said(run, ['actor.num_nodes', 'actor_num_nodes']) : undefined;
  return key === undefined
    ? run.byDefault(
        1,
        isOnline(run) ? `${CLI}/train_ppo_ray.py: actor.num_nodes is 1` : 'deepspeed: one machine',
      )
    : run.at(key, run.count(key));
}

const COMPARES = new Set(['dpo', 'kto']);

/** A frozen copy that the loss compares with; PPO's stands among GPUs of its own, or shares the actor's. */
export function referenceModel(run: RunReader): Quantity<boolean> {
  const kind = run.get('task').value;
  if (kind === null) return run.unknown('The task is not known.');
  if (COMPARES.has(kind)) return run.derived(true, ['task'], `${kind}: a frozen copy is loaded`);
  if (!isOnline(run)) return run.derived(false, ['task'], `${kind}: nothing to compare with`);
  const shared = [
    'train.colocate_all',
    'train.colocate_actor_ref',
    'colocate_all_models',
    'colocate_actor_ref',
  ];
  const key = shared.find(one => run.flag(one) === true);
  return key === undefined
    ? run.byDefault(false, `${CLI}/train_ppo_ray.py: the reference has GPUs of its own`)
    : run.at(key, true);
}

/** The engine gives its memory back while the actor trains only with `enable_sleep`, and has GPUs of its own unless colocated. */
export function engineShare(run: RunReader): Quantity<number> {
  const together = ['train.colocate_all', 'colocate_all_models'].find(key => run.flag(key) === true);
  const sleeps = ['vllm.enable_sleep', 'vllm_enable_sleep'].some(key => run.flag(key) === true);
  if (!isOnline(run) || together === undefined || sleeps) return run.none('no engine beside training');
  const key = said(run, ['vllm.gpu_memory_utilization', 'vllm_gpu_memory_utilization']);
  return key === undefined
    ? run.byDefault(0.95, `${CLI}/train_ppo_ray.py: gpu_memory_utilization is 0.95`)
    : run.at(key, run.read(key, number));
}
