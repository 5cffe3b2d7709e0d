import type { Rule } from './rule';
import { ON_TRAINER } from './dialectGroups';
import { fileOf, isOn } from './raw';
import { change } from './when';

const KEYS = [
  'partition_activations',
  'cpu_checkpointing',
  'contiguous_memory_optimization',
  'number_checkpoints',
];

export const deadCheckpointing: Rule = {
  id: 'dead-checkpointing',
  severity: 'warning',
  summary: 'Activation checkpointing in the DeepSpeed file has no effect on Hugging Face models.',
  sources: [
    'deepspeed runtime/activation_checkpointing: only models that call deepspeed.checkpointing.checkpoint use the section',
    "transformers docs, DeepSpeed: “Transformers models don't use deepspeed.checkpointing; use gradient_checkpointing”",
  ],
  dialects: ON_TRAINER,
  check({ run }) {
    const deepspeed = fileOf(run, 'deepspeed');
    if (!deepspeed || run.quantities.gradientCheckpointing.value !== false) return [];
    const set = KEYS.find(key => isOn(deepspeed, `activation_checkpointing.${key}`));
    if (set === undefined) return [];
    const message =
      `\`activation_checkpointing.${set}\` does nothing for Hugging Face models, which never call DeepSpeed's ` +
      'checkpointing: activations are kept in full. Turn on gradient checkpointing instead.';
    const at = ['deepspeed:activation_checkpointing', 'deepspeed'];
    const remedies = [
      change('Turn on gradient checkpointing', { quantity: 'gradientCheckpointing', to: true }),
    ];
    return [{ at, message, remedies }];
  },
};
