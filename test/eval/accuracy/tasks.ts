import type { Method } from '../../../src/core/spec/values';
import type { PublishedRecord } from './publishedRecord';
import type { StatedQuantities } from './stated';

const TASKS: readonly (readonly [RegExp, string])[] = [
  [/^(?:full-finetune|lora|qlora|freeze|peft-other|adapter \(peft-other\))$/, 'sft'],
  [/^pretrain$/, 'pretrain'],
  [/^loss-kernel/, 'sft'],
  [/^inference$/, 'infer'],
  [/^embedding$/, 'embed'],
  [/^model-load$/, 'load'],
  [/^encoder-train/, 'embedding'],
  [/^vision-(?:cnn-)?train/, 'image_classification'],
  [/^vision-inference/, 'infer'],
  [/^vision-detection-train/, 'object_detection'],
  [/^vision-segmentation-train/, 'segmentation'],
  [/-dpo$/, 'dpo'],
  [/-grpo$/, 'grpo'],
  [/^diffusion-(?:lora|full-finetune|peft-other)$/, 'denoising'],
];

/** A task as the value of the canonical quantity. */
export const taskOf = (task: string): string => TASKS.find(([pattern]) => pattern.test(task))?.[1] ?? task;

export function methodOf(task: string): Method {
  if (/^adapter|^peft-other$|^diffusion-(?:lora|peft-other)$/.test(task)) return 'lora';
  return task.startsWith('qlora') ? 'qlora' : task.startsWith('lora') ? 'lora' : 'full';
}

/** The loss that the record names. */
export function lossOf(record: PublishedRecord): StatedQuantities {
  const { framework, extra } = record;
  const kernels = typeof extra?.['framework_config'] === 'string' ? extra['framework_config'] : '';
  // NeMo Automodel's FusedLinearCrossEntropy is cut cross entropy (components/loss/linear_ce.py).
  const isCut = cutsCrossEntropy(extra) || extra?.['fused_linear_ce'] === true;
  if (isCut) return { loss: 'cut_cross_entropy' };
  if (usesLiger(extra) || /liger/i.test(framework) || kernels.endsWith('liger')) return { loss: 'liger' };
  if (extra?.['chunked_ce'] === true) return { loss: 'chunked' };
  return kernels.includes('foak') ? { loss: 'unsloth_cross_entropy' } : {};
}

/** A plug-in that the adjacent file does not name (any more) was not used. */
function cutsCrossEntropy(extra: PublishedRecord['extra']): boolean {
  const flags = extra?.['yaml_flags'];
  const names = typeof flags !== 'object' || flags === null || 'plugins' in flags;
  return extra?.['cce_plugin'] === true && names;
}

/**
 * Forward and backward without a loss, `logits.sum().backward()`: no config requests it, so it gets no estimate.
 */
export const sumsLogits = ({ task, assumptions }: PublishedRecord): boolean =>
  task.startsWith('fwd+bwd') || (assumptions?.some(words => words.includes('sum(logits)')) ?? false);

export const usesLiger = (extra: PublishedRecord['extra']): boolean =>
  extra?.['liger'] === true || extra?.['liger_plugin'] === true;
