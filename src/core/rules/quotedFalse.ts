import type { Rule } from './rule';
import { quoted } from './when';

const SWITCHES = [
  'fp16',
  'bf16',
  'tf32',
  'gradient_checkpointing',
  'torch_compile',
  'auto_find_batch_size',
  'fp16_full_eval',
  'bf16_full_eval',
];

export const quotedFalse: Rule = {
  id: 'quoted-false',
  severity: 'warning',
  summary: 'A quoted "false" is text, and text is true.',
  sources: ['transformers hf_argparser.py parse_yaml_file, parse_dict: values are not cast'],
  dialects: ['hf-trainer'],
  check(context) {
    return SWITCHES.filter(key => {
      const node = context.raw(key);
      return (
        node?.kind === 'scalar' && node.style !== 'plain' && /^(?:false|no|off)$/i.test(String(node.value))
      );
    }).map(key => ({
      at: [key],
      message: `${quoted(context, key)} is text, and HfArgumentParser passes it on as it is: any text counts as true. Write false without quotes.`,
    }));
  },
};
