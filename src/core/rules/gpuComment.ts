import { isUnknown } from '../spec/quantity';
import type { Report, Rule } from './rule';
import { ON_TRAINER } from './dialectGroups';

/** `# 8 GPUs`, `# 2 x A100`, `# on 4xH100`. */
const COMMENT =
  /#[^\n]*?\b(\d{1,3})(?:\s*(?:x|×)\s*(?:A|H|V|L|B|RTX\s*|GH)\d{2,4}\b[^\n]*?|\s*(?:x\s*)?GPUs?\b)/i;

export const gpuComment: Rule = {
  id: 'gpu-comment',
  severity: 'hint',
  summary: 'A comment names the number of GPUs, which no program reads.',
  sources: ['accelerate num_processes and torchrun --nproc_per_node decide; comments are never facts'],
  dialects: ON_TRAINER,
  check({ run }): readonly Report[] {
    const [config] = run.sources;
    const count = config && COMMENT.exec(config.yaml.text)?.[1];
    if (!count || Number(count) < 2 || !isUnknown(run.quantities.gpus)) return [];
    const message =
      `A comment speaks of ${count} GPUs, but only the launcher decides (accelerate's num_processes, torchrun's --nproc_per_node). ` +
      'Choose the number of GPUs in Headroom to see the effective batch.';
    return [{ at: ['quantity:microBatchSize'], message }];
  },
};
