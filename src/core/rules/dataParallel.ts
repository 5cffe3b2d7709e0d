import type { Rule } from './rule';
import { TRAINING_ARGUMENTS } from './dialectGroups';
import { fileOf } from './raw';

export const dataParallel: Rule = {
  id: 'data-parallel',
  severity: 'hint',
  summary: 'Started with plain python, several GPUs become one slow DataParallel process.',
  sources: [
    'transformers 5.18 trainer.py: nn.DataParallel when one process sees several GPUs',
    '“Training with DataParallel so batch size has been adjusted to”',
  ],
  dialects: TRAINING_ARGUMENTS,
  check({ run, target }) {
    const { gpus, microBatchSize, strategy, zeroStage, fsdp } = run.quantities;
    const devices = gpus.value ?? target?.count ?? 1;
    if (devices < 2 || target?.kind !== 'present' || fileOf(run, 'accelerate')) return [];
    if (gpus.origin.kind === 'file' || gpus.origin.kind === 'referenced') return [];
    if (strategy.value !== null || zeroStage.value !== null || fsdp.value !== null) return [];
    const message =
      `Started with plain python, the trainer runs all ${devices} GPUs of this machine from one process (DataParallel): slow, and the first GPU fills up first. ` +
      `Start it with accelerate launch or torchrun --nproc_per_node ${devices}.`;
    return microBatchSize.value === null ? [] : [{ at: ['quantity:microBatchSize'], message }];
  },
};
