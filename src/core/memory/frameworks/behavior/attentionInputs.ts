import { compareReleases, inRelease } from '../../../spec/version';
import type { Behavior } from './behavior';
import type { Release } from '../../../spec/version';

/** transformers, integrations/sdpa_attention.py. */
const SDPA: readonly [Release<SdpaInputs>, ...Release<SdpaInputs>[]] = [
  { since: '4.56', value: { repeatsKeyHeads: false, copiesAttentionInputs: false } },
  { since: '4.54', value: { repeatsKeyHeads: false, copiesAttentionInputs: true } },
  { since: '4.48', value: { repeatsKeyHeads: true, copiesAttentionInputs: true } },
  { since: '0', value: { repeatsKeyHeads: true, copiesAttentionInputs: false } },
];

/**
 * Families whose FlashAttention class repeated key heads until transformers had a common attention interface
 * (4.48).
 */
const REPEATED_FOR_FLASH: ReadonlySet<string> = new Set([
  'jamba',
  'mistral',
  'mixtral',
  'phi3',
  'qwen2',
  'qwen2_moe',
  'starcoder2',
]);

function flashInputs(transformers: string, modelType: string): SdpaInputs {
  const own = compareReleases(transformers, '4.48') < 0 && REPEATED_FOR_FLASH.has(modelType);
  return { repeatsKeyHeads: own, copiesAttentionInputs: false };
}

type SdpaInputs = Pick<Behavior, 'repeatsKeyHeads' | 'copiesAttentionInputs'>;

/** The inputs of the attention kernel. */
export function attentionInputsOf(
  attention: 'eager' | 'sdpa' | 'flash',
  transformers: string,
  modelType: string,
): SdpaInputs {
  return attention === 'sdpa' ? inRelease(SDPA, transformers) : flashInputs(transformers, modelType);
}
