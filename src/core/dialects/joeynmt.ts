import { builtIn } from './defined/compile';
import file from './joeynmt.yaml';
import type { Dialect } from './dialect';
import { counted } from './shared/toolkit';
import { shareOfGlobal } from './engine/common';
import type { RunReader } from './engine/runReader';
import type { Quantity, Unit } from '../spec/quantity';

const unitOf = (run: RunReader, key: string): Unit =>
  (run.word(key) ?? 'sentence') === 'token' ? 'tokens' : 'sentences';

/** DataParallel divides validation batches like training batches. */
function evalBatch(run: RunReader): Quantity<number> {
  const key = ['testing.batch_size', 'training.eval_batch_size'].find(name => run.has(name));
  if (key === undefined) return run.unknown('testing.batch_size is not set.');
  const total =
    counted(run, key, unitOf(run, 'testing.batch_type')) ?? run.unknown(`${key} is not a number.`);
  const isCpu = run.get('gpus').value === 0;
  if (!isCpu) return shareOfGlobal(run, total);
  return {
    ...run.derived(total.value, [key, 'gpus'], 'all on the CPU'),
    ...(total.value && { total: total.value }),
  };
}

/** JoeyNMT's configs; sources are files of joeynmt/joeynmt cdc4d03. */
export const joeynmt: Dialect = builtIn(file, { quantities: { evalBatchSize: evalBatch } });
