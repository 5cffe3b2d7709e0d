import type { Rule } from './rule';
import { AXOLOTL } from './dialectGroups';
import { textOf } from './raw';
import { quoted } from './when';

const KEYS = ['fsdp_config.sharding_strategy', 'fsdp_config.fsdp_sharding_strategy'];

export const shardingStrategyDropped: Rule = {
  id: 'sharding-strategy-dropped',
  severity: 'warning',
  summary: '`fsdp_config.sharding_strategy` is not read: everything is sharded.',
  sources: ['axolotl 0.18 utils/schemas/fsdp.py FSDPConfig (since 0.13): no such field, others are dropped'],
  dialects: AXOLOTL,
  check(context) {
    return KEYS.filter(key => !['', 'FULL_SHARD'].includes((textOf(context, key) ?? '').toUpperCase())).map(
      key => ({
        at: [key],
        message:
          `Axolotl 0.13 and newer drop ${quoted(context, key)} and shard parameters, gradients and states (FULL_SHARD). ` +
          'Set reshard_after_forward to false under FSDP2 to keep the parameters between forward and backward.',
      }),
    );
  },
};
