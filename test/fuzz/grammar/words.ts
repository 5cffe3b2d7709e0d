import type { Dice } from '../dice';

/** Keys of many formats, and names that every object has. */
const KEYS = [
  ...['base_model', 'model', 'model_name_or_path', 'micro_batch_size', 'per_device_train_batch_size'],
  ...['gradient_accumulation_steps', 'sequence_len', 'max_seq_length', 'cutoff_len', 'adapter', 'lora_r'],
  ...['lora_target_modules', 'lora_target_linear', 'load_in_4bit', 'optimizer', 'bf16', 'fp16', 'deepspeed'],
  ...['fsdp', 'fsdp_config', 'datasets', 'gradient_checkpointing', 'unfrozen_parameters', 'stage', 'trainer'],
  ...[
    'finetuning_type',
    'quantization_bit',
    'train',
    'data',
    'batch_size',
    'num_workers',
    'devices',
    'precision',
  ],
  ...[
    'accelerator',
    'strategy',
    'max_epochs',
    'num_layers',
    'hidden_size',
    'd_model',
    'vocab_size',
    'defaults',
  ],
  ...['hydra', '_target_', '_partial_', 'services', 'command', 'args', 'image', 'deploy', 'resources', 'run'],
  ...['apiVersion', 'kind', 'spec', 'containers', 'entrypoint', 'tensor_parallel_size', 'max_model_len'],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'then',
    '<<',
    '',
    '0',
    'null',
    'on',
    'ä',
    '$(x)',
  ],
];

/** What a view could take for more than words, and what a reader could run or fetch. */
const PIECES = [
  ...[
    '\u001b[2K\r',
    '\u001b]8;;https://evil.example\u0007',
    '\u009b31m',
    '\n',
    '\r\n',
    '\u2028',
    '\t',
    '\u202e',
  ],
  ...[
    '\u2066',
    '\u200b',
    '\ufeff',
    '\u0007',
    '\u007f',
    '![x](https://evil.example/p.png)',
    '<img src=x>',
    '`',
    '``',
  ],
  ...[
    '[Fix](command:headroom.profileConfig)',
    '**b**',
    '|',
    '\\',
    '\n\n# evil',
    '- a',
    'https://evil.example',
  ],
  ...[
    'www.evil.example',
    '&lt;',
    '$(alert)',
    '$(touch x)',
    '`touch x`',
    '{{ x }}',
    '${x}',
    '${oc.env:HOME}',
    '%s',
  ],
];

const MODELS = [
  'meta-llama/Llama-3.1-8B',
  'Qwen/Qwen2.5-7B-Instruct',
  './m',
  'm',
  'bert-base-uncased',
  'x-Q4_K_M.gguf',
];
const PATHS = [
  '../../../../etc/passwd',
  '/proc/self/pagemap',
  '/dev/zero',
  'pipe',
  'm',
  './m/config.json',
  'loop',
  '.',
  '',
];
/** Some of them take for ever where an expression is tried one way after the other. */
const PATTERNS = [
  '(a|a)*$',
  '(\\w|\\w|\\w|\\w)+!',
  '((',
  '[',
  'a{9999}',
  '^(.*)*(.*)*x$',
  '.*q_proj',
  '(?<=a+)b',
  '\\1',
];
const NUMBERS = [
  ...[
    '0',
    '-1',
    '1',
    '2',
    '4',
    '8',
    '512',
    '2048',
    '4096',
    '1e308',
    '-0',
    '1e400',
    '.inf',
    '-.inf',
    '.nan',
    '0x7fff',
  ],
  ...[
    '2147483648',
    '9007199254740993',
    '1_000',
    '0o17',
    '1e7',
    '10000000',
    '100000',
    '3.5',
    '1:30',
    '12e03',
    '1e-320',
  ],
];
const CHARACTERS = [
  '1',
  '0',
  'a',
  '/',
  ' ',
  '(',
  ')',
  '[',
  '{',
  '$',
  '"',
  "'",
  '-',
  '.',
  ',',
  ':',
  '\\',
  '|',
  '=',
  'é',
  '*',
];

