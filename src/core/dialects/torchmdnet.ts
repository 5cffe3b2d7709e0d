import { builtIn } from './defined/compile';
import file from './torchmdnet.yaml';
import type { Dialect } from './dialect';
import { count } from './engine/readers';
import { lightningPrecision } from './shared/lightning';
import { effectiveOfMicro } from './shared/toolkit';

const TRAIN = 'torchmdnet/scripts/train.py';

/** TorchMD-NET's configs; sources are files of torchmd/torchmd-net 833c077. */
export const torchmdnet: Dialect = builtIn(file, {
  quantities: {
    task: run =>
      run.flag('derivative')
        ? run.at('derivative', 'force_field')
        : run.byDefault('graph_regression', `${TRAIN}: derivative is False`),
    evalBatchSize: {
      absent: run =>
        run.derived(run.get('microBatchSize').value, ['microBatchSize'], `${TRAIN} L149: as in training`),
    },
    effectiveBatch: effectiveOfMicro,
    precision: { read: lightningPrecision },
    precisionRaw: {
      read: value => (value === null || typeof value === 'object' ? null : { ok: String(value) }),
    },
    devices: { read: value => (value === -1 ? { ok: 'auto' } : count(value)) },
  },
});
