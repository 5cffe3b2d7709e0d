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

/** The latest calibration of a type of GPU; null: none. */
export const latestRates = (all: readonly MeasuredRates[], gpu: string | undefined): MeasuredRates | null =>
  all
    .filter(one => one.gpu === gpu)
    .toSorted((a, b) => (a.at < b.at ? -1 : 1))
    .at(-1) ?? null;
