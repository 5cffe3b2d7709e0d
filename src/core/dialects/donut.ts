import { builtIn } from './defined/compile';
import file from './donut.yaml';
import type { Dialect } from './dialect';
import { autocastByPrecision } from './shared/lightning';
import { items, pixels } from './shared/vision';

/** Donut; sources are lines of clovaai/donut 4cfcf97 (train.py on Lightning). */
export const donut: Dialect = builtIn(file, {
  quantities: {
    // One data loader for each set, and a step takes a batch of each.
    microBatchSize: run => {
      const each = items(run.value('train_batch_sizes'))?.map(Number) ?? [];
      const sum = each.reduce((total, one) => total + one, 0);
      return sum > 0 ? run.at('train_batch_sizes', sum) : run.unknown('train_batch_sizes is not set.');
    },
    evalBatchSize: run => {
      const each = items(run.value('val_batch_sizes'))?.map(Number) ?? [];
      const sum = each.reduce((total, one) => total + one, 0);
      return sum > 0 ? run.at('val_batch_sizes', sum) : run.unknown('val_batch_sizes is not set.');
    },
    imageSize: { read: pixels('hw') },
  },
  details: {
    autocast: autocastByPrecision,
  },
});
