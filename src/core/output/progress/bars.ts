import { N } from '../../data/forms/line';
import { numberOf, secondsOf } from '../size';
import type { Said } from './fields';
import type { ProgressState } from './progress';

/**
 * tqdm's bar (`std.py format_meter`): `desc: 42%|███ | 42/100 [00:10<00:14, 4.1it/s, loss=1.2]`. Notebooks and services
 * drop the bar's characters, or its frame. The description is what stands before the percentage.
 */
const BAR = new RegExp(
  String.raw`(?<percent>\d{1,3})%\s?(?:\|[^|\n]{0,400}\|)?\s*(?<step>\d+)/(?<steps>\d+) \[(?<elapsed>[\d:]+)<(?<rest>[^\]\n]{0,2000})`,
  'g',
);

const RATE = new RegExp(String.raw`(?<rate>${N})\s?(?<unit>[A-Za-z]+/s|s/[A-Za-z]+)\b`);
const ETA = /^\s*((?:\d+ days?, )?[\d:]+)/;
const PAIR = new RegExp(String.raw`([A-Za-z_][\w ./()-]{0,60}?)=(${N})`, 'g');
const EPOCH = /\bepochs?:?\s*\[?(\d+)(?!\d*%)/i;

/** What is no training: its bar is not this run's progress. */
const OTHERS =
  /load|download|fetch|captur|\bmap\b|map \(|filter|tokeniz|generating|valid|eval|sanity|predict|\btest|saving|convert|preprocess|resolv|cach|shard|render|infer|mAP|extract|upload|scann|warm ?up|profil|compil/i;

/** Words of a bar's end, those of the batch before those that are smoothed. */
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
  ['learningRate', ['lr', 'learning_rate']],
  ['gradNorm', ['grad_norm', 'gradient_norm', 'gnorm']],
  ['secondsPerStep', ['train_step_timing in s']],
];

function postfix(rest: string): ProgressState {
  const pairs = new Map(
    [...rest.matchAll(PAIR)].map(([, key = '', value = '']) => [key.trim().toLowerCase(), value]),
  );
  const found = POSTFIX.flatMap(([field, words]) => {
    const word = words.find(each => pairs.has(each));
    const value = word === undefined ? null : numberOf(pairs.get(word) ?? '');
    return value === null ? [] : [[field, value] as const];
  });
  return Object.fromEntries(found);
}

function rateOf(rest: string): ProgressState {
  const { rate, unit } = RATE.exec(rest)?.groups ?? {};
  const value = numberOf(rate ?? '');
  if (value === null || unit === undefined) return {};
  return unit.startsWith('s/') ? { secondsPerStep: value } : { stepsPerSecond: value };
}

/** A bar's own arithmetic: what a trainer says of the same holds. */
const RATES = ['secondsPerStep', 'stepsPerSecond'] as const;

/** A bar of rows or bytes is none of steps. */
const isOfSteps = (rest: string): boolean => !/\d\s?[kMG]?B\/s/.test(rest);

function stateOf(
  groups: Readonly<Record<string, string | undefined>>,
  description: string,
): ProgressState | null {
  const rest = groups['rest'] ?? '';
  if (OTHERS.test(description) || !isOfSteps(rest)) return null;
  const [step, totalSteps] = [Number(groups['step']), Number(groups['steps'])];
  const end = postfix(rest);
  const epoch = EPOCH.exec(description)?.[1];
  if (/^\W*epochs?\W*$/i.test(description)) return { epoch: step };
  const etaSeconds = secondsOf(ETA.exec(rest)?.[1] ?? '');
  return {
    step,
    // A trainer's own count next to the bar's: then the bar counts something else, and so does its end.
    ...(end.step === undefined && { totalSteps }),
    ...(epoch !== undefined && { epoch: Number(epoch) }),
    ...rateOf(rest),
    ...(etaSeconds !== null && { etaSeconds }),
    ...end,
  };
}

/** The bars of a line, each with what it says; those that are none of a training are left out. */
export function barsIn(line: string): readonly Said[] {
  if (!line.includes('%')) return [];
  const found: Said[] = [];
  let from = 0;
  for (const match of line.matchAll(BAR)) {
    const before = line.slice(from, match.index);
    const description = before.slice(before.lastIndexOf(']') + 1).slice(-200);
    const state = stateOf(match.groups ?? {}, description);
    if (state) found.push({ state, weak: new Set(RATES), isBar: true });
    from = match.index + match[0].length;
  }
  return found;
}
