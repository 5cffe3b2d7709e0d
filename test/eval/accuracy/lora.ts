import type { LoraSettings } from '../../../src/core/spec/values';
import type { ModelFacts } from '../../../src/core/models/model';
import { lycorisOf } from './denoising';
import type { PublishedLora, PublishedRecord } from './publishedRecord';

/**
 * Defaults of TRL's ModelConfig, fms-hf-tuning, litgpt's finetune/lora.py, and SimpleTuner's lora_dropout
 * (field_registry/sections/lora.py); PEFT's own default is none.
 */
const DROPOUTS: readonly (readonly [RegExp, number])[] = [
  [/SFTTrainer|^litgpt/, 0.05],
  [/^SimpleTuner/, 0.1],
];

/** Projections as abbreviated in records. */
const SHORT_NAMES = new Set(['q', 'k', 'v', 'o', 'gate', 'up', 'down']);

export function loraOf(record: PublishedRecord, model: ModelFacts | null): LoraSettings | null {
  const { lora, framework } = record;
  if (lora === null) return null;
  const method = (lora.method ?? lora.type)?.toLowerCase() ?? 'lora';
  if (method === 'lycoris-lokr') return lycorisOf(record);
  return {
    ...(method !== 'lora' && { method }),
    r: rankIn(lora, model) ?? lora.r ?? null,
    alpha: lora.alpha ?? null,
    dropout: lora.dropout ?? DROPOUTS.find(([pattern]) => pattern.test(framework))?.[1] ?? null,
    targets: targetsOf(lora),
    modulesToSave: lora.modules_to_save ?? [],
    rslora: false,
    // A record of PEFT's comparison is named after its experiment: `dora-rank64`.
    dora: lora.use_dora ?? record.id.includes('-dora-'),
    ...expertsIn(record),
  };
}

/** `target experts` */
function expertsIn({ quote = '' }: PublishedRecord): Pick<LoraSettings, 'targetParameters'> {
  return /(?<!no )target experts/.test(quote)
    ? { targetParameters: ['mlp.experts.gate_up_proj', 'mlp.experts.down_proj'] }
    : {};
}

/** The equivalent of a rank, from the trained parameters per rank; the record states their total. */
function rankIn(
  { method, trainable_params: trained }: PublishedLora,
  model: ModelFacts | null,
): number | null {
  if (trained === undefined || model === null) return null;
  const { hiddenSize, intermediateSize, layers, heads, kvHeads, headDim } = model;
  const [query, key] = [heads * headDim, kvHeads * headDim];
  switch (method ?? '') {
    // An embedding per virtual token, and nothing else.
    case 'PROMPT_TUNING':
      return trained / hiddenSize;
    case 'PREFIX_TUNING':
      return trained / (layers * 2 * key);
    // Additionally a gate per layer.
    case 'ADAPTION_PROMPT':
      return (trained / layers - 1) / query;
    // A value, and a vector on each side, in all seven linear layers.
    case 'OSF':
      return (
        trained / layers / (2 * (2 * hiddenSize + query + key) + 3 * (hiddenSize + intermediateSize) + 7)
      );
    default:
      return null;
  }
}

/** torchtune's names; Qwen's finetune.py says `c_proj`, the name of two layers, but records state the first. */
const OWN_NAMES: Readonly<Record<string, readonly string[]>> = {
  'attn.c_proj': ['c_proj'],
  mlp: ['gate_proj', 'up_proj', 'down_proj'],
  output_proj: ['o_proj'],
};

function targetsOf({ targets }: PublishedLora): LoraSettings['targets'] {
  if (targets === undefined || targets === null) return null;
  const named = typeof targets === 'string' ? namesIn(targets) : targets;
  if (named.length === 1 && named[0] === 'all-linear') return 'all-linear';
  return named.flatMap(name => (SHORT_NAMES.has(name) ? `${name}_proj` : (OWN_NAMES[name] ?? name)));
}

/** A comma-separated list, except for a pattern, which is one target. */
const namesIn = (words: string): readonly string[] => (/[()[\]\\]/.test(words) ? [words] : words.split(','));
