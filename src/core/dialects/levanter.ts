import type { OwnModel } from '../models/ownModel';
import type { RunReader } from './engine/runReader';
import { builtIn } from './defined/compile';
import file from './levanter.yaml';
import type { Dialect } from './dialect';

/** Vocabulary sizes, which only the tokenizer knows, except for these. */
const ROWS: Readonly<Record<string, number>> = {
  'NousResearch/Llama-2-7b-hf': 32000,
  'meta-llama/Llama-2-7b-hf': 32000,
  'meta-llama/Meta-Llama-3-8B': 128256,
  'stanford-crfm/marin-tokenizer': 128256,
  gpt2: 50257,
};

/** levanter/models/llama.py, gpt2.py: their fields under transformers' names. */
function levanterModel(run: RunReader): OwnModel | null {
  const type = run.word('model.type');
  const words = ROWS[run.word('data.tokenizer') ?? 'gpt2'];
  const size = (key: string): number | null => (run.has(`model.${key}`) ? run.count(`model.${key}`) : null);
  const [hidden, layers, heads] = [size('hidden_dim'), size('num_layers'), size('num_heads')];
  if (hidden === null || layers === null || heads === null || words === undefined) return null;
  const length = size('seq_len') ?? size('max_seq_len');
  if (type === 'gpt2') {
    const sizes = { n_embd: hidden, n_layer: layers, n_head: heads, n_positions: length ?? 512 };
    return { as: 'config.json', config: { ...sizes, model_type: type, vocab_size: words } };
  }
  const width = size('intermediate_dim');
  if ((type !== 'llama' && type !== 'mistral') || width === null) return null;
  return {
    as: 'config.json',
    config: {
      model_type: type,
      hidden_size: hidden,
      intermediate_size: width,
      num_hidden_layers: layers,
      num_attention_heads: heads,
      num_key_value_heads: size('num_kv_heads') ?? heads,
      vocab_size: words,
      max_position_embeddings: length ?? 2048,
      tie_word_embeddings: run.flag('model.tie_word_embeddings') ?? false,
    },
  };
}

/** levanter, on JAX; sources are files of stanford-crfm/levanter 9263f81. */
export const levanter: Dialect = builtIn(file, { ownModel: levanterModel });
