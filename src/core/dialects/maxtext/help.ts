import type { KeyHelp } from '../dialect';

/** What MaxText's keys do to memory; sources as in the dialect's table. */
export const maxtextHelp: Readonly<Record<string, KeyHelp>> = {
  per_device_batch_size: {
    text: 'Rows on each device. A fraction is allowed: devices that share a row each have a part of it.',
  },
  gradient_accumulation_steps: { text: 'Parts that a batch is split into before a step.' },
  max_target_length: { text: 'Tokens of a row.' },
  dtype: { text: 'Dtype of the products.', values: ['bfloat16', 'float32'] },
  weight_dtype: {
    text: 'Dtype of weights, and of the optimizer’s states.',
    values: ['float32', 'bfloat16'],
  },
  remat_policy: {
    text: 'What is kept for backward: `full` only the inputs of layers, `minimal` the products as well; others in between or on the host.',
    byDefault: 'full',
  },
  ici_fsdp_parallelism: {
    text: 'Devices of a slice that share weights, gradients and states; -1 is the rest.',
  },
  ici_tensor_parallelism: { text: 'Devices of a slice that share each layer’s matrices.' },
  ici_data_parallelism: { text: 'Devices of a slice with a whole copy each.' },
  opt_type: { text: 'Optimizer: adamw keeps two states a parameter, sgd none.' },
  hardware: { text: 'What it runs on; the GPU’s memory is that of JAX, which takes 75 % of it at once.' },
};
