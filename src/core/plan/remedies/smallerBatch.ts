import { editsFor } from '../../dialects/write';
import type { RunSpec } from '../../spec/runSpec';
import { isLinear, learningRateOf, rateOf, shown } from '../learningRate';
import type { Change } from '../../spec/change';
import type { Remedy } from '../remedy';
import { template } from '../../text/say';

/** For programs that step after every batch: fewer samples per step, with a smaller learning rate. */
export const smallerBatch: Remedy = {
  id: 'smaller-batch',
  label: template('a smaller effective batch'),
  changesTask: true,
  sources: [
    'Goyal et al., arXiv 1706.02677: the linear rule; detectron2 engine/defaults.py auto_scale_workers follows it',
    'Malladi et al., arXiv 2205.10782: the square root for Adam',
  ],
  less: ({ run, samplesPerGpu, say }) => {
    const { task, gradAccum } = run.quantities;
    const infers = task.value === 'infer' || task.value === 'embed' || task.value === 'load';
    if (infers || samplesPerGpu !== null || gradAccum.value !== 1 || accumulates(run)) return [];
    const [quantity, now] = batchOf(run);
    const sizes = [now / 2, now / 4, now / 8].filter(size => Number.isInteger(size) && size >= 1);
    return sizes.map((to, i) => ({
      changes: [{ quantity, to }, ...rateWith(run, to / now)],
      sizes: [to / now],
      price: {
        time: 1.05 ** (i + 1),
        speed: say('slower: proportionally more steps'),
        quality: say(
          'a batch of 1/{0} the size, because no key accumulates gradients: adapt the learning rate',
          now / to,
        ),
        trade: 2 * (i + 1),
      },
    }));
  },
};

const accumulates = (run: RunSpec): boolean => {
  const written = editsFor(run, [{ quantity: 'gradAccum', to: 2 }]);
  return written.ok && written.edits.length > 0;
};

/** The batch that the files state. */
function batchOf({ quantities }: RunSpec): ['globalBatchSize' | 'microBatchSize', number] {
  const { globalBatchSize, microBatchSize } = quantities;
  return globalBatchSize.value === null
    ? ['microBatchSize', microBatchSize.value ?? 0]
    : ['globalBatchSize', globalBatchSize.value];
}

function rateWith(run: RunSpec, factor: number): readonly Change[] {
  const key = learningRateOf(run);
  const rate = key && rateOf(key.value);
  if (!key || rate === null) return [];
  const to = rate * (isLinear(run) ? factor : Math.sqrt(factor));
  return [{ key: key.path, to: Number(shown(to)) }];
}
