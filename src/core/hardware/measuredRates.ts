import { isRecord, numberIn, parsedJson, textIn } from '../text/json';

/** What a short calibration measured on a GPU: a line of `measurements.jsonl`. It names the type of GPU, and no single board. */
export interface MeasuredRates {
  readonly schema: 'headroom-rates/1';
  /** ISO 8601, UTC. */
  readonly at: string;
  /** The GPU's name in the catalog. */
  readonly gpu: string;
  /** FLOP a second in large products; `half`: in bf16, or in fp16 where the GPU has no bf16. */
  readonly flops: Readonly<Record<'half' | 'fp32', number>>;
  /** Bytes read and written in a second by copies in the GPU's memory. */
  readonly bytesPerSecond: number;
}

export const ratesLine = (rates: MeasuredRates): string => `${JSON.stringify(rates)}\n`;

/** The calibrations among the lines of a file; other and broken lines are left out. */
export const readRates = (text: string): readonly MeasuredRates[] =>
  text.split('\n').flatMap(line => (line.includes('headroom-rates/1') ? ratesOf(parsedJson(line)) : []));

function ratesOf(value: unknown): readonly MeasuredRates[] {
  if (!isRecord(value) || value['schema'] !== 'headroom-rates/1' || !isRecord(value['flops'])) return [];
  const [half, fp32] = [numberIn(value['flops']['half']), numberIn(value['flops']['fp32'])];
  const bytesPerSecond = numberIn(value['bytesPerSecond']);
  const [at, gpu] = [textIn(value['at']), textIn(value['gpu'])];
  if (at === null || gpu === null || !isRate(half) || !isRate(fp32) || !isRate(bytesPerSecond)) return [];
  return [{ schema: 'headroom-rates/1', at, gpu, flops: { half, fp32 }, bytesPerSecond }];
}

const isRate = (value: number | null): value is number => value !== null && value > 0;

/** The latest calibration of a type of GPU; null: none. */
export const latestRates = (all: readonly MeasuredRates[], gpu: string | undefined): MeasuredRates | null =>
  all
    .filter(one => one.gpu === gpu)
    .toSorted((a, b) => (a.at < b.at ? -1 : 1))
    .at(-1) ?? null;
