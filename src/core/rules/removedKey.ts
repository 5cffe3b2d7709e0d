import type { Report, Rule, RuleContext } from './rule';
import { AXOLOTL } from './rule';
import { isOn, isStated, holdsBoolean, textOf } from './raw';
import { quoted } from './when';
import { said, template } from '../text/say';
import type { Template } from '../text/say';

/** A key that Axolotl now rejects, since when, and its replacement. */
interface Removed {
  readonly keys: readonly string[];
  readonly since: string;
  readonly instead: Template;
  /** Rejected as soon as it is present, not only if it is true in Python (the default). */
  readonly evenWhenOff?: true;
}

const REMOVED: readonly Removed[] = [
  {
    keys: [
      'unsloth_cross_entropy_loss',
      'unsloth_lora_mlp',
      'unsloth_lora_qkv',
      'unsloth_lora_o',
      'unsloth_rms_norm',
      'unsloth_rope',
    ],
    since: '0.17',
    instead: template('Use lora_mlp_kernel, lora_qkv_kernel and lora_o_kernel'),
  },
  { keys: ['s2_attention'], since: '0.17', instead: template('Remove it: shifted-sparse attention is gone') },
  {
    keys: ['flash_attn_rms_norm'],
    since: '0.17',
    instead: template('Use liger_rms_norm of the Liger plugin'),
  },
  { keys: ['rope_scaling'], since: '0.5', instead: template('Put it under overrides_of_model_config') },
  {
    keys: ['max_packed_sequence_len'],
    since: '0.5',
    instead: template('Use sample_packing with sequence_len'),
  },
  {
    keys: ['rpo_alpha'],
    since: '0.16',
    instead: template('Remove it: nothing takes its place yet'),
    evenWhenOff: true,
  },
  {
    keys: ['dpo_use_logits_to_keep', 'dpo_generate_during_eval', 'dpo_norm_loss'],
    since: '0.15',
    instead: template('Remove it: TRL 0.29 dropped it'),
    evenWhenOff: true,
  },
];

export const removedKey: Rule = {
  id: 'removed-key',
  severity: 'warning',
  summary: 'Newer Axolotl releases reject this key or value.',
  sources: [
    'axolotl 0.18 utils/schemas/deprecated.py, utils/schemas/validation.py check_deprecated_unsloth_fields, deprecate_sharegpt_datasets',
    'axolotl 0.18 utils/schemas/config.py: save_safetensors=False (since 0.14)',
  ],
  dialects: AXOLOTL,
  check: context => [...removedKeys(context), ...shareGptDatasets(context), ...unsafeTensors(context)],
};

function removedKeys(context: RuleContext): Report[] {
  return REMOVED.flatMap(({ keys, since, instead, evenWhenOff }) =>
    keys
      .filter(key => (evenWhenOff ? isStated(context, key) : isOn(context, key)))
      .map(key => ({
        at: [key],
        message: context.say(
          'Axolotl {0} and newer reject {1}. {2}.',
          since,
          quoted(context, key),
          said(context.say, instead),
        ),
      })),
  );
}

function shareGptDatasets(context: RuleContext): Report[] {
  const datasets = context.raw('datasets');
  if (datasets?.kind !== 'sequence') return [];
  return datasets.items.flatMap((_, i) => {
    const key = `datasets[${i}].type`;
    if (!textOf(context, key)?.startsWith('sharegpt')) return [];
    const message = context.say(
      "Axolotl 0.5 and newer reject `type: {0}`. Use `type: chat_template` with the messages' field names.",
      textOf(context, key) ?? '',
    );
    return [{ at: [key], message }];
  });
}

function unsafeTensors(context: RuleContext): Report[] {
  if (!holdsBoolean(context, 'save_safetensors', false)) return [];
  const message = context.say(
    'Axolotl 0.14 and newer reject `save_safetensors: false`: transformers 5 always writes safetensors. Remove the key.',
  );
  return [{ at: ['save_safetensors'], message }];
}
