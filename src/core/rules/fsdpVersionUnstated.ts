import type { Rule } from './rule';
import { AXOLOTL } from './dialectGroups';
import { FSDP_VERSION_KEYS } from './axolotlFsdp';
import { not, on, stated, when } from './when';

export const fsdpVersionUnstated: Rule = {
  id: 'fsdp-version-unstated',
  severity: 'information',
  summary: '`fsdp_config` without a version means FSDP1, which is deprecated.',
  sources: ['axolotl 0.18 utils/schemas/validation.py check_fsdp_version_in_fsdp_config, check_fsdp_version'],
  dialects: AXOLOTL,
  check: when([on('fsdp_config'), ...FSDP_VERSION_KEYS.map(key => not(stated(key)))], quote => ({
    at: ['fsdp_config'],
    message:
      `${quote('fsdp_config')} without fsdp_version is read as FSDP1, which Axolotl and transformers are about to remove. ` +
      'State fsdp_version: 2 after moving its keys to the new names.',
  })),
};
