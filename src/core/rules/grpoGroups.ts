import { isUnknown } from '../spec/quantity';
import type { RunSpec } from '../spec/runSpec';
import type { Rule, RuleContext } from './rule';
import { TRL } from './rule';
import { isOff, numberOf } from './raw';
import { gpusText } from '../hardware/describe';

/** The default of num_generations. */
const DEFAULT_GROUP = 8;

export const grpoGroups: Rule = {
  id: 'grpo-groups',
  severity: 'error',
  summary: 'GRPO: the generation batch does not hold whole groups of completions.',
  sources: ['trl 1.13 trainer/grpo_config.py __post_init__: generation_batch_size % num_generations'],
  dialects: TRL,
  check(context) {
    const { run } = context;
    if (run.quantities.task.value !== 'grpo') return [];
    const group = isOff(context, 'num_generations') ? DEFAULT_GROUP : numberOf(context, 'num_generations');
    const batch = generationBatch(context, run);
    if (group === null || batch === null || batch.size % group === 0) return [];
    const message = context.say(
      'TRL rejects {0} completions per generation batch: not a multiple of {1} (num_generations). It comes from {2}; per_device_train_batch_size counts completions, not prompts.',
      batch.size,
      group,
      batch.from,
    );
    return [{ at: ['num_generations', 'quantity:microBatchSize'], message }];
  },
};

/** Completions generated at once over all GPUs; null if the number of GPUs is unknown. */
function generationBatch({ say, ...keys }: RuleContext, run: RunSpec): { size: number; from: string } | null {
  const stated = numberOf(keys, 'generation_batch_size');
  if (stated !== null) return { size: stated, from: 'generation_batch_size' };
  const { microBatchSize, gradAccum, gpus } = run.quantities;
  const steps = isOff(keys, 'steps_per_generation')
    ? gradAccum.value
    : numberOf(keys, 'steps_per_generation');
  const micro = microBatchSize.value;
  if (micro === null || steps === null || gpus.value === null || isUnknown(gpus)) return null;
  // With a vLLM server, some of the GPUs do not train.
  if (!isOff(keys, 'use_vllm')) return null;
  return { size: micro * gpus.value * steps, from: `${micro} × ${gpusText(say, gpus.value)} × ${steps}` };
}
