import { formatPath, parsePath } from '../../yaml/path';
import type { RunReader } from '../engine/runReader';

/** Arguments of Lightning's Trainer that say how and where a run goes (lightning trainer/trainer.py). */
const DECIDING: ReadonlySet<string> = new Set([
  'accelerator',
  'devices',
  'gpus',
  'strategy',
  'precision',
  'num_nodes',
  'accumulate_grad_batches',
]);

/** Further ones, whose names no other trainer has. */
const OTHERS: ReadonlySet<string> = new Set([
  'max_epochs',
  'min_epochs',
  'gradient_clip_val',
  'gradient_clip_algorithm',
  'check_val_every_n_epoch',
  'val_check_interval',
  'limit_train_batches',
  'limit_val_batches',
  'num_sanity_val_steps',
  'log_every_n_steps',
  'sync_batchnorm',
  'enable_checkpointing',
  'enable_progress_bar',
  'fast_dev_run',
  'overfit_batches',
  'detect_anomaly',
  'use_distributed_sampler',
  'default_root_dir',
  'reload_dataloaders_every_n_epochs',
]);

/** Both. */
export const TRAINER: ReadonlySet<string> = new Set([...DECIDING, ...OTHERS]);

/** Two arguments together are a Trainer's, one of them deciding. */
const LEAST = 2;

/**
 * The sections of a composed config that are arguments of a Lightning Trainer, wherever they stand, the fullest first; '' is the
 * root.
 */
export function trainerSections(run: RunReader): readonly string[] {
  const counts = new Map<string, { deciding: number; all: number }>();
  for (const { key } of run.leaves()) {
    const path = parsePath(key);
    const name = String(path.at(-1));
    if (!TRAINER.has(name)) continue;
    const section = formatPath(path.slice(0, -1));
    const count = counts.get(section) ?? { deciding: 0, all: 0 };
    count.deciding += DECIDING.has(name) ? 1 : 0;
    count.all += 1;
    counts.set(section, count);
  }
  return [...counts]
    .filter(([, { deciding, all }]) => deciding > 0 && all >= LEAST)
    .sort(([, one], [, other]) => other.deciding - one.deciding || other.all - one.all)
    .map(([section]) => section);
}
