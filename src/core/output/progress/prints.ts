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

/** Counts are whole, unless they are parts of an epoch. */
const COUNT = String.raw`(?:\d{1,3}(?:,\d{3}){1,6}|\d{1,12})(?!\d|,\d{3}(?!\d)|\.\d)(?:[kKM]\b)?`;
const OF_COUNT = String.raw`(?:\s{0,8}(?:/|of)\s{0,8}(${COUNT}))?`;

/** Also as Spanish, Portuguese, French, German, Italian and Russian programs call it. */
export const EPOCH_WORD = '(?:epochs?|epoche|[ée]po(?:ca|que)s?|эпоха)';
const EPOCH = words(
  String.raw`${START}(?<!best[ _])(?:train(?:ing)? )?(?:${EPOCH_WORD}|eps?)(?![a-z])\.?\s{0,4}#?${IS}(${N})(?!\d|\.\d|%)${OF}`,
);
const STEP = words(
  String.raw`(?<!(?:ms|s|secs?|time|per)/)${START}(?:global[_ ]?|train(?:ing)?[_ ]?|optim(?:izer)?[_ ]?|num[_ ]?)?(?:step|it(?:er(?:ation)?)?|batch|minibatch|update|up\.)s?\s{0,4}#?${IS}(${COUNT})(?!\s?(?:%|(?:it|iter|step|batch|sample|img|image|tok|token|ex|s|ms)\w{0,3}/|/s))${OF_COUNT}`,
);
/** What reinforcement learning counts, beside its iterations. */
const TIMESTEPS = words(String.raw`${START}total_timesteps${IS}(${COUNT})${OF_COUNT}`);
/** Counts without a name: of an epoch and a step, `[1/100][50/782]`, `[1,  2000]`; of a step, `[12/300] loss`. */
const TWO_COUNTS =
  /\[\s{0,8}(?<epoch>\d{1,6})\/\s{0,8}\d{1,6}\]\s?\[\s{0,8}(?<step>\d{1,12})\/\s{0,8}(?<steps>\d{1,12})\]|^\W{0,8}\[(?<epoch2>\d{1,6}),\s{0,8}(?<step2>\d{1,12})\]/;
