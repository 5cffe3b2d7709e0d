import type { Rule } from './rule';
import { fileOf, numberOf } from './raw';
import type { Keys } from './raw';

export const deepspeedBatch: Rule = {
  id: 'deepspeed-batch',
  severity: 'error',
  summary: "The DeepSpeed file's batch sizes don't match any number of GPUs.",
  sources: ['deepspeed 0.19 runtime/config.py L602: train_batch = micro_batch × grad_acc × world_size'],
  check(context) {
    const { run } = context;
    const file: Keys | null = run.dialect === 'deepspeed' ? context : fileOf(run, 'deepspeed');
    const total = file && numberOf(file, 'train_batch_size');
    const micro = file && numberOf(file, 'train_micro_batch_size_per_gpu');
    if (!file || !total || !micro) return [];
    const steps = numberOf(file, 'gradient_accumulation_steps') ?? 1;
    if (steps < 1 || total % (micro * steps) === 0) return [];
    const message =
      `\`train_batch_size: ${total}\` is not a multiple of ${micro} × ${steps} (micro-batch × accumulation): no number of GPUs fits, and DeepSpeed stops. ` +
      'Remove one of the three.';
    const key = 'train_batch_size';
    return [{ at: run.dialect === 'deepspeed' ? [key] : [`deepspeed:${key}`, 'deepspeed'], message }];
  },
};
