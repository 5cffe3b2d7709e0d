import { isOff, isOn, numberOf, textOf } from './raw';
import type { Keys } from './raw';
import { AXOLOTL } from './rule';
import type { Rule } from './rule';
import { change, listed, quoted, setKey } from './when';

/** Short names that Axolotl rejects, and the names it expects. */
const SHORT: Readonly<Record<string, string>> = {
  flash: 'flash_attention_2',
  flex: 'flex_attention',
  sdp: 'sdpa',
};

export const attentionName: Rule = {
  id: 'attention-name',
  severity: 'error',
  summary: '`attn_implementation` has a short name that is rejected.',
  sources: [
    'axolotl 0.18 utils/schemas/config.py validate_attn_implementation; enums.py SHORT_FORM_ALIAS_TO_CANONICAL',
  ],
  dialects: AXOLOTL,
  check(context) {
    const name = textOf(context, 'attn_implementation') ?? '';
    const full = Object.hasOwn(SHORT, name) ? SHORT[name] : undefined;
    if (full === undefined) return [];
    const message = context.say('Axolotl rejects `attn_implementation: {0}`. Write {1}.', name, full);
    return [{ at: ['attn_implementation'], message, remedies: [setKey('attn_implementation', full)] }];
  },
};

const FLAGS = [
  'xformers_attention',
  'sage_attention',
  'flex_attention',
  'flash_attention',
  'sdp_attention',
  'eager_attention',
];

export const attentionTwice: Rule = {
  id: 'attention-twice',
  severity: 'warning',
  summary: '`attn_implementation` and an old attention switch are both set.',
  sources: ['axolotl 0.18 utils/schemas/config.py normalize_attn_implementation (since 0.17)'],
  dialects: AXOLOTL,
  check(context) {
    const flags = FLAGS.filter(flag => isOn(context, flag));
    if (!isOn(context, 'attn_implementation') || flags.length === 0) return [];
    const message = context.say(
      'Axolotl 0.17 and newer reject {0} together with {1}. Keep attn_implementation.',
      quoted(context, 'attn_implementation'),
      listed(
        context.say,
        flags.map(flag => quoted(context, flag)),
      ),
    );
    return [{ at: flags, message }];
  },
};

export const flashAttentionUnsupported: Rule = {
  id: 'flash-attention-unsupported',
  severity: 'error',
  summary: 'FlashAttention-2 does not run on the chosen GPU.',
  sources: ['flash-attention 2: “FlashAttention only supports Ampere GPUs or newer.” (RuntimeError)'],
  check({ run, target, say }) {
    const { attention } = run.quantities;
    const gpu = target?.gpu;
    if (gpu?.supports.flashAttention2 !== false || attention.value !== 'flash_attention_2') return [];
    if (attention.origin.kind !== 'file' && attention.origin.kind !== 'referenced') return [];
    const message = say(
      'FlashAttention-2 stops with an error on {0}, which its kernels do not support. Use sdpa there: PyTorch then takes its memory-efficient kernel.',
      gpu.label,
    );
    const remedies = [change(say('Use sdpa attention'), { quantity: 'attention', to: 'sdpa' })];
    return [{ at: ['quantity:attention'], message, remedies }];
  },
};

const FLASH = /^(?:flash_attention_[23]|kernels-community\/flash-attn[23])$/;

export const contextParallel: Rule = {
  id: 'context-parallel',
  severity: 'error',
  summary: 'Context parallelism needs flash attention and, with packing, a micro-batch of 1.',
  sources: ['axolotl 0.18 utils/schemas/validation.py check_context_parallel_size'],
  dialects: AXOLOTL,
  check(context) {
    const key = ['context_parallel_size', 'sequence_parallel_degree'].find(
      one => (numberOf(context, one) ?? 1) > 1,
    );
    if (key === undefined || !isOff(context, 'use_glm_dsa_kernels')) return [];
    const degree = quoted(context, key);
    if (!usesFlash(context)) {
      const message = context.say(
        'Axolotl rejects {0} without flash attention. Set attn_implementation to flash_attention_2.',
        degree,
      );
      return [{ at: [key], message, remedies: [setKey('attn_implementation', 'flash_attention_2')] }];
    }
    if (!isOn(context, 'sample_packing') || (numberOf(context, 'micro_batch_size') ?? 1) <= 1) return [];
    const message = context.say(
      'Axolotl rejects {0} with {1} and sample packing. Set micro_batch_size to 1 and use a longer sequence_len.',
      quoted(context, 'micro_batch_size'),
      degree,
    );
    return [{ at: ['micro_batch_size'], message }];
  },
};

/** True unless the config certainly uses something else. */
function usesFlash(keys: Keys): boolean {
  const name = textOf(keys, 'attn_implementation');
  if (name !== null) return FLASH.test(name);
  return (
    !isOff(keys, 'flash_attention') ||
    !isOff(keys, 'attn_implementation') ||
    isOn(keys, 'gemma4_hybrid_attn_impl')
  );
}
