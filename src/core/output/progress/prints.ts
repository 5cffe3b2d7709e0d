import { N, T } from '../../data/forms/line';
import { numberOf, secondsOf } from '../size';
import type { LineFields } from './fields';
import type { ProgressState, StatedMemory } from './progress';

/*
 * What people print from their own scripts, by the roles of the words: a counter, a loss, rates and amounts with their units,
 * in any order and with any marks between them.
 */

/** Between a name and its number: `: `, `=`, ` | `, quotes and brackets. */
const IS = String.raw`['"\]]?\s{0,8}(?:\([A-Za-z/ ]{1,12}\)\s?)?[:=]?\s{0,8}[\[(]?\s{0,4}['"]?`;
const OF = String.raw`(?:\s{0,8}(?:/|of)\s{0,8}(${N}))?`;
const START = String.raw`(?<![\w.])`;
/** Behind a unit that is one, and not the name of the next number. */
const NO_NAME = String.raw`(?!\s{0,4}[:=]\s{0,4}\d)`;
const TIME_UNIT = String.raw`\s?(ms|milliseconds|s|sec|secs|seconds)(?![\w/])`;

const words = (pattern: string): RegExp => new RegExp(pattern, 'i');

const EPOCH = words(String.raw`${START}(?:train(?:ing)? )?epochs?\s{0,4}#?${IS}(${N})(?!\d|\.\d|%)${OF}`);
const STEP = words(
  String.raw`${START}(?:global[_ ]?|train(?:ing)?[_ ]?|optim(?:izer)?[_ ]?|num[_ ]?)?(?:step|iter(?:ation)?|batch|minibatch|update)s?\s{0,4}#?${IS}(${N})(?!\d|\.\d|\s?(?:%|[a-z]{1,10}/|/s))${OF}`,
);
/** `Epoch [3][10/500]`, `[12/300] loss …`: a count without a name. With a percentage, it often counts samples. */
const COUNT = words(
  String.raw`^\W{0,8}(?<step>\d{1,12})\s{0,4}/\s{0,4}(?<steps>\d{1,12})(?![\d/.]|\s{0,4}\()|\[\s{0,8}(?<step2>\d{1,12})\s{0,4}/\s{0,4}(?<steps2>\d{1,12})\s{0,4}\]`,
);
const OWN_LOSS =
  /^(?:train(?:ing)?|total|avg|average|mean|running|batch|lm|step|current|cur|ce|xent|mlm|smoothed|smooth|reduced|tr)$/i;
