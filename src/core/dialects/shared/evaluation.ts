import type { Quantity } from '../../spec/quantity';
import type { RunReader } from '../engine/runReader';

const STRATEGIES = ['eval_strategy', 'evaluation_strategy'] as const;

/** True if transformers' Trainer evaluates during training. */
export function evaluatesByStrategy(run: RunReader): Quantity<boolean> {
  for (const key of STRATEGIES) {
    const strategy = run.word(key);
    if (strategy !== null) return run.at(key, strategy !== 'no');
  }
  const requested = run.flag('do_eval');
  if (requested !== null) return run.at('do_eval', requested, 'the script decides when');
  return run.byDefault(false, 'transformers training_args.py: eval_strategy is "no"');
}

/**
 * Axolotl evaluates if there is evaluation data, by steps or by epochs (core/builders/base.py): `eval_steps` wins
 * over `eval_strategy`.
 */
export function evaluatesWithData(run: RunReader): Quantity<boolean> {
  const part = run.value('val_set_size');
  const sets = ['test_datasets', 'val_set_size'];
  const hasData = run.has('test_datasets') || (typeof part === 'number' && part > 0);
  if (!hasData) return run.byDefault(false, 'axolotl schemas/config.py: val_set_size is 0');
  if (!run.has('eval_steps') && run.word('eval_strategy') === 'no') {
    return run.at('eval_strategy', false);
  }
  return run.at(sets, true);
}
