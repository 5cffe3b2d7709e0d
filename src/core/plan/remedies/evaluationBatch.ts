import type { Remedy, RemedyContext } from '../remedy';
import { template } from '../../text/say';

/** A smaller evaluation batch if evaluation is what does not fit. */
export const evaluationBatch: Remedy = {
  id: 'evaluation-batch',
  label: template('a smaller evaluation batch'),
  outsideSpeedModel: true,
  sources: [
    'transformers 5.23 training_args.py: per_device_eval_batch_size is 8, whatever the micro batch',
    'trainer.py prediction_step: logits of all rows are there at once',
  ],
  less: context => {
    const { value, origin } = context.run.quantities.evalBatchSize;
    // A batch that is derived from the micro batch changes with it.
    if (value === null || origin.kind === 'derived' || !evaluationIsLarge(context)) return [];
    const sizes = [Math.ceil(value / 2), Math.ceil(value / 4), 1].filter(size => size < value);
    return [...new Set(sizes)].map(to => ({
      changes: [{ quantity: 'evalBatchSize', to }],
      sizes: [to / value],
      price: { time: 1, speed: context.say('evaluation takes more steps'), quality: null },
    }));
  },
};

/** True if evaluation is the peak, or would not fit by itself. */
function evaluationIsLarge({ estimate }: RemedyContext): boolean {
  const device = estimate?.devices[0];
  const evaluation = device?.phases.find(({ phase }) => phase === 'evaluation');
  if (!device || !evaluation) return false;
  return device.peakPhase === 'evaluation' || evaluation.bytes > (device.usableBytes ?? Infinity);
}
