import type { OwnModel } from '../models/ownModel';
import type { RunReader } from './engine/runReader';
import { builtIn } from './defined/compile';
import file from './maxtext.yaml';
import type { Dialect } from './dialect';

/** MaxText's decoder blocks, with the equivalent type in transformers. */
const BLOCKS: Readonly<Record<string, string>> = {
  llama2: 'llama',
  llama3: 'llama',
  mistral: 'mistral',
  gemma: 'gemma',
};

function maxtextModel(run: RunReader): OwnModel | null {
  const size = (key: string): number | null => (run.has(key) ? run.count(key) : null);
  const type = BLOCKS[run.word('decoder_block') ?? 'llama2'];
  const [hidden, layers, heads, width] = [
    size('base_emb_dim'),
    size('base_num_decoder_layers'),
    size('base_num_query_heads'),
    size('base_mlp_dim'),
  ];
  const words = size('vocab_size');
  if (type === undefined || hidden === null || layers === null || heads === null) return null;
  if (width === null || words === null) return null;
  return {
    as: 'config.json',
    config: {
      model_type: type,
      hidden_size: hidden,
      intermediate_size: width,
      num_hidden_layers: layers,
      num_attention_heads: heads,
      num_key_value_heads: size('base_num_kv_heads') ?? heads,
      ...(run.has('head_dim') && { head_dim: size('head_dim') }),
      vocab_size: words,
      max_position_embeddings: run.get('seqLen').value ?? 2048,
      tie_word_embeddings: run.flag('logits_via_embedding') ?? false,
    },
  };
}

/** MaxText, on JAX; sources are files of AI-Hypercomputer/maxtext e591f30. */
export const maxtext: Dialect = builtIn(file, { ownModel: maxtextModel });
