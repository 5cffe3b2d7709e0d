import type { KeyHelp } from '../dialect';

/** What a Lightning Trainer's arguments do to memory, below wherever they stand. */
export function trainerHelp(trainer: string): Readonly<Record<string, KeyHelp>> {
  return {
    [`${trainer}.accumulate_grad_batches`]: {
      text: 'Batches added up before the optimizer steps. Takes no activations; gradients stay allocated between them.',
    },
    [`${trainer}.devices`]: {
      text: 'GPUs of each node: a count, a list of indices (`[0]` is one GPU), `-1` or `auto` for all. Lightning never divides the batch by it.',
    },
    [`${trainer}.num_nodes`]: { text: 'Machines; the effective batch grows with them.' },
    [`${trainer}.accelerator`]: {
      text: 'Where it runs. `cpu` takes no GPU memory at all.',
      values: ['auto', 'gpu', 'cuda', 'cpu', 'mps', 'tpu'],
    },
    [`${trainer}.strategy`]: {
      text: 'How several GPUs share the work. `ddp` keeps everything on each; `fsdp` and `deepspeed_stage_3` shard weights, gradients and optimizer states.',
      values: [
        'auto',
        'ddp',
        'ddp_find_unused_parameters_true',
        'fsdp',
        'fsdp_cpu_offload',
        'deepspeed_stage_1',
        'deepspeed_stage_2',
        'deepspeed_stage_2_offload',
        'deepspeed_stage_3',
        'deepspeed_stage_3_offload',
      ],
    },
    [`${trainer}.precision`]: {
      text: '`16-mixed` and `bf16-mixed` keep fp32 weights and autocast: activations halve. `bf16-true` holds the weights in half as well.',
      values: ['32-true', '16-mixed', 'bf16-mixed', '16-true', 'bf16-true', '64-true'],
    },
    [`${trainer}.gradient_clip_val`]: {
      text: 'Largest norm of the gradients; computing it takes little beside them.',
      byDefault: 'null',
    },
    [`${trainer}.num_sanity_val_steps`]: {
      text: 'Validation batches before training begins: they can run out of memory before the first step does.',
      byDefault: '2',
    },
    [`${trainer}.sync_batchnorm`]: {
      text: 'Shares the statistics of batch norms among GPUs; takes little memory.',
      values: ['true', 'false'],
      byDefault: 'false',
    },
  };
}

export const lightningCliHelp: Readonly<Record<string, KeyHelp>> = {
  ...trainerHelp('trainer'),
  'data.init_args.batch_size': {
    text: 'Samples of one batch on each GPU: Lightning does not divide it. Activations grow with it in proportion.',
  },
  'data.init_args.num_workers': {
    text: 'Processes that load data, for each GPU: they take memory of the machine, not of the GPU.',
  },
  'model.class_path': { text: 'Class of the module: its parameters, gradients and optimizer states.' },
  'optimizer.class_path': {
    text: 'Class of the optimizer. Adam and AdamW keep two fp32 states a parameter, SGD with momentum one.',
  },
};
