import assert from 'node:assert/strict';
import { checkCase } from './cases';
import type { Case } from './cases';
import { estimateOf, rtx4090 } from './facts';
import { findingsOf } from './findings';

const config = (batch: number, steps: number, devices = 1, padding = 'max_length'): string => `data_loader:
  batch_size: ${batch}
  tokenization:
    max_length: 512
    padding: ${padding}
model:
  base_model_name: sentence-transformers/all-MiniLM-L6-v2
  lora:
    r: 8
training:
  trainer:
    devices: ${devices}
    precision: 16-mixed
    accumulate_grad_batches: ${steps}
`;
const stage = (positives: number, negatives: number) => ({
  file: '/project/conf/config.yaml',
  files: {
    'conf/curriculum/01_stage.yaml': `name: 01_stage\nanchor_level: [2, 3]\npositive_level: [2, 3]\nn_positives: ${positives}\nn_negatives: ${negatives}\n`,
  },
});
const on4090 = (verdict: 'fits' | 'tight' | 'exceeds', gib: number) => ({
  target: rtx4090,
  estimate: estimateOf(verdict, gib),
});

const cases: readonly Case[] = [
  {
    rule: 'contrastive-batch',
    at: 'training.trainer.accumulate_grad_batches',
    fires: config(45, 4),
    silent: config(64, 4),
    says: /^Effective batch size 180 \(45 × 4 × 1\)/,
  },
  {
    rule: 'contrastive-batch',
    at: 'training.trainer.accumulate_grad_batches',
    fires: config(128, 5),
    silent: config(128, 4),
    says: /Larger batches help little/,
  },
  {
    rule: 'padding-longest',
    at: 'data_loader.tokenization.padding',
    fires: config(64, 4, 1, 'longest'),
    silent: config(64, 4),
  },
  {
    rule: 'positives-cost-no-memory',
    at: 'n_positives',
    fires: config(64, 4),
    silent: config(64, 4),
    surroundings: stage(64, 24),
    innocent: stage(32, 24),
  },
  {
    rule: 'negatives-drive-memory',
    at: 'n_negatives',
    fires: config(64, 4),
    silent: config(64, 4),
    surroundings: { ...stage(16, 24), ...on4090('exceeds', 30) },
    innocent: { ...stage(16, 24), ...on4090('fits', 18) },
    says: /`n_negatives: 24` in 01_stage makes each sample 26 sequences; 12 would make it 14/,
  },
  {
    rule: 'more-negatives-fit',
    at: 'n_negatives',
    fires: config(64, 4),
    silent: config(64, 4),
    surroundings: { ...stage(16, 24), ...on4090('fits', 10) },
    innocent: { ...stage(16, 24), ...on4090('fits', 17) },
  },
  {
    rule: 'ddp-accumulation',
    at: 'training.trainer.accumulate_grad_batches',
    fires: config(64, 8, 4),
    silent: config(64, 2, 4),
    says: /On 4 GPUs the effective batch size is 2048: .* Accumulate 2 instead of 8 steps/,
  },
  {
    rule: 'guide-margin',
    at: 'data_loader.batch_size',
    fires: config(64, 4),
    silent: config(64, 4),
    surroundings: on4090('fits', 21),
    innocent: on4090('fits', 19),
  },
  {
    rule: 'guide-table-too-low',
    at: 'data_loader.batch_size',
    fires: config(45, 5),
    silent: config(45, 5),
    surroundings: { ...stage(32, 24), ...on4090('exceeds', 55) },
    innocent: { ...stage(32, 24), ...on4090('exceeds', 30) },
    says: /needs ≈ 55\.0 GB, 2\.8 times the 19\.8 GB of naics-embedder's guide/,
  },
];

describe('rules of the training-memory guide', () => {
  for (const one of cases) checkCase(one);

  it('locates a stage’s findings in the stage’s file', async () => {
    const found = await findingsOf(config(64, 4), stage(64, 24));
    assert.deepEqual(
      found.filter(({ path }) => path === 'n_positives').map(({ file }) => file),
      ['/project/conf/curriculum/01_stage.yaml'],
    );
  });
});
