// Converts records of models.jsonl to the compact groups that src/core/models/catalog.ts reads. A group shares a
// model type; `shared` contains the facts most of its rows have, a row's last column its differences.
import { readFileSync } from 'node:fs';
import { difference, groupBy, mostCommon, trimmed } from './groups.mjs';

/** Variants of a family by the beginning of their names, the longest first, with their own facts. */
const variantTable = JSON.parse(readFileSync(new URL('variantPositions.json', import.meta.url), 'utf8'));
const variants = Object.entries(variantTable.positions)
  .flatMap(([positions, names]) =>
    names.split(' ').map(name => ({
      name,
      facts: { max_position_embeddings: Number(positions), ...variantTable.otherFacts[name] },
    })),
  )
  .toSorted((a, b) => b.name.length - a.name.length);

/** Columns of a row, in order; trailing `facts` and `names` may be omitted. */
const columns = [
  'id',
  'total',
  'hiddenSize',
  'intermediateSize',
  'layers',
  'heads',
  'kvHeads',
  'headDim',
  'vocabSize',
  'maxPositions',
  'names',
  'facts',
];

/** Types that the table names differently: the remote code's names. */
const TYPES = { 'xlm-roberta (flash, rope)': 'xlm-roberta-flash', 'bert (jina)': 'jina_bert' };
const KINDS = { 'moe-decoder': 'decoder', ssm: 'state-space' };
const NORMS = {
  rmsnorm: 'rmsnorm',
  layernorm: 'layernorm',
  layernorm_nobias: 'layernorm-no-bias',
};
const QK_NORMS = { head: 'head', rms_norm: 'head', full: 'full', layernorm_per_head: 'each-head' };
const DTYPES = { float32: 'float32', float16: 'float16', bfloat16: 'bfloat16' };

/** Additional fields that an architecture may need; all others of a record (sources, notes) are dropped. */
const EXTRA =
  `type_vocab_size has_pooler embedding_size word_embed_dim embed_norm final_norm lm_head_bias extra_embeddings
  num_hidden_groups relative_attention_buckets position_buckets conv_kernel_size classifier_params embedding_head_dim
  embedding_dim pooling task parallel_residual partial_rotary sliding_window_pattern attn_logit_softcapping
  final_logit_softcapping attention_sinks sparse_indexer num_decoder_layers cross_attention_layers global_head_dim
  global_num_key_value_heads attention_k_eq_v per_layer_embedding_dim num_kv_shared_layers full_attention_interval`
    .split(/\s+/)
    .filter(Boolean);

function positions(record) {
  const text = record.positional ?? 'none';
  const word = ['rope', 'learned', 'alibi', 'relative', 'sinusoidal'].find(kind => text.startsWith(kind));
  return word ?? 'none';
}

/** Rows of a position table that are not usable positions: OPT reserves two, Pegasus stores sinusoids. */
function positionRows(record) {
  if (record.stores_positions) return record.max_position_embeddings;
  if (positions(record) !== 'learned' || !record.position_offset || record.kind === 'encoder') return 0;
  return record.max_position_embeddings + record.position_offset;
}

function moe(record) {
  if (!record.num_experts) return undefined;
  const layers = Array.from({ length: record.num_hidden_layers }, (_, index) => index);
  const step = record.moe_layer_step ?? 1;
  const withExperts = layers.filter(
    index => index >= (record.first_k_dense ?? 0) && (index + 1) % step === 0,
  );
  return {
    layers: withExperts.length,
    intermediateSize: record.moe_intermediate_size ?? record.intermediate_size,
    sharedIntermediateSize: record.shared_expert_intermediate_size ?? 0,
    sharedGate: record.shared_expert_gate ?? false,
    routerBias: record.router_bias ?? false,
    expertBias: record.expert_bias ?? false,
    scoreCorrection: record.router_score_correction ?? false,
    besideDense: record.moe_plus_dense ?? false,
  };
}

function mla(record) {
  if (record.attention !== 'mla') return undefined;
  return {
    qLoraRank: record.mla.q_lora_rank ?? 0,
    kvLoraRank: record.mla.kv_lora_rank,
    qkNopeHeadDim: record.mla.qk_nope_head_dim,
    qkRopeHeadDim: record.mla.qk_rope_head_dim,
    vHeadDim: record.mla.v_head_dim,
  };
}