export const key = (dice: Dice): string => dice.pick(KEYS);

/** A word as it comes from an attacker's hand: short as a rule, now and then 10⁵ characters of one kind or two. */
export function word(dice: Dice): string {
  const kind = dice.below(20);
  if (kind === 0) return dice.pick(CHARACTERS).repeat(dice.length(100_000));
  if (kind === 1) return `${dice.pick(CHARACTERS)}${dice.pick(CHARACTERS)}`.repeat(dice.length(50_000));
  if (kind < 6) return dice.some(1, 4, () => dice.pick(PIECES)).join('');
  if (kind < 9) return dice.pick(MODELS);
  if (kind < 11) return dice.pick(PATHS);
  if (kind < 12) return dice.pick(PATTERNS);
  if (kind < 15) return number(dice);
  return dice.pick([
    'true',
    'false',
    'auto',
    'null',
    '~',
    'lora',
    'adamw_torch',
    'bf16',
    'lm',
    'cuda',
    'all',
  ]);
}

export const number = (dice: Dice): string =>
  dice.chance(0.02) ? dice.pick(['1', '9', '0']).repeat(dice.length(20_000)) : dice.pick(NUMBERS);

/** Any JSON value. */
export function json(dice: Dice, depth = 4): unknown {
  const kind = dice.below(depth > 0 ? 10 : 7);
  if (kind < 3) return word(dice);
  if (kind < 5) return Number(number(dice));
  if (kind === 5) return dice.pick([true, false, null]);
  if (kind === 6) return [];
  if (kind === 7) return dice.some(0, dice.size(200), () => json(dice, depth - 2));
  return Object.fromEntries(dice.some(0, 6, () => [key(dice), json(dice, depth - 1)]));
}

/** Characters that a line becomes at most when it is repeated: as many as a file that is read may have. */
const MOST_MORE = 4_000_000;

/** A text that was whole before: cut, hit, doubled, its values replaced. */
export function mutated(dice: Dice, text: string): string {
  let changed = text;
  for (const change of dice.some(1, 4, () => dice.pick(CHANGES))) changed = change(dice, changed);
  return changed;
}

type Change = (dice: Dice, text: string) => string;

const CHANGES: readonly Change[] = [
  (dice, text) => text.slice(0, dice.below(text.length + 1)),
  (dice, text) => hit(dice, text, word(dice)),
  (dice, text) =>
    hit(
      dice,
      text,
      dice.pick(['\t', '{', '[', '"', '&a ', '*a', ': ', '\n---\n', '${', '!!x ', "'", '%', '\\\n']),
    ),
  withValue,
  withValue,
  withValue,
  (dice, text) => {
    const lines = text.split('\n');
    const at = dice.below(lines.length);
    const line = lines[at] ?? '';
    const most = Math.max(1, Math.min(3000, Math.floor(MOST_MORE / (line.length + 1))));
    const again = Array.from({ length: dice.size(most) }, () => line);
    return [...lines.slice(0, at), ...again, ...lines.slice(at)].join('\n');
  },
  (dice, text) => {
    const lines = text.split('\n');
    lines.splice(dice.below(lines.length), 1 + dice.below(3));
    return lines.join('\n');
  },
];

const hit = (dice: Dice, text: string, what: string): string => {
  const at = dice.below(text.length + 1);
  return text.slice(0, at) + what + text.slice(at);
};

/** Another value behind one of the keys, or one of the signs of an assignment. */
function withValue(dice: Dice, text: string): string {
  const places = [...text.matchAll(/(?:: |=)[^\n]*/g)];
  if (places.length === 0) return text;
  const place = dice.pick(places);
  const value = dice.chance(0.3)
    ? JSON.stringify(json(dice))
    : dice.chance(0.5)
      ? word(dice)
      : JSON.stringify(word(dice));
  const sign = place[0].startsWith('=') ? '=' : ': ';
  return text.slice(0, place.index) + sign + value + text.slice(place.index + place[0].length);
}
