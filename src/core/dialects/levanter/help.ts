import type { KeyHelp } from '../dialect';
import { FLAG } from '../shared/switches';

/** What levanter's keys do to memory; sources as in the dialect's table. */
export const levanterHelp: Readonly<Record<string, KeyHelp>> = {
  'trainer.train_batch_size': {
    text: 'Rows of one step over all devices. What does not go through at once is accumulated: `per_device_parallelism` decides the memory, not this.',
    byDefault: '512',
  },
  'trainer.per_device_parallelism': {
    text: 'Rows of one forward pass on each device. -1 puts the whole batch through at once.',
    byDefault: '-1',
  },
  'trainer.per_device_eval_parallelism': {
    text: 'Rows of one pass of evaluation on each device.',
    byDefault: '-1',
  },
  'trainer.mp': {
    text: 'Dtypes of parameters and products: `p=f32,c=bfloat16` keeps fp32 weights and computes in bf16.',
    byDefault: 'f32',
  },
  'trainer.model_axis_size': { text: 'Devices that share each layer’s matrices.', byDefault: '1' },
  'model.gradient_checkpointing': {
    text: 'Keeps only the input of each layer and computes the rest again in backward.',
    values: FLAG,
  },
  'model.seq_len': { text: 'Tokens of a row.' },
};
