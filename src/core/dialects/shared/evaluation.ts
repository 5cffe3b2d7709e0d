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