const ONE_COUNT = words(
  String.raw`^\W{0,8}(?<step>\d{1,12})\s{0,4}/\s{0,4}(?<steps>\d{1,12})(?![\d/.]|\s{0,4}\()|[\[| ]\s{0,8}(?<step2>\d{1,12})\s{0,4}/\s{0,4}(?<steps2>\d{1,12})\s{0,4}(?:[\],|]|batches|steps|iter)`,
);
/** `288/446 (epoch 0), train_loss = 2.150`. */
const STEP_OF_EPOCH = /^\W{0,8}(?<step>\d{1,12})\/(?<steps>\d{1,12}) \(epoch \d/i;
const OWN_LOSS =
  /^(?:train(?:ing)?|total|avg|average|mean|running|batch|lm|step|current|cur|ce|xent|mlm|smoothed|smooth|reduced|tr)$/i;
/** `loss at step 200: 0.5`, `loss (one batch) at step 200: 0.5`, `Train loss (step 200): 0.5`. */
const MEANWHILE = String.raw`(?:\s?\([A-Za-z ]{1,30}\))?(?:\s(?:at|after|for|in)|\s?\((?=\w{1,10} \d))\s?[a-z]{2,10}\s{1,4}\d{1,12}\)?\s{0,4}(?=[:=])`;
const LOSS = new RegExp(
  String.raw`(?:(?<![A-Za-z])([A-Za-z]{1,20})[_ /.-]{1,2})?(?<![A-Za-z])loss(?:es)?(?:[/_](?:train|total))?(?:${MEANWHILE})?${IS}(${N})`,
  'gi',
);
/** What a line without a `loss` calls it. */
const COST = words(String.raw`${START}(?:cost|xent|nll|ce|cross[-_ ]entropy)${IS}(${N})`);
const RATE_WORD = String.raw`(?:cur(?:rent)?[_ ]|train[_ ])?(?:lr|lrate|l\.r\.|learning[_ ]?rate)(?:_0)?`;
const VALUES: readonly (readonly [keyof ProgressState, RegExp])[] = [
  ['learningRate', words(String.raw`(?:${START}|/)${RATE_WORD}${IS}(${N})`)],
  ['gradNorm', words(String.raw`(?:${START}|/)(?:grad(?:ient)?s?(?:[_ -]?norm)?|gnorm|gn|norm)${IS}(${N})`)],
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
    'secondsPerStep',
    words(
      String.raw`${START}s(?:ec(?:onds?)?)?[_ ]?(?:/|per)[_ ]?(?:it|iter|iteration|step|batch|update)${IS}(${N})`,
    ),
  ],
  [
    'samplesPerSecond',
    words(
      String.raw`(${N})\s?(?:samples?|imgs?|images?|im|ex(?:amples?)?|seqs?|utts?)/s(?:ec(?:ond)?)?\b${NO_NAME}`,
    ),
  ],
  [
    'samplesPerSecond',
    words(
      String.raw`${START}(?:samples?|imgs?|images?|examples?)[_ ]?(?:/|per)[_ ]?s(?:ec(?:ond)?)?${IS}(${N})`,
    ),
  ],
];
/** Milliseconds or microseconds. */
const TIME_PER_STEP = words(
  String.raw`(${N})\s?(ms|[uµμ]s)\s?(?:/|per)\s?(?:it|iter|iteration|step|batch|update)\b${NO_NAME}`,
);
const MILLISECONDS_BEHIND = words(
  String.raw`${START}ms[_ ]?(?:/|per)[_ ]?(?:it|iter|iteration|step|batch|update)${IS}(${N})`,
);
const STEP_WORD = String.raw`(?:(?:step|iter(?:ation)?|batch)[_ -]?(?:time|avg|cost)|time[_ ]?(?:/|per)[_ ]?(?:step|iter(?:ation)?|batch|it)|dt)`;
const STEP_TIME = words(String.raw`${START}${STEP_WORD}${IS}(${N})${TIME_UNIT}`);
const STEP_TIME_UNIT = words(
  String.raw`${START}${STEP_WORD}(?:\s?\(|_)(ms|s|sec|seconds)(?:\)|(?!\w))['"]?\s?[:=]?\s?(${N})`,
);
/** Without a unit, a decimal number of seconds. */
const STEP_SECONDS = words(
  String.raw`${START}(?:${STEP_WORD}|time(?=.{1,80}?\bdata))${IS}(\d{1,2}\.\d{1,10})(?![\w.]|\s?(?:ms|min|h)\b)`,
);
const TIME_IN_MS = words(String.raw`(?:${START}(?:time|took)${IS}|[|,] {1,8})(${N})\s?(ms)(?![\w/])`);
const TOKENS = [
  words(String.raw`(${N})(k?)\s?(?:(?:tok(?:en)?|word)s?/s(?:ec(?:ond)?)?|wps|tps)\b${NO_NAME}`),
  words(
    String.raw`${START}(?:(?:tok(?:en)?|word)s?[_ ]?(?:/|per)[_ ]?s(?:ec(?:ond)?)?|tps|wps)${IS}(${N})(k?)(?!\w)`,
  ),
];
const ETA = words(
  String.raw`${START}(?:eta|(?:time[_ ]?)?remaining|time left|left|est\w* remaining)(?: time)?${IS}~?\s?(\d{1,4}d \d{1,2}:\d\d:\d\d|${T}|${N}\s?(?:h|m|s|min|hours?|minutes?|seconds?)\b)`,
);
const ETA_BEFORE = words(String.raw`(${T}|${N}\s?(?:h|min|hours?|minutes?))\s(?:left|remaining)\b`);
const UNIT = '(GiB|MiB|GB|MB|G|M)';
const MEMORY_WORD = String.raw`(?:(?:max|peak|gpu|cuda|used|alloc\w{0,6}|reserved|torch)[_ /]){0,3}(?:mem(?:ory)?|vram|gpu|allocated|reserved|gpumem)(?:[_ ](?:used|alloc\w{0,6}|reserved|usage|peak|max))?`;
/** `mem: 12.3GB`, `mem 12.3/24.0 GB`; the unit in the name, `memory_gb=12.3`; a word behind, `2.3GB allocated`. */
const MEMORY = new RegExp(
  String.raw`(?<!\w)(?:(${MEMORY_WORD})${IS}(${N})(?:\s?/\s?${N})?\s?${UNIT}\b(?!\s?(?:alloc\w{0,6}|reserved)\b)|(${MEMORY_WORD}[_ ]\(?${UNIT}\)?)${IS}(${N})(?![\w.])|(?<![.,\d])(${N})\s?${UNIT} (alloc\w{0,6}|reserved)\b)`,
  'gi',
);
const BYTES: Readonly<Record<string, number>> = { gib: 2 ** 30, mib: 2 ** 20 };

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
  /^[^\w]*(?:\w+[^\w]+){0,3}?(?:val|valid|validation|validating|eval|evaluation|evaluating|test|testing|dev|best|early|load|loading|loaded|save|saving|saved|resume|resuming|resumed)\b|[([](?:val|valid|validation|eval|test)[)\]]/i;

