import type { Quantity } from '../../spec/quantity';
import type { Pack, PackRule } from '../dialect';
import type { RunReader } from '../engine/runReader';
import { trainingArguments } from '../shared/trainingArguments';

const SCRIPT = 'chronos-forecasting scripts/training/train.py';

/** What the script takes where no key of the Trainer's says it. */
const unlessStated =
  <T>(
    { keys }: { readonly keys: readonly string[] },
    instead: (run: RunReader) => Quantity<T>,
  ): PackRule<T> =>
  run =>
    keys.some(key => run.has(key)) ? null : instead(run);

/** Forecasts of time series: the script takes keys of its own and makes transformers' TrainingArguments of them. */
export const chronos: Pack = {
  id: 'chronos',
  project: 'amazon-science/chronos-forecasting 95185d1',
  extends: ['hf-trainer'],
  evidence: { keys: ['training_data_paths'] },
  quantities: {
    task: run => (run.has('task') ? null : run.byCode('time_series_pretrain', SCRIPT)),
    microBatchSize: unlessStated(trainingArguments.microBatchSize, run =>
      run.byDefault(32, `${SCRIPT} L515`),
    ),
    gradAccum: unlessStated(trainingArguments.gradAccum, run => run.byDefault(2, `${SCRIPT} L519`)),
    evalBatchSize: unlessStated(trainingArguments.evalBatchSize, run =>
      run.none(`${SCRIPT}: nothing is evaluated`),
    ),
  },
};
