import type { Report, Rule } from './rule';
import { AXOLOTL } from './rule';
import { isOff, numberOf, textOf } from './raw';
import type { Keys } from './raw';
import { setKey } from './when';
import type { Say } from '../text/say';

export const axolotlGrpoGroups: Rule = {
  id: 'axolotl-grpo-groups',
  severity: 'error',
  summary: 'GRPO: the generation batch does not hold whole groups of completions.',
  sources: ['axolotl 0.18 utils/schemas/validation.py check_grpo_batch_size_divisibility'],
  dialects: AXOLOTL,
  check(context) {
    const group = numberOf(context, 'trl.num_generations');
    if (textOf(context, 'rl') !== 'grpo' || group === null) return [];
    if (group < 2) return [tooFew(context.say, group)];
    const batch = generationBatch(context);
    return batch === null || batch.size % group === 0 ? [] : [notWhole(context.say, batch, group)];
  },
};

interface Batch {
  readonly size: number;
  readonly from: string;
  /** Micro batch, if the size is its product with the accumulation. */
  readonly micro: number | null;
}

/** Completions per GPU and optimizer step, or what the config states instead. */
function generationBatch(keys: Keys): Batch | null {
  const stated = numberOf(keys, 'trl.generation_batch_size');
  if (stated !== null) return { size: stated, from: 'trl.generation_batch_size', micro: null };
  const micro = orOne(keys, 'micro_batch_size');
  const accumulation = orOne(keys, 'gradient_accumulation_steps');
  if (micro === null || accumulation === null || !isOff(keys, 'trl.generation_batch_size')) return null;
  return { size: micro * accumulation, from: `${micro} × ${accumulation}`, micro };
}

const orOne = (keys: Keys, path: string): number | null => (isOff(keys, path) ? 1 : numberOf(keys, path));

function tooFew(say: Say, group: number): Report {
  const message = say(
    'Axolotl rejects `num_generations: {0}`: with one completion per prompt there is nothing to compare. Use at least 2.',
    group,
  );
  return { at: ['trl.num_generations'], message };
}

function notWhole(say: Say, { size, from, micro }: Batch, group: number): Report {
  const message = say(
    'Axolotl rejects {0} completions per generation batch: not a multiple of {1}. It comes from {2}: make it a multiple of num_generations.',
    size,
    group,
    from,
  );
  const at = ['trl.num_generations', 'rl'];
  if (micro === null) return { at, message };
  return {
    at,
    message,
    remedies: [setKey('gradient_accumulation_steps', group / commonDivisor(group, micro))],
  };
}

const commonDivisor = (a: number, b: number): number => (b === 0 ? a : commonDivisor(b, a % b));