/** A line that says more of the step before it: `speed: 0.08s/iter; left time: 108.4s`. */
const CONTINUES = /^\s*(?:speed|throughput|eta|lr|learning rate)\s?[:=]/i;

/** The time that an image takes, not a step. */
const INFERENCE = /\d\s?ms inference\b/i;

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
  return numberOf(best?.value ?? (all.length === 0 ? (COST.exec(text)?.[1] ?? '') : ''));
}

/** The only loss of a line, whatever it is called, is that of training; of several none is the whole. */
const only = (losses: readonly { readonly word: string | undefined; readonly value: string }[]) =>
  losses.length === 1 && !NOT_TRAINING.test(losses[0]?.word ?? '') ? losses[0] : undefined;

function timeIn(text: string): number | null {
  const [, perStep, perStepUnit = 'ms'] = TIME_PER_STEP.exec(text) ?? MILLISECONDS_BEHIND.exec(text) ?? [];
  if (perStep !== undefined) return inSeconds(perStep, perStepUnit);
  const [, named, seconds] = STEP_TIME_UNIT.exec(text) ?? [];
  if (named !== undefined && seconds !== undefined) return inSeconds(seconds, named);
  const [, value, unit] = STEP_TIME.exec(text) ?? TIME_IN_MS.exec(text) ?? [];
  if (value !== undefined && unit !== undefined) return inSeconds(value, unit);
  return numberOf(STEP_SECONDS.exec(text)?.[1] ?? '');
}

function inSeconds(text: string, unit: string): number | null {
  const value = numberOf(text);
  const perSecond = unit.startsWith('m') ? 1e3 : 1e6;
  return value === null ? null : value / (unit.startsWith('s') ? 1 : perSecond);
}

function tokensIn(text: string): number | null {
  const [, value, thousand] = TOKENS.map(pattern => pattern.exec(text)).find(found => found !== null) ?? [];
  const count = numberOf(value ?? '');
  return count === null ? null : count * (thousand ? 1000 : 1);
}

