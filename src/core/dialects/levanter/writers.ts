import type { WriterTable } from '../dialect';
import { keepsMethod, refuse, refused, write } from '../shared/writing';

/** How levanter wants to be told what is more than one plain key. */
export const levanterWriters: WriterTable = {
  ...keepsMethod('levanter trains all weights.'),
  microBatchSize: to => write('trainer.per_device_parallelism', to, ['trainer.train_batch_size']),
  gradAccum: refused('Accumulation follows from train_batch_size, per_device_parallelism and the devices.'),
  precision: to => {
    if (to === 'fp32') return write('trainer.mp', 'f32');
    return to.startsWith('bf16')
      ? write('trainer.mp', 'p=f32,c=bfloat16', ['trainer.train_batch_size'])
      : refuse('levanter computes in bfloat16 or fp32.');
  },
  loadDtype: refused('trainer.mp says the dtypes of parameters and products together.'),
};
