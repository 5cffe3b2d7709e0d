import type { OwnModel } from '../models/ownModel';
import type { RunReader } from './engine/runReader';
import { builtIn } from './defined/compile';
import file from './megatronLm.yaml';
import type { Dialect } from './dialect';

/** Numeric arguments. */
const SIZES = [
  'num_layers',
  'hidden_size',
  'ffn_hidden_size',
  'num_attention_heads',
  'num_query_groups',
  'kv_channels',
  'max_position_embeddings',
  'seq_length',
  'make_vocab_size_divisible_by',
  'num_experts',
  'moe_router_topk',
  'moe_ffn_hidden_size',
  'q_lora_rank',
  'kv_lora_rank',
  'qk_head_dim',
  'qk_pos_emb_head_dim',
  'v_head_dim',
] as const;

/** Boolean arguments. */
const SWITCHES = [
  'group_query_attention',
  'swiglu',
  'disable_bias_linear',
  'untie_embeddings_and_output_weights',
  'multi_latent_attention',
] as const;

const NEEDED = ['num-layers', 'hidden-size', 'num-attention-heads'];

/** Vocabulary size of named tokenizers: from the models' config.json, minus the token that Megatron adds. */
const GPT2 = 50256;

/** The model of the arguments; null if a size or the vocabulary is missing. */
function megatronLmModel(run: RunReader): OwnModel | null {
  const dashed = (name: string): string => name.replaceAll('_', '-');
  const sizes = SIZES.flatMap(name => {
    const size = run.has(name) ? run.count(name) : null;
    return size === null ? [] : [[dashed(name), String(size)] as const];
  });
  const switches = SWITCHES.filter(name => run.flag(name) === true).map(
    name => [dashed(name), 'true'] as const,
  );
  const words = ['normalization', 'position_embedding_type'].flatMap(name =>
    run.has(name) ? [[dashed(name), run.word(name) ?? ''] as const] : [],
  );
  const rows = rowsOf(run);
  const statedArguments: Record<string, string> = Object.fromEntries([...sizes, ...switches, ...words]);
  if (rows === null || !NEEDED.every(name => name in statedArguments)) return null;
  return {
    as: 'megatron',
    arguments: { ...statedArguments, 'vocab-size': String(rows) },
    tensorRanks: run.get('parallel').value?.tensor ?? 1,
  };
}

/** The stated vocabulary size, or that of GPT-2's tokenizer; other tokenizers have it in their files. */
function rowsOf(run: RunReader): number | null {
  if (run.has('vocab_size')) return run.count('vocab_size');
  if (run.has('vocab_file') && run.has('merge_file')) return GPT2;
  return run.word('tokenizer_type') === 'GPT2BPETokenizer' ? GPT2 : null;
}

/** Megatron-LM's arguments on a command line; sources are files of NVIDIA/Megatron-LM d98e8a6 (core 0.20). */
export const megatronLm: Dialect = builtIn(file, { ownModel: megatronLmModel });
