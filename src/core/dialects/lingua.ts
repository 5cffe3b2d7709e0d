import type { OwnModel } from '../models/ownModel';
import { number } from './engine/readers';
import type { RunReader } from './engine/runReader';
import { builtIn } from './defined/compile';
import file from './lingua.yaml';
import type { Dialect } from './dialect';

/** `multiple_of * ceil(hidden / multiple_of)` of 8/3 × dim, times ffn_dim_multiplier (lingua/transformer.py, FeedForward). */
function widthOf(run: RunReader, dim: number): number {
  const multiple = run.has('model.multiple_of') ? (run.count('model.multiple_of') ?? 256) : 256;
  const factor = run.read('model.ffn_dim_multiplier', number) ?? 1;
  const hidden = Math.floor(factor * Math.floor((2 * 4 * dim) / 3));
  return multiple * Math.ceil(hidden / multiple);
}

/** The vocabulary size is known only if the config states it. */
function linguaModel(run: RunReader): OwnModel | null {
  const size = (key: string): number | null => (run.has(`model.${key}`) ? run.count(`model.${key}`) : null);
  const [dim, layers, heads] = [size('dim'), size('n_layers'), size('n_heads')];
  const words = size('vocab_size') ?? bytesOf(run);
  if (dim === null || layers === null || heads === null || words === null) return null;
  return {
    as: 'config.json',
    config: {
      model_type: 'llama',
      hidden_size: dim,
      intermediate_size: widthOf(run, dim),
      num_hidden_layers: layers,
      num_attention_heads: heads,
      num_key_value_heads: size('n_kv_heads') ?? heads,
      vocab_size: words,
      max_position_embeddings: run.get('seqLen').value ?? 2048,
      tie_word_embeddings: run.flag('model.weight_tying') ?? false,
    },
  };
}

/** lingua/tokenizer.py, ByteTokenizer: 256 bytes plus begin and end. */
const bytesOf = (run: RunReader): number | null => (run.word('data.tokenizer.name') === 'bytes' ? 258 : null);

/** lingua's apps; sources are files of facebookresearch/lingua 437d680. */
export const lingua: Dialect = builtIn(file, { ownModel: linguaModel });
