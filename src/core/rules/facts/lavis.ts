import type { Facts } from '../fact';

const LAVIS =
  'model:\n  arch: blip2\nrun:\n  task: image_text_pretrain\n  batch_size_train: 100\n  max_epoch: 10\n';

/** Sources are lines of salesforce/LAVIS 506965b. */
export const lavisFacts: Facts = {
  dialects: ['lavis'],
  facts: [
    {
      id: 'lavis-world-size',
      severity: 'information',
      summary: '`world_size` of LAVIS is overwritten by the launcher.',
      when: { above: { 'run.world_size': 1 } },
      at: ['run.world_size'],
      message:
        '{run.world_size} is a placeholder. The launcher overwrites it with the processes that it starts.',
      meaning: 'The number of GPUs is that of `torch.distributed.run --nproc_per_node`.',
      advice: 'Give the number on the command line.',
      source: 'lavis/common/dist_utils.py: init_distributed_mode',
      example: `${LAVIS}  world_size: 8\n`,
      counterexample: `${LAVIS}  world_size: 1\n`,
    },
  ],
};
