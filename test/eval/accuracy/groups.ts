import { gpuCount } from './parallel';
import type { PublishedRecord } from './publishedRecord';

/** The groups that a record counts in. */
export function groupsOf(record: PublishedRecord): readonly string[] {
  const { completeness, task } = record;
  const training = /finetune|lora|pretrain|peft|train|fwd\+bwd|adapter/.test(task);
  const single = gpuCount(record) === 1;
  const decoder = !/vision|diffusion|encoder|embedding/.test(task);
  const allocated = record.metric_class === 'torch allocated';
  const groups = [
    'published',
    completeness === 'A' && 'A',
    ...(completeness === 'C' ? [] : ['AB', unitGroup(record)]),
    completeness === 'A' && training && single && decoder && allocated && 'A-train-1gpu-allocated',
    training && !single && 'train-multi-gpu',
    task === 'inference' && 'inference',
    /embedding|encoder/.test(task) && 'embedding',
    task.startsWith('vision') && 'vision',
    task.startsWith('diffusion') && 'diffusion',
  ];
  return ['all', ...groups.filter(group => group !== false)];
}

const unitGroup = ({ unit_ambiguous: isUnclear }: PublishedRecord): string =>
  isUnclear === true ? 'AB-unit-unclear' : 'AB-unit-clear';
