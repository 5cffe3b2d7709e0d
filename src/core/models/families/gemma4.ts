import { countGemma4 } from '../gemma4';
import type { Families } from './family';
import { llamaLike } from './decoders';

/** Keys of Gemma4TextConfig that a decoder does not have. */
const KEYS = [
  'global_head_dim',
  'num_global_key_value_heads',
  'hidden_size_per_layer_input',
  'num_kv_shared_layers',
] as const;
const FLAGS = ['attention_k_eq_v', 'use_double_wide_mlp', 'enable_moe_block'] as const;

/** Gemma 4's language model. Modeling code as of transformers 5.23. */
export const gemma4: Families = llamaLike['gemma3_text']
  ? {
      gemma4_text: {
        ...llamaLike['gemma3_text'],
        adjust: (values, { extra }) => {
          const numbers = KEYS.map(key => [key, values.count(key)] as const);
          const flags = FLAGS.map(key => [key, values.flag(key)] as const);
          const listed = values.list('layer_types');
          const kinds = listed.length > 0 ? { layer_types: listed } : {};
          const stated: Readonly<Record<string, unknown>> = Object.fromEntries<unknown>([
            ...numbers,
            ...flags,
          ]);
          return { extra: { ...extra, ...stated, ...kinds } };
        },
        count: countGemma4,
      },
    }
  : {};
