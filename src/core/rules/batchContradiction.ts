import { isUnknown } from '../spec/quantity';
import type { Quantity } from '../spec/quantity';
import type { Rule } from './rule';

export const batchContradiction: Rule = {
  id: 'batch-contradiction',
  severity: 'warning',
  summary: 'Micro-batch size × accumulation × GPUs differs from the global batch size.',
  sources: ['deepspeed 0.19 runtime/config.py _batch_assertion: train = micro × accumulation × world size'],
  check({ run }) {
    const { microBatchSize, gradAccum, gpus, globalBatchSize, parallel } = run.quantities;
    const micro = asWritten(microBatchSize);
    const accumulation = asWritten(gradAccum);
    const devices = gpus.origin.kind === 'user' ? gpus.value : asWritten(gpus);
    const global = asWritten(globalBatchSize);
    if (micro === null || accumulation === null || devices === null || global === null) return [];
    if (isUnknown(parallel)) return [];
    const { tensor = 1, context = 1, pipeline = 1 } = parallel.value ?? {};
    const shared = tensor * context * pipeline;
    const product = (micro * accumulation * devices) / shared;
    if (product === global) return [];
    const message =
      `${micro} × ${accumulation} × ${devices} GPUs${shared > 1 ? ` ÷ ${shared}` : ''} = ${product}, but the global batch is ` +
      `set to ${global}. Change one of them: which one wins depends on the program.`;
    return [{ at: ['quantity:globalBatchSize', 'quantity:microBatchSize'], message }];
  },
};

/** A value that some file states: defaults and guesses contradict nothing. */
function asWritten(quantity: Quantity<number>): number | null {
  const kind = quantity.origin.kind;
  return kind === 'file' || kind === 'referenced' ? quantity.value : null;
}
