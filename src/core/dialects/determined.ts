import type { Dialect } from './dialect';
import { accumulationFromGlobal, shareOfGlobal } from './engine/common';
import { count } from './engine/readers';
import type { ReadResult } from './engine/readers';
import type { Plain } from '../yaml/scalars';

/** A hyperparameter: a number, or a space of them, of which the largest is the worst case. */
function largest(value: Plain): ReadResult<number> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return count(value);
  const space = value as Readonly<Record<string, Plain>>;
  const values = space['vals'];
  if (!Array.isArray(values)) return count(space['val'] ?? space['maxval'] ?? null);
  const numbers = (values as readonly Plain[]).filter(one => typeof one === 'number');
  return numbers.length > 0 ? { ok: Math.max(...numbers) } : { unfit: 'has no number among its values' };
}

/** Determined's experiments; determined-ai/determined-examples b348d4f. */
export const determined: Dialect = {
  id: 'determined',
  title: 'Determined',
  role: 'run',
  framework: { name: 'determined', version: '0.38.0' },
  loader: 'pyyaml',
  signature: {
    strong: ['searcher.metric', 'searcher.name', 'hyperparameters.global_batch_size'],
    medium: [
      'entrypoint',
      'resources.slots_per_trial',
      'records_per_epoch',
      'hyperparameters',
      'environment.image',
    ],
    weak: ['name', 'max_restarts', 'min_validation_period'],
    against: ['apiVersion', 'services'],
    needs: ['searcher'],
    least: 8,
  },
  quantities: {
    model: run => run.unknown('The trial’s class decides the model.'),
    task: run => run.unknown('The trial’s class decides the task.'),
    globalBatchSize: { keys: ['hyperparameters.global_batch_size'], read: largest },
    microBatchSize: run => {
      const total = run.read('hyperparameters.global_batch_size', largest);
      if (total === null) return run.unknown('hyperparameters.global_batch_size is not set.');
      return shareOfGlobal(run, run.at('hyperparameters.global_batch_size', total));
    },
    gradAccum: {
      keys: ['optimizations.aggregation_frequency'],
      read: count,
      absent: run =>
        run.has('hyperparameters.global_batch_size')
          ? run.byDefault(1, 'determined docs, optimizations: aggregation_frequency')
          : accumulationFromGlobal(run),
    },
    precision: run => run.byDefault('fp32', 'determined: mixed precision is the trial’s own code'),
    devices: {
      keys: ['resources.slots_per_trial'],
      read: count,
      absent: { value: 1, source: 'determined docs, resources: slots_per_trial' },
    },
    gpus: run => {
      const { value } = run.get('devices');
      return typeof value === 'number'
        ? run.derived(value, ['devices'], 'slots of a trial')
        : run.unknown('resources.slots_per_trial is not known.');
    },
    accelerator: run => run.byCode('cuda', 'a slot is a GPU'),
  },
  launch: [
    {
      argv: ['det', 'experiment', 'create', '{config}', '.'],
      handsTo: 'Determined',
      source: 'determined docs, reference/cli',
    },
  ],
  help: {
    'hyperparameters.global_batch_size': {
      text: 'Samples of a step over all slots: each GPU gets this divided by `resources.slots_per_trial`.',
    },
    'resources.slots_per_trial': {
      text: 'GPUs of a trial. More of them make each one’s share of the batch smaller.',
      byDefault: '1',
    },
    'optimizations.aggregation_frequency': {
      text: 'Micro batches added up before the optimizer steps.',
      byDefault: '1',
    },
  },
};
