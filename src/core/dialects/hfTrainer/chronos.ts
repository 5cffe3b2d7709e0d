import type { Quantity } from '../../spec/quantity';
import type { QuantityName, QuantityValues } from '../../spec/values';
import type { Row, Rule } from '../dialect';
import type { RunReader } from '../engine/runReader';
import { trainingArguments } from '../shared/trainingArguments';

/** amazon-science/chronos-forecasting 95185d1: its script takes its own keys and makes the TrainingArguments. */
export const CHRONOS = 'chronos-forecasting scripts/training/train.py';

export const isChronos = (run: RunReader): boolean =>
  run.has('training_data_paths') && run.has('prediction_length');

/** A row of the Trainer's, with what the script of Chronos does instead when no key says it. */
function unlessChronos<Name extends QuantityName>(
  row: Row<QuantityValues[Name]>,
  instead: (run: RunReader) => Quantity<QuantityValues[Name]>,
): Row<QuantityValues[Name]> {
  const { absent } = row;
  if (absent === undefined || typeof absent === 'function') return row;
  const [{ value, source }] = [absent].flat() as [{ value: QuantityValues[Name] | null; source: string }];
  const rule: Rule<QuantityValues[Name]> = run =>
    isChronos(run) ? instead(run) : run.byDefault(value, source);
  return { ...row, absent: rule };
}

/** Rows in which Chronos' script has defaults of its own. */
export const chronosRows = {
  microBatchSize: unlessChronos<'microBatchSize'>(trainingArguments.microBatchSize, run =>
    run.byDefault(32, `${CHRONOS} L515`),
  ),
  gradAccum: unlessChronos<'gradAccum'>(trainingArguments.gradAccum, run =>
    run.byDefault(2, `${CHRONOS} L519`),
  ),
  evalBatchSize: unlessChronos<'evalBatchSize'>(trainingArguments.evalBatchSize, run =>
    run.none(`${CHRONOS}: nothing is evaluated`),
  ),
};
