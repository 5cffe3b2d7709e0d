import type { Dice } from '../dice';
import { key, mutated, number, word } from './words';

/** Keys of configs, so that some of the texts are recognized. */
const KNOWN = [
  'model.flavor = "8B"',
  'training.local_batch_size = 1',
  'pretrained_model_name_or_path = "a/b"\nnetwork_module = "networks.lora"\ntrain_data_dir = "x"',
  '[activation_checkpoint]\nmode = "full"',
  'micro_batch_size_per_gpu = 1\npipeline_stages = 1\n[model]\ntype = "flux"\ntransformer_path = "x"',
];

/** A TOML text by the grammar: tables, lists of tables, inline ones, dotted keys; often broken somewhere. */
export function tomlText(dice: Dice): string {
  if (dice.chance(0.1)) return hostile(dice);
  const lines = dice.some(1, dice.chance(0.03) ? dice.size(3000) : 30, () => line(dice));
  const known = dice.chance(0.5) ? `${dice.pick(KNOWN)}\n` : '';
  const text = known + lines.join(dice.chance(0.2) ? '\r\n' : '\n');
  return dice.chance(0.4) ? mutated(dice, text) : text;
}

function line(dice: Dice): string {
  const kind = dice.below(10);
  if (kind === 0) return `[${name(dice)}]`;
  if (kind === 1) return `[[${name(dice)}]]${dice.chance(0.3) ? ' # x' : ''}`;
  if (kind === 2) return dice.pick(['', '# headroom: ignore[does-not-fit]', `# ${word(dice)}`]);
  return `${name(dice)} = ${value(dice, 4)}${dice.chance(0.2) ? ' # x' : ''}`;
}

function name(dice: Dice): string {
  const parts = dice.some(1, dice.chance(0.02) ? dice.size(200) : 3, () => part(dice));
  return parts.join(dice.pick(['.', '.', ' . ']));
}

const part = (dice: Dice): string => (dice.chance(0.2) ? JSON.stringify(word(dice)) : key(dice) || 'x');

function value(dice: Dice, depth: number): string {
  const kind = dice.below(depth > 0 ? 12 : 8);
  if (kind < 2) return number(dice);
  if (kind === 2) return dice.pick(['true', 'false', 'inf', '-nan', '1e5', '-0', '9'.repeat(30)]);
  if (kind === 3) return dice.pick(['1979-05-27', '1979-05-27T07:32:00Z', '1979-05-27 07:32', '25:00:00']);
  if (kind < 6) return JSON.stringify(word(dice));
  if (kind === 6) return `'${word(dice)}'`;
  if (kind === 7) return `"""\n${word(dice)}\\\n  ${word(dice)}"""`;
  if (kind < 10) return `[${dice.some(0, 6, () => value(dice, depth - 1)).join(dice.pick([', ', ',\n  ']))}]`;
  return `{ ${dice.some(0, 4, () => `${name(dice)} = ${value(dice, depth - 1)}`).join(', ')} }`;
}

/** What would take long if anything were read twice. */
function hostile(dice: Dice): string {
  const many = dice.size(20_000);
  return dice.pick([
    '['.repeat(many),
    `a = ${'['.repeat(many)}`,
    `a = ${'{a='.repeat(many)}`,
    `a${'.a'.repeat(many)} = 1`,
    '[[a]]\n'.repeat(many),
    `a = """${'\\'.repeat(many)}`,
    `a = "${'\\u00'.repeat(many)}`,
    `${'# x\n'.repeat(many)}a=`,
    `a = ${'1_'.repeat(many)}`,
    'a\n'.repeat(many),
  ]);
}