/** Sizes of a vision tower, with the names of its own config. */
const TOWER = [
  'hidden_size',
  'intermediate_size',
  'num_hidden_layers',
  'num_attention_heads',
  'patch_size',
  'image_size',
  'spatial_merge_size',
];

function tower(vision) {
  return Object.fromEntries(TOWER.filter(name => name in vision).map(name => [name, vision[name]]));
}

/** Values in the config.json of all of a family's checkpoints that the table lacks. */
const FAMILIES = {
  'deberta-v3': { share_att_key: true, norm_rel_ebd: 'layer_norm', pos_att_type: 'p2c|c2p' },
};

/** Of wav2vec 2.0 and HuBERT, the table has the large models that were trained on more than LibriSpeech. */
const LARGE_WAV2VEC2 = { feat_extract_norm: 'layer', do_stable_layer_norm: true, conv_bias: true };

/** Heads of gated delta nets, with the names of a config.json. */
function deltaNet({ delta_net: net }) {
  if (!net) return [];
  return [
    ['linear_num_key_heads', net.num_key_heads],
    ['linear_num_value_heads', net.num_value_heads],
    ['linear_key_head_dim', net.key_head_dim],
    ['linear_value_head_dim', net.value_head_dim],
    ['linear_conv_kernel_dim', net.conv_kernel],
  ];
}

/** The format that a model is published in, which servers hold as it is: fp8 in blocks, or MXFP4 for experts. */
function publishedFormat(record) {
  if (record.published_extra?.['fp8 block scales']) return 'fp8';
  return /MXFP4/i.test(record.torch_dtype ?? '') ? 'mxfp4' : undefined;
}

function extra(record) {
  const kept = EXTRA.filter(name => name in record && record[name] !== null).map(name => [
    name,
    record[name],
  ]);
  if (typeof record.qkv_bias === 'string') kept.push(['qkv_bias', record.qkv_bias]);
  if (record.torch_dtype && !DTYPES[record.torch_dtype]) kept.push(['stored_dtype', record.torch_dtype]);
  const buckets = /relative bias \((\d+) buckets\)/.exec(record.positional ?? '');
  if (buckets) kept.push(['relative_attention_buckets', Number(buckets[1])]);
  if (record.kind === 'vision-language' && record.vision) kept.push(['vision_config', tower(record.vision)]);
  kept.push(...deltaNet(record), ...Object.entries(FAMILIES[record.family] ?? {}));
  const isLarge = record.family === 'wav2vec2' && record.hidden_size >= 1024;
  kept.push(...Object.entries(isLarge ? LARGE_WAV2VEC2 : {}));
  const format = publishedFormat(record);
  if (format) kept.push(['published_format', format]);
  if (record.verified !== 'exact') kept.push(['verified', record.verified]);
  return kept.map(([name, value]) => [`extra.${name}`, value]);
}

/** Facts besides the columns, with the names of ModelFacts; false, 0 and null are omitted. */
function facts(record) {
  const all = {
    kind: KINDS[record.kind] ?? record.kind,
    positions: positions(record),
    positionRows: positionRows(record),
    tiedEmbeddings: record.tie_word_embeddings,
    qkvBias: Boolean(record.qkv_bias),
    attentionOutBias: record.attn_out_bias,
    mlpBias: record.mlp_bias,
    gatedMlp: record.gated_mlp,
    activation: record.hidden_act,
    norm: NORMS[record.norm] ?? 'none',
    normsPerLayer: record.norms_per_layer ?? (record.attention === 'none' ? 1 : 2),
    qkNorm: QK_NORMS[record.qk_norm],
    dtype: DTYPES[record.torch_dtype?.split(/[ /]/)[0]] ?? (record.torch_dtype ? 'bfloat16' : undefined),
    slidingWindow: record.sliding_window,
    experts: record.num_experts,
    expertsPerToken: record.num_experts_per_tok,
    moe: moe(record),
    mla: mla(record),
    ...Object.fromEntries(extra(record)),
  };
  return Object.fromEntries(
    Object.entries(all).filter(([name, value]) => value || name.startsWith('extra.')),
  );
}

