import { builtIn } from './defined/compile';
import file from './graphgym.yaml';
import type { Dialect } from './dialect';
import { effectiveOfMicro } from './shared/toolkit';
import type { Quantity } from '../spec/quantity';
import type { RunReader } from './engine/runReader';

const CONFIG = 'graphgym/config.py';

function task(run: RunReader): Quantity<string> {
  const [level, type] = [run.word('dataset.task'), run.word('dataset.task_type')];
  if (level === null || type === null) return run.unknown('dataset.task and dataset.task_type say it.');
  const kind = type.startsWith('classification') ? 'classification' : type;
  return run.derived(`${level}_${kind}`, ['dataset.task', 'dataset.task_type'], 'what is predicted, and how');
}

/** GraphGym and GraphGPS; sources are files of snap-stanford/GraphGym daded21 and rampasek/GraphGPS 2801570. */
export const graphgym: Dialect = builtIn(file, {
  quantities: {
    task,
    microBatchSize: {
      absent: run => run.inUnit('graphs', run.byDefault(16, `${CONFIG} L242: train.batch_size is 16`)),
    },
    effectiveBatch: effectiveOfMicro,
    accelerator: run => {
      const key = ['accelerator', 'device'].find(name => run.has(name));
      if (key === undefined) return run.byDefault('auto', `${CONFIG} L39: device is auto`);
      return run.at(key, run.word(key)?.replace(/:\d+$/, '') ?? null);
    },
  },
});
