import type { OwnModel } from '../../models/ownModel';
import type { RunReader } from '../engine/runReader';
import { Finder, isCount, isNamed } from './finder';
import { leavesOfRun } from './leaves';
import type { Leaf } from './leaves';

const names = (...patterns: readonly string[]): RegExp => new RegExp(`^(?:${patterns.join('|')})$`);

/** What people call the sizes of a transformer, by config.json's names. */
const SIZES: Readonly<Record<string, RegExp>> = {
  hidden_size: names('d_model', 'hidden_(?:size|dim)', 'n_embe?d', 'embed(?:ding)?_dim', 'model_dim', 'dim'),
  num_hidden_layers: names('n_layers?', 'num_(?:hidden_)?layers', 'depth', 'num_blocks'),
  num_attention_heads: names('n_heads?', 'num_(?:attention_)?heads'),
  num_key_value_heads: names('n_kv_heads?', 'num_(?:key_value|kv)_heads'),
  intermediate_size: names(
    'intermediate_(?:size|dim)',
    'd_ff',
    'ffn_(?:dim|hidden_size)',
    'dim_feedforward',
    'n_inner',
  ),
  vocab_size: names('(?:padded_)?vocab_size', 'n_vocab', 'num_tokens'),
};
const NEEDED = ['hidden_size', 'num_hidden_layers', 'num_attention_heads', 'vocab_size'];

/** Families whose blocks are known, by a word in the model's name, the clearest first. */
const FAMILIES: readonly (readonly [word: RegExp, modelType: string])[] = [
  [/llama/i, 'llama'],
  [/mistral/i, 'mistral'],
  [/qwen-?3/i, 'qwen3'],
  [/qwen/i, 'qwen2'],
  [/neox|pythia/i, 'gpt_neox'],
  [/gpt/i, 'gpt2'],
];

/**
 * The transformer that a config describes by its own sizes in one section: width, layers, heads and vocabulary, of a family
 * that its name tells. Null where a size is missing or said twice: a name alone describes nothing.
 */
export function ownModelByRole(run: RunReader): OwnModel | null {
  if (/\/|^~/.test(run.get('model').value ?? '')) return null;
  const finder = new Finder(leavesOfRun(run));
  const [layers, ...others] = finder.all(isNamed(SIZES['num_hidden_layers'] ?? /^$/), isCount);
  if (!layers || others.length > 0) return null;
  const config: Record<string, unknown> = {};
  for (const [name, pattern] of Object.entries(SIZES)) {
    const size = sizeIn(finder, pattern, layers);
    if (size !== null) config[name] = size;
  }
  if (NEEDED.some(name => config[name] === undefined)) return null;
  const modelType = familyOf(finder, layers);
  if (modelType === null) return null;
  const width = Number(config['hidden_size']);
  if (config['intermediate_size'] === undefined) {
    if (modelType !== 'gpt2') return null;
    // GPT-2's own default (transformers configuration_gpt2.py: n_inner is 4 × n_embd).
    config['intermediate_size'] = 4 * width;
  }
  const positions = run.get('seqLen').value;
  return {
    as: 'config.json',
    config: {
      ...config,
      ...(modelType === 'gpt2' && gpt2Fields(config)),
      model_type: modelType,
      ...(positions !== null && { max_position_embeddings: positions, n_positions: positions }),
    },
  };
}

/** Sizes are in the section of the layers; the tokenizer may state the vocabulary elsewhere. */
function sizeIn(finder: Finder, pattern: RegExp, { sections }: Leaf): number | null {
  const all = finder.all(isNamed(pattern), isCount);
  const siblings = all.filter(one => one.sections.join('.') === sections.join('.'));
  const [first, ...others] = siblings.length > 0 ? siblings : all;
  return first && others.every(({ value }) => value === first.value) ? Number(first.value) : null;
}

/** The family by a name next to the sizes, or by the section's own name. */
function familyOf(finder: Finder, { sections }: Leaf): string | null {
  const section = sections.join('.');
  const words = finder
    .all(
      one =>
        one.sections.join('.') === section &&
        /^(?:name|type|model_(?:name|type)|arch(?:itecture)?|variant)$/.test(one.name),
    )
    .map(({ value }) => String(value));
  const text = [...words, ...sections].join(' ');
  const family = FAMILIES.find(([word]) => word.test(text))?.[1] ?? null;
  // `n_embd`, `n_head` and `n_layer` together are GPT-2's words.
  const isGpt2 = ['n_embd', 'n_head', 'n_layer'].every(word =>
    finder.has(one => one.name === word && one.sections.join('.') === section),
  );
  return family ?? (isGpt2 ? 'gpt2' : null);
}

const gpt2Fields = (config: Readonly<Record<string, unknown>>): Record<string, unknown> => ({
  n_embd: config['hidden_size'],
  n_layer: config['num_hidden_layers'],
  n_head: config['num_attention_heads'],
  n_inner: config['intermediate_size'],
});
