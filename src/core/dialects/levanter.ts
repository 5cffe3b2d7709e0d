import { builtIn } from './defined/compile';
import file from './levanter.yaml';
import type { Dialect } from './dialect';
import { count } from './engine/readers';
import { levanterModel } from './levanter/ownModel';
import { loadDtype, microBatch, precision } from './levanter/rules';
import { levanterWriters } from './levanter/writers';

/** levanter, on JAX; sources are files of stanford-crfm/levanter 9263f81. */
export const levanter: Dialect = builtIn(file, {
  quantities: {
    microBatchSize: microBatch,
    gradAccum: run => {
      const [total, micro] = [run.get('globalBatchSize').value, run.get('microBatchSize').value];
      const gpus = run.get('gpus').value;
      if (total === null || micro === null || gpus === null) {
        return run.unknown(
          'Batches of a step ÷ (per_device_parallelism × devices), whose number is not in the file.',
        );
      }
      return run.derived(
        Math.ceil(total / (micro * gpus)),
        ['globalBatchSize'],
        `${total} ÷ (${micro} × ${gpus})`,
      );
    },
    evalBatchSize: {
      read: value => (value === -1 ? { left: 'is -1: the batch divided by the devices' } : count(value)),
    },
    precision,
    precisionRaw: run =>
      run.has('trainer.mp')
        ? run.at('trainer.mp', `mp: ${run.word('trainer.mp') ?? ''}`)
        : run.unknown('trainer.mp is not set.'),
    loadDtype,
    optimizer: {
      absent: run =>
        run.has('optimizer')
          ? run.byDefault('adam', 'levanter/optim/config.py: AdamConfig')
          : run.unknown('optimizer is not set.'),
    },
  },
  writers: levanterWriters,
  ownModel: levanterModel,
});
