// Writes src/core/models/families/configDefaults.json: transformers' values for keys missing from a config.json.
//   node scripts/configDefaults.mjs PYTHON
// where PYTHON is an interpreter with transformers. Not part of any build. docs/catalogs.md says when to run it.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const file = 'src/core/models/families/configDefaults.json';

/** Keys that some family reads; all others of a default configuration are omitted. */
const keys =
  `hidden_size n_embd n_embed d_model dim intermediate_size shared_intermediate_size n_inner ffn_dim d_ff
  hidden_dim ffn_hidden_size encoder_ffn_dim decoder_ffn_dim expansion_ratio num_hidden_layers n_layer n_layers
  num_layers encoder_layers decoder_layers num_decoder_layers num_attention_heads n_head n_heads num_heads
  encoder_attention_heads num_key_value_heads num_kv_heads head_dim d_kv vocab_size max_position_embeddings
  n_positions max_seq_len tie_word_embeddings hidden_act hidden_activation activation activation_function
  feed_forward_proj attention_bias attention_out_bias mlp_bias use_bias bias qkv_bias use_qkv_bias enable_bias
  use_qk_norm qk_layernorm use_parallel_residual parallel_attn new_decoder_architecture multi_query alibi
  num_ln_in_parallel_attn do_layer_norm_before word_embed_proj_dim sliding_window use_sliding_window
  num_local_experts num_experts n_routed_experts num_experts_per_tok moe_intermediate_size n_shared_experts
  shared_expert_intermediate_size first_k_dense_replace decoder_sparse_step q_lora_rank kv_lora_rank
  qk_nope_head_dim qk_rope_head_dim v_head_dim index_n_heads index_head_dim index_topk type_vocab_size
  embedding_size num_hidden_groups inner_group_num relative_attention_num_buckets relative_attention
  position_buckets max_relative_positions position_biased_input conv_kernel_size norm_bias image_size patch_size
  num_channels num_mel_bins max_source_positions max_target_positions use_relative_position_bias use_shared_relative_position_bias
  block_auto_adjust_ff_dim block_multiple_of num_dense_layers num_shared_experts num_experts_per_token
  global_head_dim num_global_key_value_heads hidden_size_per_layer_input num_kv_shared_layers attention_k_eq_v
  use_double_wide_mlp`
    .split(/\s+/)
    .filter(Boolean);

const program = `
import inspect, json, sys, transformers
from transformers import CONFIG_MAPPING
asked = json.load(sys.stdin)
out = {}
for name in asked['types']:
    if name not in CONFIG_MAPPING: continue
    found = inspect.signature(CONFIG_MAPPING[name].__init__).parameters
    plain = {key: found[key].default for key in asked['keys'] if key in found}
    base = {'tie_word_embeddings': getattr(CONFIG_MAPPING[name](), 'tie_word_embeddings', None)}
    out[name] = {k: v for k, v in {**base, **plain}.items() if isinstance(v, (int, str)) or v is None}
print(json.dumps({'version': transformers.__version__, 'types': out}))
`;

/** The model types in the tables of families. */
function modelTypes() {
  const files = [
    'decoders',
    'oldDecoders',
    'moeDecoders',
    'encoders',
    'seq2seq',
    'speech',
    'vision',
    'families',
  ];
  const names = files.flatMap(name => {
    const text = readFileSync(`src/core/models/families/${name}.ts`, 'utf8');
    return [...text.matchAll(/^ {2}'?([\w-]+)'?(?::|,$)/gm)].map(match => match[1]);
  });
  return [...new Set(names)].sort();
}

const python = process.argv[2];
if (!python) {
  console.error('usage: node scripts/configDefaults.mjs PYTHON');
  process.exit(3);
}
const run = spawnSync(python, ['-c', program], {
  input: JSON.stringify({ types: modelTypes(), keys }),
  encoding: 'utf8',
  stdio: ['pipe', 'pipe', 'ignore'],
});
if (run.status !== 0) {
  console.error(`${python} could not read transformers' configurations.`);
  process.exit(1);
}
const { version, types } = JSON.parse(run.stdout);
const lines = Object.entries(types).map(
  ([name, values]) => ` ${JSON.stringify(name)}: ${JSON.stringify(values)}`,
);
const header = `{\n"generatedBy": "scripts/configDefaults.mjs", "from": "transformers ${version} (Apache-2.0)",\n`;
writeFileSync(file, `${header}"types": {\n${lines.join(',\n')}\n}}\n`);
console.log(`${file}: ${lines.length} model types of transformers ${version}`);