/** A number of bytes has no unit. */
const MEMORY_BYTES =
  /(?<!\w)(\w{0,30}(?:mem|vram|gpu|alloc|reserved)\w{0,30})['"]?[:=]\s?(\d{7,15})(?![\d.])/gi;

/** MetricLogger's, as copied from DETR and torchvision: of 2^20 bytes, without a unit. */
const METRIC_LOGGER = /(?<!\w)(max mem): (\d{1,7})(?![\d.]|\s?[A-Za-z])/gi;

function memoryIn(text: string): readonly StatedMemory[] {
  const counted = (pattern: RegExp, unitBytes: number): readonly StatedMemory[] =>
    [...text.matchAll(pattern)].map(([, what = '', count]) => ({ what, bytes: Number(count) * unitBytes }));
  return [...statedIn(text), ...counted(MEMORY_BYTES, 1), ...counted(METRIC_LOGGER, 2 ** 20)];
}

function statedIn(text: string): readonly StatedMemory[] {
  const found = [...text.matchAll(MEMORY)];
  return found.flatMap(
    ([, name, count, unit, whole, ofName, bare, first, last, behind]): readonly StatedMemory[] => {
      const what = name ?? whole ?? behind ?? '';
      const value = count ?? bare ?? first ?? '';
      const stated = unit ?? ofName ?? last ?? '';
      const scale = BYTES[stated.toLowerCase()];
      const number = numberOf(value);
      if (number === null) return [];
      return scale === undefined
        ? [{ what, bytes: null, stated: `${value}${stated}` }]
        : [{ what, bytes: Math.round(number * scale) }];
    },
  );
}

type Counters = Pick<ProgressState, 'epoch' | 'step' | 'totalSteps'>;

function countersIn(text: string): Counters {
  const [, before, count] = COUNTS_FIRST.exec(text) ?? [];
  if (before !== undefined && count !== undefined) return { epoch: Number(before), step: Number(count) };
  const epoch = EPOCH.exec(text);
  const named = TIMESTEPS.exec(text) ?? STEP.exec(text);
  const [step, totalSteps, first] = named ? named.slice(1) : unnamedIn(epoch, text);
  const counts = { epoch: epoch?.[1] ?? first, step, totalSteps };
  return known(
    Object.fromEntries(Object.entries(counts).map(([name, digits]) => [name, countOf(digits ?? '')])),
  );
}

/** A count, also as programs shorten it: `12K`. */
function countOf(digits: string): number | null {
  const scale = SCALES[digits.slice(-1).toLowerCase()] ?? 1;
  const value = numberOf(scale === 1 ? digits : digits.slice(0, -1));
  return value === null ? null : value * scale;
}
const SCALES: Readonly<Record<string, number>> = { k: 1e3, m: 1e6 };

/** Of counts without names: the step, the number of steps, and the epoch. */
function unnamedIn(epoch: RegExpExecArray | null, text: string): readonly (string | undefined)[] {
  const behind = epoch ? text.slice(epoch.index + epoch[0].length) : text;
  const found = (epoch ? STEP_OF_EPOCH : TWO_COUNTS).exec(text) ?? ONE_COUNT.exec(behind);
  const { step, step2 = step, steps, steps2 = steps, epoch: first, epoch2 = first } = found?.groups ?? {};
  return [step2, steps2, epoch2];
}

const known = (fields: Readonly<Record<string, number | null>>): ProgressState =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

/** What stands beside counts and a loss. */
export function besidesIn(text: string): ProgressState {
  const memory = memoryIn(text);
  return {
    ...known({ tokensPerSecond: tokensIn(text) }),
    ...valuesIn(text),
    ...(memory.length > 0 && { memory }),
  };
}

function valuesIn(text: string): ProgressState {
  const found: Record<string, number> = {};
  for (const [field, pattern] of VALUES) {
    const value = numberOf(pattern.exec(text)?.[1] ?? '');
    if (value !== null && !(field in found)) found[field] = value;
  }
  return found;
}

/** What only a training has besides its counts. */
const SIGNS = [
  'gradNorm',
  'stepsPerSecond',
  'secondsPerStep',
  'samplesPerSecond',
  'tokensPerSecond',
] as const;

/** The state that a line of someone's own script prints; null if it is not one of training. */
export function printIn(text: string): LineFields | null {
  if (text.length > LONGEST || (OTHERS.test(text) && !/train/i.test(text))) return null;
  if (INFERENCE.test(text)) return null;
  const counters = countersIn(text);
  const isCounted = counters.step !== undefined || counters.epoch !== undefined;
  if (!isCounted && !CONTINUES.test(text) && !/loss/i.test(text)) return null;
  const eta = (ETA.exec(text) ?? ETA_BEFORE.exec(text))?.[1];
  const state: ProgressState = {
    ...counters,
    ...known({ loss: lossIn(text), etaSeconds: secondsOf(eta ?? ''), secondsPerStep: timeIn(text) }),
    ...besidesIn(text),
  };
  if (!isOfTraining(state, isCounted, text)) return null;
  return { state, weak: isCounted ? new Set() : new Set(Object.keys(state)) };
}

/** True for a loss or a rate beside a count, for both counts, and for a loss beside what only a training has. */
function isOfTraining(state: ProgressState, isCounted: boolean, text: string): boolean {
  const hasSign = SIGNS.some(name => name in state);
  if (state.loss !== undefined) return isCounted || hasSign || 'learningRate' in state || 'memory' in state;
  const hasBoth = 'step' in state && 'epoch' in state && /\d\.\d/.test(text);
  return hasSign || (isCounted && (hasBoth || NO_NUMBER.test(text)));
}