/** The first family with a version in a name: `Meta-Llama-3.1-8B` is llama 3.1. */
function versionIn(name) {
  const [, family, version] = /([a-z]+)-?(\d+(?:\.\d+)?)(?=[-_.]|$)/i.exec(name.replace(/^.*\//, '')) ?? [];
  return family && { family: family.toLowerCase(), version: Number(version) };
}

/**
 * Names that were matched by sizes alone can belong to a later release of the same sizes, which has another context:
 * each goes to the newest one that is not newer than the version in the name.
 */
function placed(records) {
  const of = (name, record) => {
    const [own, said] = [versionIn(record.id), versionIn(name)];
    if (!own || !said || own.family !== said.family || said.version <= own.version) return record;
    const later = records.filter(one => {
      const its = versionIn(one.id);
      const isAlike = one.params === record.params && one.model_type === record.model_type;
      return isAlike && its?.family === said.family && its.version <= said.version;
    });
    return later.toSorted((a, b) => versionIn(b.id).version - versionIn(a.id).version)[0] ?? record;
  };
  const found = new Map(records.map(record => [record, []]));
  for (const record of records) {
    for (const name of record.aliases_auto ?? []) found.get(of(name, record)).push(name);
  }
  return records.map(record => ({ ...record, aliases_auto: found.get(record) }));
}

/** The variant whose name a model's name begins with, if its facts are not the record's. */
function variantOf(name, record) {
  const own = name.toLowerCase().replace(/^.*\//, '');
  const startsOwn = start => own.startsWith(start) && !/[a-z0-9]/.test(own[start.length] ?? '');
  const found = variants.find(variant => startsOwn(variant.name));
  const isOther = Object.entries(found?.facts ?? {}).some(([fact, value]) => record[fact] !== value);
  return isOther ? found : undefined;
}

/** A record, and one for each variant among its names whose config.json has other positions. */
function withVariants(stated) {
  const record = { ...stated, ...variantOf(stated.id, stated)?.facts };
  const groups = groupBy([...record.aliases, ...record.aliases_auto], name => variantOf(name, record));
  const named = (variant, facts) => ({
    ...record,
    ...facts,
    aliases: groups.get(variant) ?? [],
    aliases_auto: [],
  });
  return [
    named(undefined),
    ...[...groups.keys()]
      .filter(variant => variant !== undefined)
      .map(variant => named(variant, { ...variant.facts, id: representative(record, groups.get(variant)) })),
  ];
}

/** The maker's own name where there is one, and the shortest. */
function representative(record, list) {
  const owner = record.id.replace(/\/.*$/, '/');
  const order = name => (name.startsWith(owner) ? 0 : 1000) + name.length;
  return list.toSorted((a, b) => order(a) - order(b) || (a < b ? -1 : 1))[0];
}

function names(record) {
  const all = [...record.aliases, ...record.aliases_auto];
  return [...new Set(all)].filter(name => name !== record.id).sort();
}

function row(record, own) {
  const cells = [
    record.id,
    record.params,
    record.hidden_size ?? 0,
    record.intermediate_size ?? 0,
    record.num_hidden_layers ?? 0,
    record.num_attention_heads ?? 0,
    record.num_key_value_heads ?? record.num_attention_heads ?? 0,
    record.head_dim ?? 0,
    record.vocab_size ?? 0,
    record.max_position_embeddings ?? null,
    names(record).join(' '),
    own,
  ];
  return trimmed(cells);
}

function group(modelType, records) {
  const own = records.map(facts);
  const shared = mostCommon(own);
  return {
    shared: { modelType, ...shared },
    rows: records.map((record, index) => row(record, difference(own[index], shared))),
  };
}

export function modelCatalog(table, from) {
  const records = placed(table).flatMap(withVariants);
  const byType = groupBy(records, record => TYPES[record.model_type] ?? record.model_type);
  const groups = [...byType].map(([modelType, list]) => group(modelType, list));
  const counts = {
    models: table.length,
    variants: records.length - table.length,
    otherNames: records.reduce((sum, record) => sum + names(record).length, 0),
    exact: table.filter(record => record.verified === 'exact').length,
  };
  return { header: { generatedBy: 'scripts/catalog.mjs', from, counts, columns }, groups };
}
