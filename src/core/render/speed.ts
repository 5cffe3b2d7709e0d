import type { PlanTime } from '../plan/plan';
import { timeRatio } from '../plan/planTime';
import type { Range, Speed, SpeedResult } from '../speed/speed';
import type { ServedSpeed } from '../speed/serving';
import { USUAL_STEPS } from '../speed/speed';
import type { Part } from '../speed/stepTime';
import type { Json } from '../text/json';
import { formatShare, groupDigits } from '../units';
import { gpusText } from '../hardware/describe';
import { said, template } from '../text/say';
import { commas, toldList } from '../text/lists';
import type { Say, Template } from '../text/say';

/** A number with as many digits as its size is worth: `0.42`, `8.3`, `96`, `3,060`. */
export function roughly(value: number): string {
  if (value >= 100) return groupDigits(Number(value.toPrecision(3)));
  if (value >= 10) return String(Math.round(value));
  return String(Number(value.toPrecision(2)));
}

const range = ({ low, high }: Range): string => `${roughly(low)}–${roughly(high)}`;

const MINUTES = 60;

/** `2.3 h (1.9–2.8)`, `14 min (12–17)`. */
function duration(hours: Range): string {
  if (hours.expected >= 1) return `${roughly(hours.expected)} h (${range(hours)})`;
  const minutes = scaled(hours, MINUTES);
  if (minutes.expected >= 1) return `${roughly(minutes.expected)} min (${range(minutes)})`;
  const seconds = scaled(minutes, MINUTES);
  return `${roughly(seconds.expected)} s (${range(seconds)})`;
}

const scaled = ({ low, expected, high }: Range, by: number): Range => ({
  low: low * by,
  expected: expected * by,
  high: high * by,
});

/** The expected time in one word: `2.3 h`, `14 min`. */
export function shortDuration({ expected }: Range): string {
  if (expected >= 1) return `${roughly(expected)} h`;
  return expected * MINUTES >= 1
    ? `${roughly(expected * MINUTES)} min`
    : `${roughly(expected * MINUTES ** 2)} s`;
}

/** Below a cent, one digit that counts: `$0.0003`. */
function dollarsText(amount: number): string {
  if (amount >= 10) return `$${roughly(amount)}`;
  const decimals = amount > 0 && amount < 0.01 ? Math.ceil(-Math.log10(amount)) : 2;
  return `$${amount.toFixed(decimals)}`;
}

/** The expected cost; null: no price is known. */
export const shortDollars = ({ dollars }: Speed): string | null => dollars && dollarsText(dollars.expected);

/** What a step does in a part, and what that means. */
const PART_WORDS: Readonly<Record<Part, readonly [does: Template, meaning: Template]>> = {
  products: [template('{0} multiplies matrices'), template('the tensor cores are busy')],
  attention: [template('{0} computes attention'), template('rows are long')],
  memory: [template('{0} waits for memory'), template('small kernels between the products')],
  host: [template('{0} waits for the CPU to start kernels'), template('batches are small')],
  optimizer: [template('{0} updates weights'), template('more accumulation would share it')],
  communication: [template('{0} waits for other GPUs'), template('links are slow for this much traffic')],
  pipeline: [template('{0} waits in the pipeline'), template('more micro-batches would fill it')],
};

/** What dominates a step, in one sentence: the largest part, or two if no part is half of it. */
function describeDominant(say: Say, { shares, each }: Speed): string {
  const [first, second] = shares;
  if (!first) return '';
  const [does, meaning] = PART_WORDS[first.part];
  const share = formatShare(first.share);
  const start = said(
    say,
    does,
    each === 'batch' ? say('{0} of a batch', share) : say('{0} of a step', share),
  );
  if (first.share >= 0.5 || !second) return say('{0}: {1}.', start, said(say, meaning));
  const [alsoDoes, why] = PART_WORDS[second.part];
  const also = said(say, alsoDoes, formatShare(second.share));
  return say('{0}: {1}.', commas(say, [start, also]), said(say, why));
}

/** `1,500 steps`; of a run without a known end, those that hours are given for. */
export function stepsText(say: Say, { length, each }: Speed): string {
  const count = length?.steps ?? USUAL_STEPS;
  const many = groupDigits(count);
  if (each === 'batch') return count === 1 ? say('1 batch') : say('{0} batches', many);
  return count === 1 ? say('1 step') : say('{0} steps', many);
}

