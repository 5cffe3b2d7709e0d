import type { PlanTime } from '../plan/plan';
import { timeRatio } from '../plan/planTime';
import type { Range, Speed, SpeedResult } from '../speed/speed';
import type { ServedSpeed } from '../speed/serving';
import { USUAL_STEPS } from '../speed/speed';
import type { Part } from '../speed/stepTime';
import type { Json } from '../text/json';
import { counted, formatShare, groupDigits } from '../units';

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

const dollarsText = (amount: number): string =>
  amount < 10 ? `$${amount.toFixed(2)}` : `$${roughly(amount)}`;

/** The expected cost; null: no price is known. */
export const shortDollars = ({ dollars }: Speed): string | null => dollars && dollarsText(dollars.expected);

/** What a step does in a part, after `62 % of a step`, and what that means. */
const PART_WORDS: Readonly<Record<Part, readonly [does: string, meaning: string]>> = {
  products: ['multiplies matrices', 'the tensor cores are busy'],
  attention: ['computes attention', 'rows are long'],
  memory: ['waits for memory', 'small kernels between the products'],
  host: ['waits for the CPU to start kernels', 'batches are small'],
  optimizer: ['updates weights', 'more accumulation would share it'],
  communication: ['waits for other GPUs', 'links are slow for this much traffic'],
  pipeline: ['waits in the pipeline', 'more micro-batches would fill it'],
};

/** What dominates a step, in one sentence: the largest part, or two if no part is half of it. */
function describeDominant({ shares, each }: Speed): string {
  const [first, second] = shares;
  if (!first) return '';
  const [does, meaning] = PART_WORDS[first.part];
  const start = `${formatShare(first.share)} of a ${each} ${does}`;
  if (first.share >= 0.5 || !second) return `${start}: ${meaning}.`;
  const [alsoDoes, why] = PART_WORDS[second.part];
  return `${start}, ${formatShare(second.share)} ${alsoDoes}: ${why}.`;
}

/** `1,500 steps`; of a run without a known end, those that hours are given for. */
export function stepsText({ length, each }: Speed): string {
  const count = length?.steps ?? USUAL_STEPS;
  return each === 'batch' && count !== 1 ? `${groupDigits(count)} batches` : counted(count, each);
}

/** How long and what it costs: `2.3 h (1.9–2.8) for 1,500 steps, $6.20 ($5.10–$7.60), 1.6 kWh.` */
function describeCost(speed: Speed): string {
  const { hours, length, dollars, price, kilowattHours, gpus } = speed;
  const steps = stepsText(speed);
  const from = length ? ` (${length.from})` : '';
  const money =
    dollars && price
      ? `, ${dollarsText(dollars.expected)} (${dollarsText(dollars.low)}–${dollarsText(dollars.high)}; ${counted(gpus, 'GPU')} at $${price.usdPerHour.toFixed(2)}/h, ${price.source} ${price.date})`
      : '';
  const energy = kilowattHours ? `, ${roughly(kilowattHours.expected)} kWh at most` : '';
  return `${duration(hours)} for ${steps}${from}${money}${energy}.`;
}

/** `3,060 tokens/s`, `1 sample/s` */
function rateOf(amount: number, unit: Speed['unit']): string {
  const text = roughly(amount);
  return `${text} ${text === '1' ? unit.slice(0, -1) : unit}/s`;
}

/** The rate of a GPU: `≈ 3,060 tokens/s per GPU (2,650–3,500), 5.3 s a step, 48 % of its published rate.` */
function describeRate({ perSecondPerGpu, unit, secondsPerStep, mfu, each }: Speed): string {
  const rate = `≈ ${rateOf(perSecondPerGpu.expected, unit)} per GPU (${range(perSecondPerGpu)})`;
  return `${rate}, ${roughly(secondsPerStep.expected)} s a ${each}, ${formatShare(mfu)} of the published rate.`;
}

/** All sentences on time and cost; of an unknown speed, what is missing. */
export function describeSpeed(speed: SpeedResult): readonly string[] {
  if (!speed.ok) return [`Time: unknown (missing: ${speed.missing.join('; ')}).`];
  const { assumptions } = speed;
  const assumed = assumptions.length > 0 ? [`Assumed for time: ${assumptions.join('; ')}.`] : [];
  return [describeRate(speed), describeCost(speed), describeDominant(speed), ...assumed];
}

/** Time and cost in one line, for a hover: `≈ 2.3 h and $6.20 for 1,500 steps, 3,060 tokens/s per GPU`. */
export function speedLine(speed: Speed): string {
  const { hours, perSecondPerGpu, unit, assumedTokens } = speed;
  const money = shortDollars(speed);
  const assumed = assumedTokens === undefined ? '' : `, if rows have ${groupDigits(assumedTokens)} tokens`;
  const cost = money === null ? '' : ` and ${money}`;
  const steps = stepsText(speed);
  return `≈ ${shortDuration(hours)}${cost} for ${steps}, ${rateOf(perSecondPerGpu.expected, unit)} per GPU${assumed}`;
}

/** A server's speed: `≈ 21,000 tokens/s of prompts, 142 written for one request, 4,300 for 100 at once (8,192 tokens each) …` */
export function describeServedSpeed({ prefill, alone, together, context }: ServedSpeed): string {
  const one = `${roughly(alone.expected)} tokens/s written for one request (${range(alone)})`;
  const { requests } = together;
  const all = requests > 1 ? `, ${roughly(together.expected)} for ${groupDigits(requests)} at once` : '';
  const prompts = `${roughly(prefill.expected)} tokens/s of prompts read (${range(prefill)})`;
  return `≈ ${one}${all}, ${prompts}; requests of ${groupDigits(context)} tokens, an estimate.`;
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
export function timeChange(time: PlanTime): string {
  const ratio = timeRatio(time);
  if (isAsLong(time)) return 'same time';
  if (ratio >= 2) return `${Number(ratio.toPrecision(2))} × as long`;
  return ratio > 1
    ? `${Math.round((ratio - 1) * 100)} % more time`
    : `${Math.round((1 - ratio) * 100)} % less time`;
}

/**
 * A plan's time and cost: `≈ 1.9 h and $5.10 for 1,500 steps instead of 2.3 h and $6.20, 18 % less time`; where hours do not
 * compare: `≈ 18 % less time per token`.
 */
export function planTimeText(time: PlanTime): string {
  const { was, is, isRatioOnly } = time;
  const unit = is.unit.slice(0, -1);
  if (isRatioOnly) return `≈ ${timeChange(time)} per ${unit}`;
  const before = isAsLong(time) ? '' : ` instead of ${amounts(was)}`;
  return `≈ ${amounts(is)} for ${stepsText(is)}${before}, ${timeChange(time)}`;
}

/** `1.9 h and $5.10` */
function amounts(speed: Speed): string {
  const money = shortDollars(speed);
  return `${shortDuration(speed.hours)}${money === null ? '' : ` and ${money}`}`;
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
