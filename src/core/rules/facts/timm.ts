import type { Facts } from '../fact';

const TIMM =
  'model: vit_base_patch16_224\nopt: adamw\nsched: cosine\nmodel_ema: true\namp: true\nbatch_size: 64\n';

/** Sources are lines of huggingface/pytorch-image-models aa4b585. */
export const timmFacts: Facts = {
  dialects: ['timm'],
  facts: [
    {
      id: 'timm-aug-splits',
      severity: 'information',
      summary: 'Augmentation splits multiply the batch.',
      when: { above: { aug_splits: 1 } },
      at: ['aug_splits'],
      message:
        '{aug_splits} feeds several versions of each image together. A step processes that many times {batch_size}.',
      meaning: 'The split dataset hands out each image several times, and the forward pass has them all.',
      advice: 'Lower `batch_size` by the same factor if memory is short.',
      source: 'train.py: AugMixDataset(num_splits=aug_splits)',
      example: `${TIMM}aug_splits: 3\n`,
      counterexample: `${TIMM}aug_splits: 0\n`,
    },
  ],
};
