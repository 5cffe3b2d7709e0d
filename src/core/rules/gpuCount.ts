import { isUnknown } from '../spec/quantity';
import { fileOf } from './raw';
import { ON_TRAINER, TRAINING_ARGUMENTS } from './rule';
import type { Report, Rule } from './rule';

export const dataParallel: Rule = {
  id: 'data-parallel',
  severity: 'hint',
  summary: 'Started with plain python, several GPUs become one slow DataParallel process.',
  sources: [
    'transformers 5.18 trainer.py: nn.DataParallel when one process sees several GPUs',
    '“Training with DataParallel so batch size has been adjusted to”',
  ],
  dialects: TRAINING_ARGUMENTS,
  check({ run, target, say }) {
    const { gpus, microBatchSize, strategy, zeroStage, fsdp } = run.quantities;
    const devices = gpus.value ?? target?.count ?? 1;
    if (devices < 2 || target?.kind !== 'present' || fileOf(run, 'accelerate')) return [];
    if (gpus.origin.kind === 'file' || gpus.origin.kind === 'referenced') return [];
    if (strategy.value !== null || zeroStage.value !== null || fsdp.value !== null) return [];
    const message = say(
      'Started with plain python, one process runs all {0} GPUs (DataParallel), which is slow. The first GPU fills up first. Start it with accelerate launch or torchrun --nproc_per_node {0}.',
      devices,
    );
    return microBatchSize.value === null ? [] : [{ at: ['quantity:microBatchSize'], message }];
  },
};

/** `# 8 GPUs`, `# 2 x A100`, `# on 4xH100`. */
const COMMENT = /#[^\n#]*?\b(\d{1,3})(?:\s*(?:x|×)\s*(?:A|H|V|L|B|RTX\s*|GH)\d{2,4}\b|\s*(?:x\s*)?GPUs?\b)/i;

export const gpuComment: Rule = {
  id: 'gpu-comment',
  severity: 'hint',
  summary: 'A comment names the number of GPUs, which no program reads.',
  sources: ['accelerate num_processes and torchrun --nproc_per_node decide; comments are never facts'],
  dialects: ON_TRAINER,
  check({ run, say }): readonly Report[] {
    const [config] = run.sources;
    const count = config && COMMENT.exec(config.yaml.text)?.[1];
    if (!count || Number(count) < 2 || !isUnknown(run.quantities.gpus)) return [];
    const message = say(
      "A comment names {0} GPUs, but only the launcher decides how many there are. Set accelerate's num_processes or torchrun's --nproc_per_node. Choose the number of GPUs in Headroom to see the effective batch.",
      count,
    );
    return [{ at: ['quantity:microBatchSize'], message }];
  },
};
