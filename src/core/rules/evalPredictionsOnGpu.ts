import type { Rule, RuleContext } from './rule';
import { isOff, textOf } from './raw';
import { off, when } from './when';

export const evalPredictionsOnGpu: Rule = {
  id: 'eval-predictions-on-gpu',
  severity: 'hint',
  summary: 'With metrics, evaluation keeps all predictions on the GPU.',
  sources: [
    'transformers 5.18 training_args.py eval_accumulation_steps: “If left unset, the whole predictions are accumulated on the device”',
    'trainer.py evaluate: prediction_loss_only when there is no compute_metrics',
  ],
  dialects: ['hf-trainer'],
  check: when([evaluates, off('eval_accumulation_steps', 'prediction_loss_only')], () => ({
    at: ['eval_strategy', 'evaluation_strategy', 'do_eval'],
    message:
      'If the script computes metrics, evaluation keeps the predictions of the whole evaluation set on the GPU and can run out of memory after training went well. ' +
      'Set eval_accumulation_steps (such as 8) to move them to the CPU regularly.',
  })),
};

function evaluates(context: RuleContext): boolean {
  const strategy = textOf(context, 'eval_strategy') ?? textOf(context, 'evaluation_strategy');
  if (strategy !== null) return strategy === 'steps' || strategy === 'epoch';
  return (
    !isOff(context, 'do_eval') && isOff(context, 'eval_strategy') && isOff(context, 'evaluation_strategy')
  );
}
