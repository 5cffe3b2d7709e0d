import type { MemoryRun } from '../run';
import type { Asker } from './asker';

/** Where adapters are merged; a run that does no more than that on the host needs no GPU. */
export function mergesOf(asker: Asker): NonNullable<MemoryRun['merges']> | null {
  const where = asker.detail('merges');
  if (where === 'cpu' && asker.value('task') === 'load') {
    asker.assume(null, 'adapters are merged on the host, and the GPU is not used');
  }
  return where;
}
