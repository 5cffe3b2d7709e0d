import type { Rule, RuleContext } from './rule';
import { isOff, textOf } from './raw';
import { is, when } from './when';

const POLICY = 'fsdp_config.fsdp_auto_wrap_policy';

export const fsdpNoWrap: Rule = {
  id: 'fsdp-no-wrap',
  severity: 'information',
  summary: 'Without a wrap policy FSDP gathers the whole model at once.',
  sources: [
    'accelerate 1.15 utils/dataclasses.py FullyShardedDataParallelPlugin: auto_wrap_policy NO_WRAP by default',
  ],
  dialects: ['accelerate'],
  check: when([is('distributed_type', 'FSDP'), noPolicy], () => ({
    at: [POLICY, 'fsdp_config', 'distributed_type'],
    message:
      'Unless the program sets a policy, a model without fsdp_auto_wrap_policy is one unit: every GPU gathers all of its parameters at once, and sharding saves little. ' +
      'Set it to TRANSFORMER_BASED_WRAP.',
  })),
};

function noPolicy(context: RuleContext): boolean {
  return isOff(context, POLICY) || textOf(context, POLICY) === 'NO_WRAP';
}
