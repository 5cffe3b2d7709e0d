import type { MeasuredRates } from '../hardware/measuredRates';
import { isRecord, numberIn, parsedJson, textIn } from '../text/json';
import type { Features } from './measurement';

/** How fast a run really was: a line of `measurements.jsonl` beside those of memory. */
export interface PastSpeed {
  readonly schema: 'headroom-speed/1';
  /** ISO 8601, UTC. */
  readonly at: string;
  /** The config, for display only. */
  readonly config: string;
  readonly framework: string;
  /** `model_type`; null if the model is unknown. */
  readonly family: string | null;
  /** The GPU's name in the catalog. */
  readonly gpu: string;
  readonly gpus: number;
  readonly features: Features;
  readonly gradAccum: number;
  /** Seconds of an optimizer step. */
  readonly secondsPerStep: number;
  /** It is an average of the whole run, with evaluating and saving. */
  readonly isWhole: boolean;
  /** What was computed for the same run, in seconds; null: nothing could be. */
  readonly predicted: { readonly secondsPerStep: number; readonly by: string } | null;
}

export const speedLine = (speed: PastSpeed): string => `${JSON.stringify(speed)}\n`;

/** The speeds among the lines of a file; other and broken lines are left out. */
export const readSpeeds = (text: string): readonly PastSpeed[] =>
  text.split('\n').flatMap(line => (line.includes('headroom-speed/1') ? speedOf(parsedJson(line)) : []));

function speedOf(value: unknown): readonly PastSpeed[] {
  if (!isRecord(value) || value['schema'] !== 'headroom-speed/1' || !isRecord(value['features'])) return [];
  const seconds = positive(value['secondsPerStep']);
  const gpus = positive(value['gpus']);
  const gradAccum = positive(value['gradAccum']);
  const [at, gpu, framework] = [textIn(value['at']), textIn(value['gpu']), textIn(value['framework'])];
  if (seconds === null || gpus === null || gradAccum === null) return [];
  if (at === null || gpu === null || framework === null) return [];
  const texts = Object.entries(value['features']).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return [
    {
      ...{ schema: 'headroom-speed/1', at, gpu, framework, gpus, gradAccum, secondsPerStep: seconds },
      config: textIn(value['config']) ?? '',
      family: textIn(value['family']),
      features: Object.fromEntries(texts),
      isWhole: value['isWhole'] === true,
      predicted: predictedOf(value['predicted']),
    },
  ];
}

function predictedOf(value: unknown): PastSpeed['predicted'] {
  const seconds = isRecord(value) ? positive(value['secondsPerStep']) : null;
  return isRecord(value) && seconds !== null
    ? { secondsPerStep: seconds, by: textIn(value['by']) ?? '' }
    : null;
}

export const ratesLine = (rates: MeasuredRates): string => `${JSON.stringify(rates)}\n`;

/** The calibrations among the lines of a file; other and broken lines are left out. */
export const readRates = (text: string): readonly MeasuredRates[] =>
  text.split('\n').flatMap(line => (line.includes('headroom-rates/1') ? ratesOf(parsedJson(line)) : []));

function ratesOf(value: unknown): readonly MeasuredRates[] {
  if (!isRecord(value) || value['schema'] !== 'headroom-rates/1' || !isRecord(value['flops'])) return [];
  const [half, fp32] = [positive(value['flops']['half']), positive(value['flops']['fp32'])];
  const bytesPerSecond = positive(value['bytesPerSecond']);
  const [at, gpu] = [textIn(value['at']), textIn(value['gpu'])];
  if (at === null || gpu === null || half === null || fp32 === null || bytesPerSecond === null) return [];
  return [{ schema: 'headroom-rates/1', at, gpu, flops: { half, fp32 }, bytesPerSecond }];
}

function positive(value: unknown): number | null {
  const number = numberIn(value);
  return number !== null && number > 0 ? number : null;
}