const LOSS = new RegExp(
  String.raw`(?:(?<![A-Za-z])([A-Za-z]{1,20})[_ /-])?(?<![A-Za-z])loss(?:es)?(?:[/_](?:train|total))?${IS}(${N})`,
  'gi',
);
const RATE_WORD = '(?:lr|learning[_ ]?rate)(?:_0)?';
const VALUES: readonly (readonly [keyof ProgressState, RegExp])[] = [
  ['learningRate', words(String.raw`(?:${START}|/)${RATE_WORD}${IS}(${N})`)],
  ['gradNorm', words(String.raw`(?:${START}|/)(?:grad(?:ient)?[_ -]?norm|gnorm|norm)${IS}(${N})`)],
  [
    'stepsPerSecond',
    words(String.raw`(${N})\s?(?:it|iters?|steps?|batch(?:es)?|updates?)/s(?:ec)?\b${NO_NAME}`),
  ],
  [
    'stepsPerSecond',
    words(
      String.raw`${START}(?:it|iters?|iterations?|steps?|batches|updates?)[_ ]?(?:/|per)[_ ]?s(?:ec(?:ond)?)?${IS}(${N})`,
    ),
  ],
  [
    'secondsPerStep',
    words(
      String.raw`(${N})\s?s(?:ec(?:onds?)?)?\s?(?:/|per)\s?(?:it|iter|iteration|step|batch|update)\b${NO_NAME}`,
    ),
  ],
  [
    'samplesPerSecond',
    words(
      String.raw`(${N})\s?(?:samples?|imgs?|images?|ex(?:amples?)?|seqs?|utts?)/s(?:ec(?:ond)?)?\b${NO_NAME}`,
    ),
  ],
  [
    'samplesPerSecond',
    words(
      String.raw`${START}(?:samples?|imgs?|images?|examples?)[_ ]?(?:/|per)[_ ]?s(?:ec(?:ond)?)?${IS}(${N})`,
    ),
  ],
];
const MILLISECONDS_PER_STEP = words(
  String.raw`(${N})\s?ms\s?(?:/|per)\s?(?:it|iter|iteration|step|batch|update)\b${NO_NAME}`,
);
const STEP_TIME = words(
  String.raw`${START}(?:(?:step|iter(?:ation)?|batch)[_ -]?time|time[_ ]?(?:/|per)[_ ]?(?:step|iter(?:ation)?|batch)|dt)${IS}(${N})${TIME_UNIT}`,
);
const STEP_TIME_UNIT = words(
  String.raw`${START}(?:step|iter(?:ation)?|batch)[_ -]?time\s?\((ms|s|sec|seconds)\)\s?[:=]?\s?(${N})`,
);
/** Without a unit, a decimal number of seconds. */
const STEP_SECONDS = words(
  String.raw`${START}(?:(?:step|iter(?:ation)?|batch)[_ -]?time|time[_ ]?(?:/|per)[_ ]?(?:step|iter(?:ation)?|batch))${IS}(\d{1,2}\.\d{1,10})(?![\w.]|\s?(?:ms|min|h)\b)`,
);
const TIME_IN_MS = words(String.raw`${START}time${IS}(${N})\s?(ms)\b`);
const TOKENS = [
  words(String.raw`(${N})(k?)\s?tok(?:en)?s?/s(?:ec(?:ond)?)?\b${NO_NAME}`),
  words(String.raw`${START}(?:tok(?:en)?s?[_ ]?(?:/|per)[_ ]?s(?:ec(?:ond)?)?|tps)${IS}(${N})(k?)(?!\w)`),
];
const ETA = words(
  String.raw`${START}(?:eta|remaining|time left|est\w* remaining)(?: time)?${IS}(${T}|${N}\s?(?:h|m|s|min|hours?|minutes?|seconds?)\b)`,
);
const ETA_BEFORE = words(String.raw`(${T}|${N}\s?(?:h|min|hours?|minutes?))\s(?:left|remaining)\b`);
const MEMORY = new RegExp(
  String.raw`(?<![\w])((?:(?:max|peak|gpu|cuda|used|alloc\w{0,6}|reserved)[_ ]){0,3}(?:mem(?:ory)?|vram|allocated|reserved)(?:[_ ](?:used|alloc\w{0,6}|reserved|usage))?)${IS}(${N})\s?(GiB|MiB|GB|MB|G|M)\b`,
  'gi',
);
const BYTES: Readonly<Record<string, number>> = { GiB: 2 ** 30, MiB: 2 ** 20 };

/** Words in front of `loss` that are the name of a counter, and those of other losses than that of training. */
const COUNTERS = /^(?:epoch|iter|iteration|the|and|with|at)$/i;
const NOT_TRAINING =
  /^(?:val\w*|eval\w*|test\w*|dev|best|min|lowest|aux\w*|kl|reg\w*|d|g|a|b|disc\w*|gen\w*)$/i;

