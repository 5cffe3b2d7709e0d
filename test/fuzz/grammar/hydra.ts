import type { Dice } from '../dice';
import { key, number, word } from './words';
import { yamlText } from './yaml';

const GROUPS = ['model', 'data', 'trainer', 'optim', 'db/sub', 'experiment'];
const OPTIONS = ['a', 'b', 'c', 'none', '../a', 'x.yaml', '???'];
const TARGETS = [
  ...[
    'pytorch_lightning.Trainer',
    'torch.optim.AdamW',
    'src.models.Net',
    'os.system',
    'builtins.eval',
    '__proto__.x',
  ],
  ...[
    'transformers.AutoModel.from_pretrained',
    'a.b.'.repeat(3000),
    '..',
    'lightning.pytorch.callbacks.EarlyStopping',
  ],
];

/** A tree of Hydra: defaults of groups, references to values that may go in circles, classes to be built. */
export function hydraFiles(dice: Dice): Record<string, string> {
  const files: Record<string, string> = { 'conf/config.yaml': config(dice, true) };
  for (const group of GROUPS.slice(0, dice.below(GROUPS.length + 1))) {
    for (const option of ['a', 'b']) files[`conf/${group}/${option}.yaml`] = config(dice, dice.chance(0.3));
  }
  return files;
}

function config(dice: Dice, hasDefaults: boolean): string {
  const lines = dice.chance(0.2) ? ['# @package _global_'] : [];
  if (hasDefaults) {
    lines.push('defaults:');
    const count = dice.chance(0.05) ? dice.size(5000) : dice.below(8);
    for (let i = 0; i < count; i++) lines.push(`  - ${defaultEntry(dice)}`);
  }
  for (const group of dice.some(1, 3, () =>
    dice.pick(['model', 'trainer', 'data', 'training', 'optimizer', 'hydra']),
  )) {
    lines.push(`${group}:`, `  _target_: ${dice.pick(TARGETS)}`);
    lines.push(...dice.some(1, 8, () => `  ${key(dice) || 'x'}: ${value(dice)}`));
  }
  if (dice.chance(0.15)) {
    const cells = dice.some(
      1,
      4,
      () => `      ${dice.pick(['model', 'trainer.devices', 'data.batch_size'])}: ${sweep(dice)}`,
    );
    lines.push('hydra:', '  sweeper:', '    params:', ...cells);
  }
  if (dice.chance(0.1)) lines.push(yamlText(dice));
  return lines.join('\n');
}

const defaultEntry = (dice: Dice): string =>
  dice.pick([
    () => '_self_',
    () => dice.pick(OPTIONS),
    () => `${dice.pick(GROUPS)}: ${dice.pick(OPTIONS)}`,
    () => `optional ${dice.pick(GROUPS)}: ${dice.pick(OPTIONS)}`,
    () => `override /${dice.pick(GROUPS)}: ${dice.pick(OPTIONS)}`,
    () => `${dice.pick(GROUPS)}@${dice.pick(['_global_', '_here_', 'a.b', '_group_._name_'])}: [a, b]`,
    () => `${dice.pick(GROUPS)}: \${${dice.pick(GROUPS)}}`,
    () => JSON.stringify(word(dice)),
  ])();

function value(dice: Dice): string {
  if (dice.chance(0.4)) return JSON.stringify(interpolation(dice, 4));
  return dice.chance(0.5) ? number(dice) : JSON.stringify(word(dice));
}

function interpolation(dice: Dice, depth: number): string {
  if (dice.chance(0.03)) return `\${eval:${dice.pick(['(', '-', '${', '1+', '[0]'])}`.repeat(dice.size(4000));
  const inner =
    depth > 0 && dice.chance(0.4)
      ? interpolation(dice, depth - 1)
      : dice.pick(['model', 'trainer.devices', '.x', '..y', 'data']);
  return dice.pick([
    `\${${inner}}`,
    `\${${inner}}\${${inner}}`,
    `\${oc.env:${inner},${number(dice)}}`,
    `\${eval:'\${${inner}} * 2 ** 999999'}`,
    `\${oc.select:${inner}, 1}`,
    `\${mul:${inner},${number(dice)}}`,
    `\${${inner}`,
  ]);
}

const sweep = (dice: Dice): string =>
  dice.pick([
    'range(0, 100000000)',
    'choice(a, b)',
    '1,2,4',
    'glob(*)',
    'interval(1, 2)',
    Array.from({ length: dice.size(2000) }, (_, i) => i).join(','),
    JSON.stringify(word(dice)),
  ]);
