import type { Rule } from './rule';
import { isStated, numberOf, textOf } from './raw';
import { quoted } from './when';

const VERSION = 'fsdp_config.fsdp_version';
const STRATEGY = 'fsdp_config.fsdp_sharding_strategy';
const RESHARD = 'fsdp_config.fsdp_reshard_after_forward';

export const fsdpVersionKeys: Rule = {
  id: 'fsdp-version-keys',
  severity: 'warning',
  summary: 'The sharding uses a key of the other FSDP version.',
  sources: [
    'accelerate 1.15 utils/dataclasses.py L1844: FSDP1 reads sharding_strategy; FSDP2 reads reshard_after_forward',
  ],
  dialects: ['accelerate'],
  check(context) {
    if (textOf(context, 'distributed_type') !== 'FSDP') return [];
    const strategy = textOf(context, STRATEGY)?.toUpperCase() ?? null;
    const version = numberOf(context, VERSION) ?? 1;
    if (version !== 2 || strategy === null || strategy === 'FULL_SHARD' || isStated(context, RESHARD)) {
      return [];
    }
    const message =
      `FSDP2 does not read ${quoted(context, STRATEGY)} and shards everything. ` +
      'Set fsdp_reshard_after_forward instead: false keeps the parameters between forward and backward.';
    return [{ at: [STRATEGY], message }];
  },
};
