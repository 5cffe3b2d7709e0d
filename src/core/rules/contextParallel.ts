import type { Rule } from './rule';
import { AXOLOTL } from './dialectGroups';
import { isOn, isOff, numberOf, textOf } from './raw';
import type { Keys } from './raw';
import { quoted, setKey } from './when';

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
      const message = `Axolotl rejects ${degree} without flash attention. Set attn_implementation to flash_attention_2.`;
      return [{ at: [key], message, remedies: [setKey('attn_implementation', 'flash_attention_2')] }];
    }
    if (!isOn(context, 'sample_packing') || (numberOf(context, 'micro_batch_size') ?? 1) <= 1) return [];
    const message = `Axolotl rejects ${quoted(context, 'micro_batch_size')} with ${degree} and sample packing. Set micro_batch_size to 1 and use a longer sequence_len.`;
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