/** How long and what it costs: `2.3 h (1.9–2.8) for 1,500 steps, $6.20 ($5.10–$7.60), 1.6 kWh.` */
function describeCost(say: Say, speed: Speed): string {
  const { hours, length, dollars, price, kilowattHours, gpus } = speed;
  const steps = stepsText(say, speed);
  const time = say('{0} for {1}', duration(hours), length ? `${steps} (${length.from})` : steps);
  const money =
    dollars && price
      ? [
          say(
            '{0} ({1}–{2}; {3} at ${4}/h, {5} {6})',
            dollarsText(dollars.expected),
            dollarsText(dollars.low),
            dollarsText(dollars.high),
            gpusText(say, gpus),
            price.usdPerHour.toFixed(2),
            price.source,
            price.date,
          ),
        ]
      : [];
  const energy = kilowattHours ? [say('{0} kWh at most', roughly(kilowattHours.expected))] : [];
  return say('{0}.', commas(say, [time, ...money, ...energy]));
}

/** `3,060 tokens/s`, `1 sample/s` */
function rateOf(amount: number, unit: Speed['unit']): string {
  const text = roughly(amount);
  return `${text} ${text === '1' ? unit.slice(0, -1) : unit}/s`;
}

/** The rate of a GPU: `≈ 3,060 tokens/s per GPU (2,650–3,500), 5.3 s a step, 48 % of its published rate.` */
function describeRate(say: Say, { perSecondPerGpu, unit, secondsPerStep, mfu, each }: Speed): string {
  const values = [
    rateOf(perSecondPerGpu.expected, unit),
    range(perSecondPerGpu),
    roughly(secondsPerStep.expected),
    formatShare(mfu),
  ];
  return each === 'batch'
    ? say('≈ {0} per GPU ({1}), {2} s a batch, {3} of the published rate.', ...values)
    : say('≈ {0} per GPU ({1}), {2} s a step, {3} of the published rate.', ...values);
}

/** All sentences on time and cost; of an unknown speed, what is missing. */
export function describeSpeed(say: Say, speed: SpeedResult): readonly string[] {
  if (!speed.ok) return [say('Time: unknown (missing: {0}).', toldList(say, speed.missing))];
  const { assumptions } = speed;
  const assumed = assumptions.length > 0 ? [say('Assumed for time: {0}.', toldList(say, assumptions))] : [];
  return [describeRate(say, speed), describeCost(say, speed), describeDominant(say, speed), ...assumed];
}

/** Time and cost in one line, for a hover: `≈ 2.3 h and $6.20 for 1,500 steps, 3,060 tokens/s per GPU`. */
export function speedLine(say: Say, speed: Speed): string {
  const { perSecondPerGpu, unit, assumedTokens } = speed;
  const line = say(
    '≈ {0} for {1}, {2} per GPU',
    amounts(say, speed),
    stepsText(say, speed),
    rateOf(perSecondPerGpu.expected, unit),
  );
  return assumedTokens === undefined
    ? line
    : say('{0}, if rows have {1} tokens', line, groupDigits(assumedTokens));
}

/** A server's speed: `≈ 21,000 tokens/s of prompts, 142 written for one request, 4,300 for 100 at once (8,192 tokens each) …` */
export function describeServedSpeed(say: Say, { prefill, alone, together, context }: ServedSpeed): string {
  const { requests } = together;
  const one = say('≈ {0} tokens/s written for one request ({1})', roughly(alone.expected), range(alone));
  const all =
    requests > 1 ? [say('{0} for {1} at once', roughly(together.expected), groupDigits(requests))] : [];
  const prompts = say('{0} tokens/s of prompts read ({1})', roughly(prefill.expected), range(prefill));
  return say(
    '{0}; requests of {1} tokens, an estimate.',
    commas(say, [one, ...all, prompts]),
    groupDigits(context),
  );
}

