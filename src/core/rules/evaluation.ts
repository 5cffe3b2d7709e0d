import { isOff, numberOf, textOf } from './raw';
import { AXOLOTL } from './rule';
import type { Rule, RuleContext } from './rule';
import { off, quoted, setKey, when } from './when';

export const evalBatchLarger: Rule = {
  id: 'eval-batch-larger',
  severity: 'information',
  summary: 'Evaluation uses a larger batch than training.',
  sources: [
    'axolotl 0.18 utils/schemas/validation.py hint_eval_train_mbsz: “eval_batch_size != micro_batch_size. This can lead to VRAM instability.”',
  ],
  dialects: AXOLOTL,
  check(context) {
    const micro = numberOf(context, 'micro_batch_size');
    const evaluation = numberOf(context, 'eval_batch_size');
    if (micro === null || evaluation === null || evaluation <= micro) return [];
    const message = context.say(
      '{0} is larger than {1}: evaluation can run out of memory. It keeps the logits of all its rows, and runs after hours of training. Remove it to use the training batch size.',
      quoted(context, 'eval_batch_size'),
      quoted(context, 'micro_batch_size'),
    );
    return [{ at: ['eval_batch_size'], message, remedies: [setKey('eval_batch_size', micro)] }];
  },
};

export const evalPredictionsOnGpu: Rule = {
  id: 'eval-predictions-on-gpu',
  severity: 'hint',
  summary: 'With metrics, evaluation keeps all predictions on the GPU.',
  sources: [
    'transformers 5.18 training_args.py eval_accumulation_steps: “If left unset, the whole predictions are accumulated on the device”',
    'trainer.py evaluate: prediction_loss_only when there is no compute_metrics',
  ],
  dialects: ['hf-trainer'],
  check: when([evaluates, off('eval_accumulation_steps', 'prediction_loss_only')], (_, { say }) => ({
    at: ['eval_strategy', 'evaluation_strategy', 'do_eval'],
    message: say(
      'Evaluation can run out of memory: with metrics it keeps all predictions on the GPU. Set eval_accumulation_steps (such as 8) to move them to the CPU regularly.',
    ),
  })),
};

function evaluates(context: RuleContext): boolean {
  const strategy = textOf(context, 'eval_strategy') ?? textOf(context, 'evaluation_strategy');
  if (strategy !== null) return strategy === 'steps' || strategy === 'epoch';
  return (
    !isOff(context, 'do_eval') && isOff(context, 'eval_strategy') && isOff(context, 'evaluation_strategy')
  );
}
