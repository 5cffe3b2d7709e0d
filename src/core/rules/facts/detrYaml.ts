import type { Facts } from '../fact';

const DETR =
  'task: detection\nmodel: RTDETR\nuse_amp: True\nuse_ema: True\ntrain_dataloader:\n  total_batch_size: 16\n';

/** Sources are lines of lyuwenyu/RT-DETR 068dfde (rtdetrv2_pytorch). */
export const detrYamlFacts: Facts = {
  dialects: ['detr-yaml'],
  facts: [
    {
      id: 'detr-two-batches',
      severity: 'error',
      summary: 'Both a batch size for all GPUs and one per GPU are set.',
      when: { stated: ['train_dataloader.total_batch_size', 'train_dataloader.batch_size'] },
      at: ['train_dataloader.batch_size'],
      message:
        '{train_dataloader.batch_size} and {train_dataloader.total_batch_size} are both set. Exactly one of them may be, and the loader stops.',
      meaning: 'total_batch_size is shared by all GPUs, batch_size is for each.',
      advice: 'Remove one. A base in `__include__` may set the other.',
      source: 'src/core/yaml_config.py L147-160',
      example: `${DETR}  batch_size: 4\n`,
      counterexample: DETR,
    },
  ],
};