/** A loss that is no number any more is still one of a step. */
const NO_NUMBER = /(?<![A-Za-z])(?:(?<!val[_ ])loss)['"\]]?\s{0,4}[:=]?\s{0,4}-?(?:nan|inf)\b/i;

/** `003 epoch, 06000 iter`: the counts in front of their names. */
const COUNTS_FIRST = /^\W{0,8}(\d{1,6}) epochs?,? (\d{1,12}) (?:iter(?:ation)?|step|batch)s?\b/i;

/** A line about something else than training. */
const OTHERS =
  /^[^\w]*(?:\w+[^\w]+){0,3}?(?:val|valid|validation|validating|eval|evaluation|evaluating|test|testing|dev|best|early|load|loading|loaded|save|saving|saved|resume|resuming|resumed)\b/i;

/** Longer lines are not what one prints by hand. */
const LONGEST = 2000;

function lossIn(text: string): number | null {
  const all = [...text.matchAll(LOSS)].map(([, word, value = '']) => ({ word, value }));
  const own = all.filter(({ word }) => word === undefined || OWN_LOSS.test(word) || COUNTERS.test(word));
  const best =
    own.find(({ word }) => /^train/i.test(word ?? '')) ??
    own.find(({ word }) => word === undefined || /^(?:step|batch|total|cur)/i.test(word)) ??
    own[0] ??
    only(all);
  return best === undefined ? null : numberOf(best.value);
}

/** The only loss of a line, whatever it is called, is that of training; of several none is the whole. */
const only = (losses: readonly { readonly word: string | undefined; readonly value: string }[]) =>
  losses.length === 1 && !NOT_TRAINING.test(losses[0]?.word ?? '') ? losses[0] : undefined;

function timeIn(text: string): number | null {
  const perStep = MILLISECONDS_PER_STEP.exec(text)?.[1];
  if (perStep !== undefined) return inSeconds(perStep, 'ms');
  const [, named, seconds] = STEP_TIME_UNIT.exec(text) ?? [];
  if (named !== undefined && seconds !== undefined) return inSeconds(seconds, named);
  const [, value, unit] = STEP_TIME.exec(text) ?? TIME_IN_MS.exec(text) ?? [];
  if (value !== undefined && unit !== undefined) return inSeconds(value, unit);
  return numberOf(STEP_SECONDS.exec(text)?.[1] ?? '');
}

function inSeconds(text: string, unit: string): number | null {
  const value = numberOf(text);
  return value === null ? null : value / (unit.startsWith('m') ? 1000 : 1);
}

function tokensIn(text: string): number | null {
  const [, value, thousand] = TOKENS.map(pattern => pattern.exec(text)).find(found => found !== null) ?? [];
  const count = numberOf(value ?? '');
  return count === null ? null : count * (thousand ? 1000 : 1);
}

function memoryIn(text: string): readonly StatedMemory[] {
  return [...text.matchAll(MEMORY)].flatMap(
    ([, what = '', value = '', unit = '']): readonly StatedMemory[] => {
      const count = numberOf(value);
      const scale = BYTES[unit];
      if (count === null) return [];
      return scale === undefined
        ? [{ what, bytes: null, stated: `${value}${unit}` }]
        : [{ what, bytes: Math.round(count * scale) }];
    },
  );
}

type Counters = Pick<ProgressState, 'epoch' | 'step' | 'totalSteps'>;

function countersIn(text: string): Counters {
  const [, before, count] = COUNTS_FIRST.exec(text) ?? [];
  if (before !== undefined && count !== undefined) return { epoch: Number(before), step: Number(count) };
  const epoch = EPOCH.exec(text);
  const named = STEP.exec(text);
  const behind = epoch ? text.slice(epoch.index + epoch[0].length) : text;
  const { step = named?.[1], steps = named?.[2] } = named ? {} : unnamedIn(behind);
  return known({
    epoch: numberOf(epoch?.[1] ?? ''),
    step: numberOf(step ?? ''),
    totalSteps: numberOf(steps ?? ''),
  });
}

function unnamedIn(text: string): {
  readonly step?: string | undefined;
  readonly steps?: string | undefined;
} {
  const { step, steps, step2, steps2 } = COUNT.exec(text)?.groups ?? {};
  return { step: step ?? step2, steps: steps ?? steps2 };
}

const known = (fields: Readonly<Record<string, number | null>>): ProgressState =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

function valuesIn(text: string): ProgressState {
  const found: Record<string, number> = {};
  for (const [field, pattern] of VALUES) {
    const value = numberOf(pattern.exec(text)?.[1] ?? '');
    if (value !== null && !(field in found)) found[field] = value;
  }
  return found;
}

/** The state that a line of someone's own script prints; null if it is not one of training. */
export function printIn(text: string): LineFields | null {
  if (text.length > LONGEST || !/loss|\blr\b|learning/i.test(text)) return null;
  if (OTHERS.test(text) && !/train/i.test(text)) return null;
  const counters = countersIn(text);
  const loss = lossIn(text);
  const values = valuesIn(text);
  if (counters.step === undefined && counters.epoch === undefined) return null;
  if (loss === null && values.gradNorm === undefined && !NO_NUMBER.test(text)) return null;
  const eta = (ETA.exec(text) ?? ETA_BEFORE.exec(text))?.[1];
  const secondsPerStep = timeIn(text);
  const memory = memoryIn(text);
  return {
    state: {
      ...counters,
      ...known({ loss, tokensPerSecond: tokensIn(text), etaSeconds: secondsOf(eta ?? '') }),
      ...(secondsPerStep !== null && { secondsPerStep }),
      ...values,
      ...(memory.length > 0 && { memory }),
    },
    weak: new Set(),
  };
}
