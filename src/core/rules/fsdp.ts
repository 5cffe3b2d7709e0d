import { isOff, isOn, isStated, numberOf, textOf } from './raw';
import type { Keys } from './raw';
import { AXOLOTL, TRAINING_ARGUMENTS } from './rule';
import type { Rule, RuleContext } from './rule';
import { anyOn, exactly, is, not, on, quoted, setKey, stated, when } from './when';

/** Whether the config shards with FSDP, by the new or the old key. */
export const hasFsdp = (keys: Keys): boolean => isOn(keys, 'fsdp_config') || isOn(keys, 'fsdp');

/** Where Axolotl looks for the version, in this order; a config without one is pinned to FSDP1. */
const FSDP_VERSION_KEYS = ['fsdp_version', 'fsdp_config.fsdp_version', 'fsdp_config.version'];

/** The stated version, or null. */
export function fsdpVersion(keys: Keys): number | null {
  for (const key of FSDP_VERSION_KEYS) {
    const version = numberOf(keys, key);
    if (version !== null) return version;
  }
  return null;
}

/** True if a key of `fsdp_config` is on, with or without the old `fsdp_` prefix. */
const fsdpOn = (keys: Keys, key: string): boolean =>
  isOn(keys, `fsdp_config.${key}`) || isOn(keys, `fsdp_config.fsdp_${key}`);

export const fsdpVersionUnstated: Rule = {
  id: 'fsdp-version-unstated',
  severity: 'information',
  summary: '`fsdp_config` without a version means FSDP1, which is deprecated.',
  sources: ['axolotl 0.18 utils/schemas/validation.py check_fsdp_version_in_fsdp_config, check_fsdp_version'],
  dialects: AXOLOTL,
  check: when([on('fsdp_config'), ...FSDP_VERSION_KEYS.map(key => not(stated(key)))], (quote, { say }) => ({
    at: ['fsdp_config'],
    message: say(
      '{0} without fsdp_version means FSDP1, which is deprecated. Axolotl and transformers will remove it. State fsdp_version: 2 after moving its keys to the new names.',
      quote('fsdp_config'),
    ),
  })),
};

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
    const message = context.say(
      'FSDP2 does not read {0} and shards everything. Set fsdp_reshard_after_forward instead: false keeps the parameters between forward and backward.',
      quoted(context, STRATEGY),
    );
    return [{ at: [STRATEGY], message }];
  },
};

const POLICY = 'fsdp_config.fsdp_auto_wrap_policy';

export const fsdpNoWrap: Rule = {
  id: 'fsdp-no-wrap',
  severity: 'information',
  summary: 'Without a wrap policy FSDP gathers the whole model at once.',
  sources: [
    'accelerate 1.15 utils/dataclasses.py FullyShardedDataParallelPlugin: auto_wrap_policy NO_WRAP by default',
  ],
  dialects: ['accelerate'],
  check: when([is('distributed_type', 'FSDP'), noPolicy], (_, { say }) => ({
    at: [POLICY, 'fsdp_config', 'distributed_type'],
    message: say(
      'Sharding saves little: without fsdp_auto_wrap_policy all parameters are gathered at once. Set it to TRANSFORMER_BASED_WRAP, unless the program sets a policy itself.',
    ),
  })),
};

function noPolicy(context: RuleContext): boolean {
  return isOff(context, POLICY) || textOf(context, POLICY) === 'NO_WRAP';
}

export const fsdpCheckpointing: Rule = {
  id: 'fsdp-checkpointing',
  severity: 'hint',
  summary: 'Under FSDP, `activation_checkpointing` is cheaper than `gradient_checkpointing`.',
  sources: ['transformers 5.18 training_args.py L2755; huggingface/transformers issue 30404'],
  dialects: TRAINING_ARGUMENTS,
  check: when([on('fsdp', 'gradient_checkpointing')], (quote, { say }) => ({
    at: ['gradient_checkpointing'],
    message: say(
      'Under FSDP {0} gathers the weights once more in the backward pass. activation_checkpointing in fsdp_config saves the same memory without that.',
      quote('gradient_checkpointing'),
    ),
  })),
};

