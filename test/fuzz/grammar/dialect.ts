import type { Dice } from '../dice';
import { key, mutated, number, word } from './words';

const NAMES = [
  'microBatchSize',
  'gradAccum',
  'seqLen',
  'precision',
  'optimizer',
  'loraRank',
  '__proto__',
  'constructor',
  'x',
];
const quoted = (dice: Dice): string => JSON.stringify(word(dice));

/** A dialect file by its grammar, of the keys `zz_…`. */
export function dialectText(dice: Dice): string {
  const rows = dice.some(1, 6, () => `  ${dice.pick(NAMES)}: {${row(dice)}}`);
  const lines = [
    `id: ${dice.chance(0.9) ? 'zz' : quoted(dice)}`,
    `title: ${quoted(dice)}`,
    `recognise: {strong: [zz_model, zz_batch${dice.chance(0.1) ? `, ${signature(dice)}` : ''}]}`,
    'quantities:',
    '  model: {keys: zz_model}',
    ...rows,
  ];
  if (dice.chance(0.5)) {
    lines.push(
      'help:',
      ...dice.some(1, 4, () => `  zz_${key(dice)}: {text: ${quoted(dice)}, values: [${quoted(dice)}]}`),
    );
  }
  if (dice.chance(0.3)) lines.push('rules:', ...dice.some(1, 3, () => `  - ${rule(dice)}`));
  if (dice.chance(0.2)) lines.push(`argv: [${dice.some(1, 5, () => quoted(dice)).join(', ')}]`);
  if (dice.chance(0.2)) {
    lines.push(`logs: [{pattern: ${quoted(dice)}, fields: [step], example: x, source: y}]`);
  }
  if (dice.chance(0.1)) lines.push(`loader: ${dice.pick(['omegaconf', 'hydra', '__proto__', 'json'])}`);
  if (dice.chance(0.1)) lines.push(`stages: {folders: [${quoted(dice)}], at: zz, marked: a, config: [b]}`);
  const text = lines.join('\n');
  return dice.chance(0.2) ? mutated(dice, text) : text;
}

const signature = (dice: Dice): string => JSON.stringify(`zz_model~${word(dice)}`);

function row(dice: Dice): string {
  const fields = dice.some(1, 4, () =>
    dice.pick([
      () => `keys: [zz_batch, ${JSON.stringify(key(dice))}]`,
      () => `default: ${dice.chance(0.5) ? number(dice) : quoted(dice)}`,
      () => `map: {${JSON.stringify(`/${word(dice)}/`)}: ${quoted(dice)}}`,
      () => `formula: ${JSON.stringify(formula(dice))}`,
      () => `when: {matches: {zz_batch: ${quoted(dice)}}}`,
      () => `note: ${quoted(dice)}`,
      () => `rule: ${dice.pick(['product', 'first', '__proto__', 'toString'])}`,
      () => `of: ${dice.pick(NAMES)}`,
      () => `with: {a: {keys: zz_batch}}`,
    ])(),
  );
  return [...new Map(fields.map(field => [field.split(':')[0], field])).values()].join(', ');
}

const formula = (dice: Dice): string =>
  dice.pick([
    () => `${'('.repeat(dice.size(20_000))}x${')'.repeat(dice.size(20_000))}`,
    () => `${'-'.repeat(dice.size(20_000))}x`,
    () => Array.from({ length: dice.size(5000) }, () => 'x').join(dice.pick([' * ', ' ** ', ' / ', ' + '])),
    () => `x ${dice.pick(['*', '/', '**', '%'])} ${number(dice)}`,
    () => word(dice),
  ])();

const rule = (dice: Dice): string =>
  `{id: ${dice.pick(['a-b', '__proto__', 'tight'])}, when: {matches: {zz_batch: ${quoted(dice)}}}, at: [zz_batch], message: ${quoted(dice)}}`;

export const dialectConfig = (dice: Dice): string =>
  [
    'zz_model: ./m',
    ...dice.some(1, 6, () => `zz_${key(dice) || 'x'}: ${quoted(dice)}`),
    `zz_batch: ${dice.chance(0.5) ? '2' : quoted(dice)}`,
  ].join('\n');

/** A model that a workspace describes. */
export const descriptionText = (dice: Dice): string =>
  [
    'name: m',
    `architecture: ${quoted(dice)}`,
    ...dice.some(0, 8, () => `${key(dice) || 'x'}: ${number(dice)}`),
    `like: ${quoted(dice)}`,
  ].join('\n');

/** Lines of `.headroom/measurements.jsonl`. */
export const measurementsText = (dice: Dice): string =>
  dice
    .some(1, dice.size(200), () =>
      dice.chance(0.3)
        ? word(dice)
        : JSON.stringify({
            schema: 'headroom-measurement/1',
            [key(dice)]: word(dice),
            bytes: Number(number(dice)),
          }),
    )
    .join('\n');