/** The same in the JSON output, in tokens a second. */
export const servedSpeedAsJson = ({ prefill, alone, together, context }: ServedSpeed): Json => ({
  unit: 'tokens/s',
  prefill: rangeAsJson(prefill),
  oneRequest: rangeAsJson(alone),
  atOnce: { requests: together.requests, rate: rangeAsJson(together) },
  requestTokens: context,
});

/** A difference below this share is less than the model can tell. */
const SAME_TIME = 0.01;

/** True if a plan changes the time by less than the speed model can tell. */
export const isAsLong = (time: PlanTime): boolean => Math.abs(timeRatio(time) - 1) < SAME_TIME;

/** Time with a plan, relative to now: `18 % less time`, `2.1 × as long`. */
export function timeChange(say: Say, time: PlanTime): string {
  const ratio = timeRatio(time);
  if (isAsLong(time)) return say('same time');
  if (ratio >= 2) return say('{0} × as long', Number(ratio.toPrecision(2)));
  return ratio > 1
    ? say('{0} % more time', Math.round((ratio - 1) * 100))
    : say('{0} % less time', Math.round((1 - ratio) * 100));
}

/**
 * A plan's time and cost: `≈ 1.9 h and $5.10 for 1,500 steps instead of 2.3 h and $6.20, 18 % less time`; where hours do not
 * compare: `≈ 18 % less time per token`.
 */
export function planTimeText(say: Say, time: PlanTime): string {
  const { was, is, isRatioOnly } = time;
  const change = timeChange(say, time);
  if (isRatioOnly) {
    return is.unit === 'tokens' ? say('≈ {0} per token', change) : say('≈ {0} per sample', change);
  }
  const [now, steps] = [amounts(say, is), stepsText(say, is)];
  return isAsLong(time)
    ? say('≈ {0} for {1}, {2}', now, steps, change)
    : say('≈ {0} for {1} instead of {2}, {3}', now, steps, amounts(say, was), change);
}

/** `1.9 h and $5.10` */
function amounts(say: Say, speed: Speed): string {
  const money = shortDollars(speed);
  const time = shortDuration(speed.hours);
  return money === null ? time : say('{0} and {1}', time, money);
}

/** A plan's time in the JSON output. `hours` and `dollars` are null where they do not compare. */
export function planTimeAsJson(time: PlanTime): Json {
  const { was, is, isRatioOnly } = time;
  const pair = (of: (speed: Speed) => Range | null): Json => {
    const [from, to] = [of(was), of(is)];
    return from && to && { from: rangeAsJson(from), to: rangeAsJson(to) };
  };
  return {
    ratio: digits(timeRatio(time)),
    per: is.unit.slice(0, -1),
    steps: isRatioOnly ? null : (is.length?.steps ?? USUAL_STEPS),
    hours: isRatioOnly ? null : pair(({ hours }) => hours),
    dollars: isRatioOnly ? null : pair(({ dollars }) => dollars),
  };
}

/** A range in the JSON output. */
export const rangeAsJson = ({ low, expected, high }: Range): Json => ({
  low: digits(low),
  expected: digits(expected),
  high: digits(high),
});

/** Six significant digits: machines differ in the last bits. */
const digits = (value: number): number => Number(value.toPrecision(6));

/** Time and cost in the JSON output. */
export function speedAsJson(speed: SpeedResult): Json {
  if (!speed.ok) return { known: false, missing: [...speed.missing] };
  const { unit, length, dollars, price, kilowattHours } = speed;
  return {
    known: true,
    each: speed.each,
    secondsPerStep: rangeAsJson(speed.secondsPerStep),
    unit,
    perSecondPerGpu: rangeAsJson(speed.perSecondPerGpu),
    perStep: speed.perStep,
    assumedTokens: speed.assumedTokens ?? null,
    mfu: digits(speed.mfu),
    gpus: speed.gpus,
    steps: length?.steps ?? null,
    stepsFrom: length?.from ?? null,
    hoursFor: length?.steps ?? USUAL_STEPS,
    hours: rangeAsJson(speed.hours),
    dollars: dollars && rangeAsJson(dollars),
    priceFrom: price && `${price.source} ${price.date}`,
    kilowattHours: kilowattHours && rangeAsJson(kilowattHours),
    shares: Object.fromEntries(speed.shares.map(({ part, share }) => [part, digits(share)])),
    assumptions: [...speed.assumptions],
  };
}
