/** What a number in a line of output is. `eta` is a duration as it is printed: `1 day, 11:14:26`. */
export type LogField =
  | 'step'
  | 'steps'
  | 'epoch'
  | 'epochs'
  | 'percent'
  | 'loss'
  | 'learningRate'
  | 'gradNorm'
  | 'secondsPerStep'
  | 'millisecondsPerStep'
  | 'microsecondsPerStep'
  | 'stepsPerSecond'
  | 'samplesPerSecond'
  | 'tokensPerSecond'
  | 'eta'
  | 'etaSeconds'
  | 'parts'
  | 'partsDone'
  | 'allocatedMiB'
  | 'allocatedGiB'
  | 'reservedMiB'
  | 'reservedGiB';

/** An amount of memory in a line: what it is called there, and what its number counts. */
export interface LogMemory {
  readonly what: string;
  /** `stated`: the number has a unit whose base the line does not tell (`1.19G`). */
  readonly unit: 'bytes' | 'MiB' | 'GiB' | 'GB' | 'stated';
}

/**
 * A line that a framework prints: a regular expression whose named groups are numbers. A name with a digit behind it
 * (`loss2`) is a second choice for where the first is not there.
 */
export interface LogLine {
  readonly pattern: string;
  readonly fields: readonly LogField[];
  /** Groups that are amounts of memory, in addition to those of `fields`. */
  readonly memory?: Readonly<Record<string, LogMemory>>;
  /** It is a bar of tqdm's: read only where the bar is one of training, and not of loading or validating. */
  readonly bar?: true;
  /** A line as it was seen, which the pattern takes. */
  readonly example: string;
  readonly source: string;
}

/** A number as programs print it, as a part of a pattern: `2e-05`, `129,238`, `-0.5`, `9.98E-06`. */
export const N = String.raw`[-+]?(?:\d{1,3}(?:,\d{3}){1,6}(?!\d)|\d{1,30})(?:\.\d{1,30})?(?:[eE][-+]?\d{1,4})?`;

/** A duration: `1573:03:24`, `3 days, 0:25:58`, `2d 22h 37m 44s`, `0h3m`. */
export const T = String.raw`(?:\d+ days?, )?\d+:\d\d(?::\d\d)?(?:\.\d+)?|\d+[dhms](?: ?\d+[hms])*`;

/**
 * A line by its parts: `start` stands somewhere, and behind it, in any order, what `parts` says. `{}` is the number of a
 * part, `{t}` a duration. Parts that are not there are not there; only the start is needed.
 */
export interface Parts {
  readonly start: string;
  readonly parts?: Readonly<Record<string, string>>;
  readonly memory?: Readonly<Record<string, LogMemory>>;
  readonly bar?: true;
  readonly example: string;
  readonly source: string;
}

const part = ([name, words]: readonly [string, string]): string => {
  const group = words.replace('{}', `(?<${name}>${N})`).replace('{t}', `(?<${name}>${T})`);
  return `(?=(?:.*?${group})?)`;
};

/** What a bar of tqdm's says, whatever its description. */
const BAR = String.raw`(?<percent>\d{1,3})%\|[^|]{0,400}\| (?<step>\d+)/(?<steps>\d+) \[[\d:]+<`;

/** A tqdm bar with the text at its end. */
export const bar = (end: Omit<Parts, 'start' | 'bar'>): LogLine => line({ start: BAR, bar: true, ...end });

const namesIn = (pattern: string): readonly string[] =>
  [...pattern.matchAll(/\(\?<(\w+)>/g)].map(([, name = '']) => name);

/** Longest number, and longest text without an end of its own, in a line: metrics of reinforcement learning take some 6,000 characters. */
const [DIGITS, WORDS] = [30, 8000];

/**
 * A pattern whose work grows with the line's length only: what repeats has an end. `\\d+%` alone begins anew at each digit of a
 * row of them, and `.*?` runs to the line's end from each place where a line may begin.
 */
const bounded = (pattern: string): string =>
  pattern.replace(PIECE, (whole, piece: string, times: string | undefined) =>
    times === undefined ? whole : `${piece}{${times === '+' ? 1 : 0},${/^\[?\\d/.test(piece) ? DIGITS : WORDS}}`,
  );

/** What stands for one character, and how often it repeats. */
const PIECE = /(\\.|\[(?:\\.|[^\]\\])*(?:\]|$)|\.)([+*])?/g;

/** Words, and behind them at any distance what is looked for; behind a lookahead only parts, each of which may be missing. */
const FAR = /^((?:\\[b{.]|[\w ])+)(?:\.\*\?|\(\?:\.\*\?\[\\s\]\)\?|\(\?=\.\*\?(?:\\.|[^()\\])*\)(?:$|\(\?=\(\?:\.\*\?))/;

/**
 * What finds all places of a pattern in a record. Where nothing stands at any distance behind the first of its opening words, nothing
 * does behind a later one: the search ends there instead of looking to the end of the record from each of them.
 */
export function finder(pattern: string): RegExp {
  const opening = FAR.exec(pattern)?.[1];
  if (opening === undefined) return new RegExp(bounded(pattern), 'g');
  return new RegExp(`(?:(?!${opening})[^])*${opening}${bounded(pattern.slice(opening.length)).replace(`{0,${WORDS}}`, '*')}`, 'gy');
}

/** The line as data of a dialect: one expression, whose work grows with the line's length only. */
export function line({ start, parts = {}, memory, bar, example, source }: Parts): LogLine {
  const named = start.replaceAll('{}', N);
  const pattern = named + Object.entries(parts).map(part).join('');
  const fields = namesIn(pattern)
    .map(name => name.replace(/(?<!\d)\d+$/, ''))
    .filter((name, at, all) => !(memory && name in memory) && all.indexOf(name) === at) as LogField[];
  return { pattern, fields, example, source, ...(memory && { memory }), ...(bar && { bar }) };
}
