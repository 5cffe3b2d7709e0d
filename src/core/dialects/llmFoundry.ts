import type { OwnModel } from '../models/ownModel';
import { builtIn } from './defined/compile';
import type { Dialect } from './dialect';
import type { RunReader } from './engine/runReader';
import file from './llmFoundry.yaml';

/** Keys that change what a block computes in ways that are not modeled. */
const OTHER_BLOCKS: readonly string[] = [
  'block_overrides',
  'fc_type',
  'fuse_norm_attn_norm',
  'attn_config.qk_ln',
  'attn_config.qk_gn',
  'attn_config.clip_qkv',
];

const ATTENTION_TYPES: readonly string[] = [
  'multihead_attention',
  'multiquery_attention',
  'grouped_query_attention',
];

/** models/mpt/configuration_mpt.py, MPTConfig, with its defaults. */
function mpt(run: RunReader): OwnModel | null {
  if (run.word('model.name') !== 'mpt_causal_lm') return null;
  const has = (key: string): boolean => run.has(`model.${key}`);
  const word = (key: string, usual: string): string => (has(key) ? run.word(`model.${key}`) : null) ?? usual;
  const size = (key: string, usual: number): number => (has(key) ? run.count(`model.${key}`) : null) ?? usual;
  const flag = (key: string, usual: boolean): boolean =>
    (has(key) ? run.flag(`model.${key}`) : null) ?? usual;
  const isOther =
    OTHER_BLOCKS.some(key => has(key) && run.flag(`model.${key}`) !== false) ||
    word('ffn_config.ffn_type', 'mptmlp') !== 'mptmlp' ||
    word('norm_type', 'low_precision_layernorm') !== 'low_precision_layernorm' ||
    !ATTENTION_TYPES.includes(word('attn_config.attn_type', 'multihead_attention'));
  if (isOther) return null;
  const [width, heads] = [size('d_model', 2048), size('n_heads', 16)];
  const bias = !flag('no_bias', false);
  const [rope, alibi] = [flag('attn_config.rope', false), flag('attn_config.alibi', false)];
  return {
    as: 'config.json',
    fromScratch: true,
    config: {
      model_type: 'mpt-foundry',
      torch_dtype: 'float32',
      d_model: width,
      n_heads: heads,
      kv_n_heads: keyHeads(word('attn_config.attn_type', 'multihead_attention'), heads, key =>
        size(key, heads),
      ),
      n_layers: size('n_layers', 24),
      intermediate_size: width * size('expansion_ratio', 4),
      vocab_size: size('vocab_size', 50_368),
      max_seq_len: size('max_seq_len', 2048),
      max_position_embeddings: size('max_seq_len', 2048),
      learned_pos_emb: flag('learned_pos_emb', true) && !rope && !alibi,
      rope,
      alibi,
      hidden_act: 'gelu',
      bias,
      attention_bias: flag('attention_bias', bias),
      tie_word_embeddings: flag('tie_word_embeddings', true),
    },
  };
}

function keyHeads(type: string, heads: number, size: (key: string) => number): number {
  if (type === 'multiquery_attention') return 1;
  return type === 'grouped_query_attention' ? size('attn_config.kv_n_heads') : heads;
}

/** mosaicml/llm-foundry 8c8dd48. */
export const llmFoundry: Dialect = builtIn(file, { ownModel: mpt });
