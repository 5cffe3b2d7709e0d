import { N } from '../../data/forms/line';
import { numberOf, secondsOf } from '../size';
import type { LineFields } from './fields';
import { besidesIn, EPOCH_WORD } from './prints';
import type { ProgressState } from './progress';

/**
 * tqdm's bar (`std.py format_meter`): `desc: 42%|███ | 42/100 [00:10<00:14, 4.1it/s, loss=1.2]`. Notebooks and
 * services drop the bar's characters, or its frame. The description is the text before the percentage.
 */
const BAR = new RegExp(
  String.raw`(?<percent>\d{1,3})%\s?(?:\|[^|\n]{0,400}\|)?\s*(?<step>\d+)/(?<steps>\d+) \[(?<elapsed>[\d:]+)<(?<rest>[^\]\n]{0,2000})`,
  'g',
);

const RATE = new RegExp(String.raw`(?<rate>${N})\s?(?<unit>[A-Za-z]+/s|s/[A-Za-z]+)\b`);
const ETA = /^\s*((?:\d+ days?, )?[\d:]+)/;
const PAIR = new RegExp(String.raw`([A-Za-z_][\w ./()-]{0,60}?)(?:=|: ?)(${N})`, 'g');
const EPOCH = new RegExp(String.raw`(?<![A-Za-z])${EPOCH_WORD}:?\s*\[?(\d+)(?!\d*%)`, 'i');
const ONLY_EPOCHS = new RegExp(String.raw`^\W*${EPOCH_WORD}\W*$`, 'i');

/** Bars that do not show the training's progress. */
const OTHERS =
  /load|download|fetch|captur|\bmap\b|map \(|filter|tokeniz|generating|valid|eval|sanity|predict|\btest|saving|convert|preprocess|resolv|cach|shard|render|infer|mAP|extract|upload|scann|warm ?up|profil|compil|prompts/i;

/** Keys after a bar; those of the batch come before smoothed ones. */
const POSTFIX: readonly (readonly [keyof ProgressState, readonly string[]])[] = [
  ['step', ['global_step']],
  [
    'loss',
    [
      'reduced_train_loss',
      'train_loss',
      'train loss',
      'train/loss',
      'train_loss_step',
      'step_loss',
      'total_loss',
      'loss',
      'avr_loss',
      'avg_loss',
    ],
  ],
  ['secondsPerStep', ['train_step_timing in s']],
];

function postfix(rest: string): ProgressState {
  // In a description, a key stands behind other words: `Epoch 1 loss: 0.5`.
  const pairs = new Map(
    [...rest.matchAll(PAIR)].flatMap(([, key = '', value = '']) => {
      const name = key.trim().toLowerCase();
      return [...new Set([name.replace(/^.* /, ''), name])].map(each => [each, value] as const);
    }),
  );
  const found = POSTFIX.flatMap(([field, words]) => {
    const word = words.find(each => pairs.has(each));
    const value = word === undefined ? null : numberOf(pairs.get(word) ?? '');
    return value === null ? [] : [[field, value] as const];
  });
  return { ...besidesIn(rest.replace(RATE, '')), ...Object.fromEntries(found) };
}

function rateOf(rest: string): ProgressState {
  const { rate, unit } = RATE.exec(rest)?.groups ?? {};
  const value = numberOf(rate ?? '');
  if (value === null || unit === undefined) return {};
  return unit.startsWith('s/') ? { secondsPerStep: value } : { stepsPerSecond: value };
}

/** The bar computes these itself; the trainer's own values win. */
const RATES = ['secondsPerStep', 'stepsPerSecond'] as const;

/** False for a bar of rows or bytes. */
const isOfSteps = (rest: string): boolean => !/\d\s?[kMG]?B\/s/.test(rest);

function stateOf(
  groups: Readonly<Record<string, string | undefined>>,
  description: string,
  behind: string,
): ProgressState | null {
  const rest = groups['rest'] ?? '';
  if (OTHERS.test(description) || !isOfSteps(rest)) return null;
  const [step, totalSteps] = [Number(groups['step']), Number(groups['steps'])];
  const end = { ...postfix(description), ...postfix(behind), ...postfix(rest) };
  const epoch = EPOCH.exec(description)?.[1];
  if (ONLY_EPOCHS.test(description)) return { epoch: step };
  const etaSeconds = secondsOf(ETA.exec(rest)?.[1] ?? '');
  return {
    step,
    // If the trainer prints its own step, the bar counts something else, so its total is not the number of steps.
    ...(end.step === undefined && { totalSteps }),
    ...(epoch !== undefined && { epoch: Number(epoch) }),
    ...rateOf(rest),
    ...(etaSeconds !== null && { etaSeconds }),
    ...end,
  };
}

/** The training bars of a line, each with the fields it states. */
export function barsIn(line: string): readonly LineFields[] {
  if (!line.includes('%')) return [];
  const found: LineFields[] = [];
  const matches = [...line.matchAll(BAR)];
  let from = 0;
  for (const [at, match] of matches.entries()) {
    const before = line.slice(from, match.index);
    const description = before.slice(before.lastIndexOf(']') + 1).slice(-200);
    from = match.index + match[0].length;
    // Behind a bar that another follows stands the description of that one.
    const behind = at === matches.length - 1 ? line.slice(from, from + 200) : '';
    const state = stateOf(match.groups ?? {}, description, behind);
    if (state) found.push({ state, weak: new Set(RATES), isBar: true });
  }
  return found;
}
