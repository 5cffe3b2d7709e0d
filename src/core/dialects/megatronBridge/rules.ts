import type { Quantity } from '../../spec/quantity';
import type { LoraSettings, Method, OffloadSettings, ParallelSettings } from '../../spec/values';
import { number } from '../engine/readers';
import type { RunReader } from '../engine/runReader';

const RECIPE = 'The Python recipe says it, and this file only lays over it.';

/** What is loaded, or trained in its place, tells fine-tuning; the path tells pretraining. */
export function task(run: RunReader): Quantity<string> {
  const loads = ['peft', 'checkpoint.pretrained_checkpoint', 'checkpoint.finetune'].find(key => run.has(key));
  const named = (pattern: RegExp): boolean => run.pathWords.some(part => pattern.test(part));
  if (named(/distill/)) return run.derived('distillation', ['path'], 'the name of the file');
  if (loads !== undefined) return run.derived('sft', [loads], `${loads} is where training begins`);
  if (named(/pretrain/)) return run.derived('pretrain', ['path'], 'the name of the file');
  return named(/finetune|sft/) ? run.derived('sft', ['path'], 'the name of the file') : run.unknown(RECIPE);
}

export function method(run: RunReader): Quantity<Method> {
  if (run.has('peft')) return run.at<Method>('peft', 'lora');
  const task = run.get('task').value;
  return task === 'pretrain' ? run.derived<Method>('full', ['task'], 'pretraining') : run.unknown(RECIPE);
}

/** peft/lora.py: 32, 32, and the four linears of a layer. */
export function lora(run: RunReader): Quantity<LoraSettings> {
  if (!run.has('peft')) return run.none('no peft section');
  return run.at(['peft.dim', 'peft'], {
    r: run.has('peft.dim') ? run.count('peft.dim') : 32,
    alpha: run.read('peft.alpha', number) ?? 32,
    dropout: run.read('peft.dropout', number) ?? 0,
    targets: run.words('peft.target_modules') ?? 'all-linear',
    modulesToSave: [],
    rslora: false,
    dora: false,
  });
}

/** bf16_mixed, fp16_mixed, bf16_with_fp8_… (training/mixed_precision.py). */
export function precision(run: RunReader): Quantity<string> {
  const name = run.word('mixed_precision');
  if (name === null) {
    return run.byDefault('bf16', 'training/mixed_precision.py L185-197: recipes are bf16_mixed');
  }
  if (/fp8|nvfp4|mxfp8/.test(name)) return run.at('mixed_precision', 'fp8');
  const [dtype] = name.split(/[_-]/);
  return dtype === 'bf16' || dtype === 'fp16'
    ? run.at('mixed_precision', dtype)
    : run.unknown(`mixed_precision: ${name} is not one of its recipes.`);
}

const GRANULARITY = 'model.recompute_granularity';

export function checkpointing(run: RunReader): Quantity<boolean> {
  if (run.has(GRANULARITY)) return run.at(GRANULARITY, true);
  if (run.isNull(GRANULARITY)) return run.at(GRANULARITY, false);
  return run.byDefault(false, 'recipes: recompute_granularity is None');
}

export function offload(run: RunReader): Quantity<OffloadSettings> {
  const key = 'optimizer.optimizer_cpu_offload';
  if (run.flag(key) !== true) return run.none('optimizer_cpu_offload is False');
  return run.at(key, { param: 'none', optimizer: 'cpu' });
}

export function parallel(run: RunReader): Quantity<ParallelSettings> {
  const names = ['tensor_model', 'context', 'pipeline_model', 'expert_model'];
  const keys = names.map(name => `model.${name}_parallel_size`);
  if (!run.has('model.tensor_model_parallel_size')) return run.unknown(RECIPE);
  const [tensor, context, pipeline, expert] = keys.map(key => (run.has(key) ? run.count(key) : null));
  return run.at(keys, {
    tensor: tensor ?? 1,
    context: context ?? 1,
    pipeline: pipeline ?? 1,
    expert: expert ?? 1,
    dataShard: null,
    dataReplicate: null,
  });
}
