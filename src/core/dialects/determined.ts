import { builtIn } from './defined/compile';
import file from './determined.yaml';
import type { Dialect } from './dialect';
import { shareOfGlobal } from './engine/common';
import { count } from './engine/readers';
import type { ReadResult } from './engine/readers';
import type { Plain } from '../yaml/scalars';

/** A hyperparameter: a number, or a search space, of which the largest value is the worst case. */
function largest(value: Plain): ReadResult<number> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return count(value);
  const space = value as Readonly<Record<string, Plain>>;
  const values = space['vals'];
  if (!Array.isArray(values)) return count(space['val'] ?? space['maxval'] ?? null);
  const numbers = (values as readonly Plain[]).filter(one => typeof one === 'number');
  return numbers.length > 0 ? { ok: Math.max(...numbers) } : { unfit: 'has no number among its values' };
}

/** Determined's experiments; determined-ai/determined-examples b348d4f. */
export const determined: Dialect = builtIn(file, {
  quantities: {
    globalBatchSize: { read: largest },
    microBatchSize: run => {
      const total = run.read('hyperparameters.global_batch_size', largest);
      if (total === null) return run.unknown('hyperparameters.global_batch_size is not set.');
      return shareOfGlobal(run, run.at('hyperparameters.global_batch_size', total));
    },
  },
});
