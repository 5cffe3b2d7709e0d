import { builtIn } from './defined/compile';
import file from './diffsinger.yaml';
import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import type { RunReader } from './engine/runReader';
import { withBases } from './engine/bases';
import { lightningDevices, lightningPrecision } from './shared/lightning';
import { counted, effectiveOfMicro } from './shared/toolkit';

function task(run: RunReader): Quantity<string> {
  const name = run.word('task_cls');
  if (name === null) return run.byCode('singing_synthesis', 'DiffSinger synthesises singing');
  return run.at('task_cls', /variance/i.test(name) ? 'singing_variance' : 'singing_synthesis');
}

/** DiffSinger's configs; sources are files of openvpi/DiffSinger 753b7cc. */
export const diffsinger: Dialect = builtIn(file, {
  quantities: {
    task,
    microBatchSize: run =>
      counted(run, 'max_batch_frames', 'frames') ??
      run.unknown('max_batch_frames is not set here or beneath.'),
    evalBatchSize: run =>
      counted(run, 'max_val_batch_frames', 'frames') ??
      run.unknown('max_val_batch_frames is not set here or beneath.'),
    effectiveBatch: effectiveOfMicro,
    precision: { read: lightningPrecision },
    devices: { read: lightningDevices },
  },
  details: {
    autocast: run =>
      run.derived(
        run.get('precision').value?.endsWith('-mixed') ?? false,
        ['precision'],
        'Lightning autocasts',
      ),
  },
  compose: withBases({ keys: ['base_config'] }),
});
