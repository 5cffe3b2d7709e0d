import type { OwnModel } from '../models/ownModel';
import type { RunReader } from './engine/runReader';
import { builtIn } from './defined/compile';
import file from './gptNeox.yaml';
import type { Dialect } from './dialect';

/** `-` in a key becomes `_` on loading: returns the spelling that is present, else the first. */
const spelled = (run: RunReader, key: string): string =>
  [key, key.replaceAll('_', '-')].find(one => run.has(one)) ?? key;

/** Vocabulary sizes of the tokenizers, padded by make_vocab_size_divisible_by (128). */
const ROWS = 50304;

/**
 * A NeoX decoder, or a Llama decoder with gated MLPs and RMSNorm (megatron/neox_arguments/neox_args.py,
 * NeoXArgsModel).
 */
function neoxModel(run: RunReader): OwnModel | null {
  const size = (key: string): number | null => {
    const at = spelled(run, key);
    return run.has(at) ? run.count(at) : null;
  };
  const word = (key: string): string | null => run.word(spelled(run, key));
  const [layers, hidden, heads] = [size('num_layers'), size('hidden_size'), size('num_attention_heads')];
  if (layers === null || hidden === null || heads === null || word('pos_emb') !== 'rotary') return null;
  const isLlama = word('mlp_type') === 'llama' || word('activation') === 'swiglu';
  const tokenizer = word('tokenizer_type') ?? 'GPT2BPETokenizer';
  if (!/GPT2BPE|HFTokenizer/.test(tokenizer)) return null;
  const common = {
    hidden_size: hidden,
    num_hidden_layers: layers,
    num_attention_heads: heads,
    num_key_value_heads: size('num_kv_heads') ?? heads,
    max_position_embeddings: size('max_position_embeddings') ?? 2048,
    vocab_size: ROWS,
    tie_word_embeddings: run.flag(spelled(run, 'no_weight_tying')) !== true,
  };
  const width = size('intermediate_size');
  if (isLlama && width === null) return null;
  const config = isLlama
    ? { ...common, model_type: 'llama', intermediate_size: width }
    : { ...common, model_type: 'gpt_neox', intermediate_size: width ?? 4 * hidden };
  return { as: 'config.json', config };
}

/**
 * GPT-NeoX, which treats `-` and `_` in keys as equal. A run takes several of these files on the command line,
 * which complete each other. Sources are files of EleutherAI/gpt-neox ea7aefd.
 */
export const gptNeox: Dialect = builtIn(file, { ownModel: neoxModel });
