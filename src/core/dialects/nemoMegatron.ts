import type { Quantity } from '../spec/quantity';
import type { LoraSettings } from '../spec/values';
import { number } from './engine/readers';
import type { RunReader } from './engine/runReader';
import { ownOf } from '../yaml/tables';
import type { OwnModel } from '../models/ownModel';
import { builtIn } from './defined/compile';
import file from './nemoMegatron.yaml';
import type { Dialect } from './dialect';

const SCHEME = 'model.peft.peft_scheme';

const TARGETS: Readonly<Record<string, readonly string[]>> = {
  attention_qkv: ['q_proj', 'k_proj', 'v_proj'],
  attention_dense: ['o_proj'],
  attention: ['q_proj', 'k_proj', 'v_proj', 'o_proj'],
  mlp_fc1: ['gate_proj', 'up_proj'],
  mlp_fc2: ['down_proj'],
  mlp: ['gate_proj', 'up_proj', 'down_proj'],
  all: ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'],
};

/** Each scheme has a separate section. */
function lora(run: RunReader): Quantity<LoraSettings> {
  const scheme = run.word(SCHEME);
  const chosen = run.get('method').value;
  if (chosen !== 'lora' && chosen !== 'qlora') {
    return run.none('NeMo tuning/conf/megatron_gpt_finetuning_config.yaml: another scheme');
  }
  const section = scheme === 'lora' || scheme === 'qlora' ? 'lora_tuning' : `${scheme ?? ''}_tuning`;
  const key = (name: string): string => `model.peft.${section}.${name}`;
  const r = run.has(key('adapter_dim'))
    ? run.count(key('adapter_dim'))
    : section === 'ia3_tuning'
      ? null
      : 32;
  const targets = run.words(key('target_modules')) ?? ['attention_qkv'];
  return run.at([key('adapter_dim'), SCHEME], {
    r,
    alpha: run.read(key('alpha'), number) ?? r,
    dropout: run.read(key('adapter_dropout'), number) ?? 0,
    targets: targets.flatMap(name => ownOf(TARGETS, name) ?? [name]),
    modulesToSave: [],
    rslora: false,
    dora: false,
    ...(section !== 'lora_tuning' && { method: scheme ?? '' }),
  });
}

/** NeMo's keys for sizes, with Megatron's arguments. */
const SIZES: Readonly<Record<string, string>> = {
  num_layers: 'num-layers',
  hidden_size: 'hidden-size',
  ffn_hidden_size: 'ffn-hidden-size',
  num_attention_heads: 'num-attention-heads',
  kv_channels: 'kv-channels',
  max_position_embeddings: 'max-position-embeddings',
  make_vocab_size_divisible_by: 'make-vocab-size-divisible-by',
  num_moe_experts: 'num-experts',
  moe_router_topk: 'moe-router-topk',
};

/** Vocabulary sizes of tokenizers, which the model needs: from the models' config.json. */
const WORDS: Readonly<Record<string, number>> = {
  'meta-llama/Meta-Llama-3-8B': 128256,
  'meta-llama/Meta-Llama-3-70B': 128256,
  'meta-llama/Meta-Llama-3.1-405B': 128256,
  'meta-llama/Llama-2-7b-hf': 32000,
  'mistralai/Mistral-7B-v0.1': 32000,
  'mistralai/Mixtral-8x7B-v0.1': 32000,
  'EleutherAI/gpt-neox-20b': 50277,
  gpt2: 50257,
  GPT2BPETokenizer: 50257,
};

/** A pretraining config has all sizes; a fine-tuning config takes them from the .nemo file. */
function nemoModel(run: RunReader): OwnModel | null {
  const words = wordsOf(run);
  if (run.has('model.restore_from_path') || words === null || isOther(run)) return null;
  const sizes = Object.entries(SIZES).flatMap(([key, argument]) => {
    const value = run.has(`model.${key}`) ? run.count(`model.${key}`) : null;
    return value === null ? [] : [[argument, String(value)] as const];
  });
  const statedArguments = Object.fromEntries(sizes);
  if (!['num-layers', 'hidden-size', 'num-attention-heads'].every(name => name in statedArguments)) {
    return null;
  }
  return {
    as: 'megatron',
    arguments: { ...statedArguments, ...shapeOf(run), 'vocab-size': String(words - 1) },
    tensorRanks: run.get('parallel').value?.tensor ?? 1,
  };
}

/** True for layers other than a decoder's. */
const isOther = (run: RunReader): boolean =>
  run.has('model.hybrid_override_pattern') ||
  run.has('model.mamba_ssm_ngroups') ||
  run.word('model.position_embedding_type') === 'none';

/** `???` is set on the command line and has no value here. */
function textAt(run: RunReader, key: string): string {
  const value = run.value(key);
  return typeof value === 'string' ? value : '';
}

function wordsOf(run: RunReader): number | null {
  const stated = run.has('model.vocab_size') ? run.count('model.vocab_size') : null;
  const names = ['type', 'model'].map(key => `model.tokenizer.${key}`);
  const named = names.flatMap(key => WORDS[textAt(run, key)] ?? []);
  return stated ?? named[0] ?? null;
}

/** Everything but sizes: the MLP's gate, biases, norms, positions, shared heads and embeddings. */
function shapeOf(run: RunReader): Record<string, string> {
  const groups = run.has('model.num_query_groups') ? run.count('model.num_query_groups') : null;
  const isGated = (run.word('model.activation') ?? '').includes('glu');
  return {
    ...(groups !== null && { 'group-query-attention': 'true', 'num-query-groups': String(groups) }),
    ...(isGated && { swiglu: 'true' }),
    ...(run.flag('model.bias') === false && { 'disable-bias-linear': 'true' }),
    ...(/rms/i.test(run.word('model.normalization') ?? '') && { normalization: 'RMSNorm' }),
    ...(run.word('model.position_embedding_type') === 'rope' && { 'position-embedding-type': 'rope' }),
    ...(run.flag('model.share_embeddings_and_output_weights') === false && {
      'untie-embeddings-and-output-weights': 'true',
    }),
  };
}

/** NeMo 1.x on Megatron, and the files of its launcher; sources are files of NVIDIA/NeMo 8cfedd7 (2.6.0rc0). */
export const nemoMegatron: Dialect = builtIn(file, { quantities: { lora }, ownModel: nemoModel });