const LOADING = 'fsdp_config.fsdp_cpu_ram_efficient_loading';
const SYNC = 'fsdp_config.fsdp_sync_module_states';

export const cpuRamLoading: Rule = {
  id: 'cpu-ram-loading',
  severity: 'error',
  summary: 'Loading once per machine needs `fsdp_sync_module_states`.',
  sources: [
    'accelerate 1.15 utils/launch.py L306: “When using `--fsdp_cpu_ram_efficient_loading` set `--fsdp_sync_module_states` to `True`”',
  ],
  dialects: ['accelerate'],
  check: when([on(LOADING), exactly(SYNC, false)], (quote, { say }) => ({
    at: [SYNC],
    message: say(
      'accelerate needs fsdp_sync_module_states with {0}. Other processes would keep empty weights. Set it to true.',
      quote(LOADING),
    ),
    remedies: [setKey(SYNC, true)],
  })),
};

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
        message: context.say(
          'Axolotl 0.13 and newer ignore {0} and use FULL_SHARD. Parameters, gradients and states are all sharded. Set reshard_after_forward to false under FSDP2 to keep the parameters between forward and backward.',
          quoted(context, key),
        ),
      }),
    );
  },
};

export const fsdp2QuantisedPreference: Rule = {
  id: 'fsdp2-quantised-preference',
  severity: 'error',
  summary: 'FSDP2 does not train quantized models on preferences.',
  sources: ['axolotl 0.18 utils/schemas/validation.py check_fsdp2_base_model_quant_rl'],
  dialects: AXOLOTL,
  check: when(
    [version2, is('rl', 'dpo', 'kto', 'orpo', 'ipo'), anyOn('load_in_4bit', 'load_in_8bit')],
    (quote, { say }) => ({
      at: ['fsdp_version'],
      message: say(
        'Axolotl rejects a quantized base model with {0} under {1}. Use DeepSpeed, or load the model unquantized.',
        quote('rl'),
        quote('fsdp_version'),
      ),
    }),
  ),
};

function version2(context: RuleContext): boolean {
  return numberOf(context, 'fsdp_version') === 2;
}

/** The optimizers of bitsandbytes, whose CUDA kernels do not support sharded tensors. */
const BITSANDBYTES = ['adamw_8bit', 'adamw_bnb_8bit'];

export const fsdp8bitOptimizer: Rule = {
  id: 'fsdp-8bit-optimizer',
  severity: 'error',
  summary: 'This 8-bit optimizer does not work with this FSDP setup.',
  sources: [
    'axolotl 0.18 utils/schemas/validation.py check_fsdp2_w_8bit_optimizer, check_fsdp_offload_w_8bit_optimizer',
  ],
  dialects: AXOLOTL,
  check(context) {
    const optimizer = textOf(context, 'optimizer');
    if (!optimizer?.includes('8bit') || !isOn(context, 'fsdp_config')) return [];
    const version2 = fsdpVersion(context) === 2;
    const refused = version2 ? BITSANDBYTES.includes(optimizer) : fsdpOn(context, 'offload_params');
    if (!refused) return [];
    const better = version2 ? 'adamw_torch_8bit' : 'adamw_torch_fused';
    const written = quoted(context, 'optimizer');
    const message = version2
      ? context.say(
          'Axolotl rejects {0} with FSDP2, whose sharded tensors its kernels do not know. Use {1}.',
          written,
          better,
        )
      : context.say('Axolotl rejects {0} with FSDP1 with offloaded parameters. Use {1}.', written, better);
    return [{ at: ['optimizer'], message, remedies: [setKey('optimizer', better)] }];
  },
};
