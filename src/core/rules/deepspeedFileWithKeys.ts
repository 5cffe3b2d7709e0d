import type { Rule } from './rule';
import { isStated } from './raw';
import { listed } from './when';

const FILE = 'deepspeed_config.deepspeed_config_file';

/** What accelerate wants in the DeepSpeed file once there is one. */
const KEYS = [
  'deepspeed_config.gradient_accumulation_steps',
  'deepspeed_config.gradient_clipping',
  'deepspeed_config.zero_stage',
  'deepspeed_config.offload_optimizer_device',
  'deepspeed_config.offload_param_device',
  'deepspeed_config.offload_param_nvme_path',
  'deepspeed_config.offload_optimizer_nvme_path',
  'deepspeed_config.zero3_save_16bit_model',
  'mixed_precision',
];

export const deepspeedFileWithKeys: Rule = {
  id: 'deepspeed-file-with-keys',
  severity: 'error',
  summary: 'accelerate rejects its own DeepSpeed settings together with a DeepSpeed file.',
  sources: [
    'accelerate 1.15 utils/dataclasses.py _deepspeed_config_checks: “the following accelerate config variables will be ignored”',
  ],
  dialects: ['accelerate'],
  check(context) {
    const set = KEYS.filter(key => isStated(context, key));
    if (!isStated(context, FILE) || set.length === 0) return [];
    const names = listed(set.map(key => key.replace('deepspeed_config.', '')));
    const message = `accelerate rejects ${names} together with deepspeed_config_file. Move them into the DeepSpeed file.`;
    return [{ at: set, message }];
  },
};
