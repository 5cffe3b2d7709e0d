/** What is read from a GPU again and again. */
export const MEASURES = [
  'utilPct',
  'memBusyPct',
  'memoryUsedMiB',
  'memoryFreeMiB',
  'memoryReservedMiB',
  'tempC',
  'tempMemC',
  'powerW',
  'powerInstantW',
  'powerAvgW',
  'powerLimitW',
  'fanPct',
  'clockSmMHz',
  'clockMemMHz',
] as const;

export type Measure = (typeof MEASURES)[number];

/**
 * One reading of one device. A measure is null when it was not read (a zero is a zero); `unavailable` keeps the tool's own
 * words where it had some. `memoryUsedMiB` leaves out what the driver reserves; `memBusyPct` is the time in which memory
 * was accessed, not how full it is.
 */
export interface GpuSample extends Readonly<Record<Measure, number | null>> {
  /** The device's key. */
  readonly key: string;
  /** When it was received, in ms of this machine's clock. */
  readonly receivedMs: number;
  readonly pstate: string | null;
  readonly unavailable: Readonly<Record<string, string>>;
}

/** The measures among some texts: of each, the first that is a number; else the first text is kept as it is. */
export function measuresFrom(
  textsOf: (measure: Measure) => readonly string[],
  numberOf: (text: string) => number | null,
): Readonly<Record<Measure, number | null>> & Pick<GpuSample, 'unavailable'> {
  const unavailable: Record<string, string> = {};
  const read = (measure: Measure): number | null => {
    const texts = textsOf(measure);
    const value = texts.map(numberOf).find(number => number !== null) ?? null;
    if (value === null && texts[0] !== undefined) unavailable[measure] = texts[0];
    return value;
  };
  const values = Object.fromEntries(MEASURES.map(measure => [measure, read(measure)]));
  return { ...(values as Record<Measure, number | null>), unavailable };
}

/** A process on a GPU. Null: hidden or not printed. */
export interface GpuProcess {
  readonly pid: number;
  readonly name: string | null;
  readonly memoryUsedMiB: number | null;
  /** Compute, graphics, both. */
  readonly type: 'C' | 'G' | 'C+G' | null;
  readonly gpuIndex: number | null;
  readonly gpuUuid: string | null;
  readonly pciBusId: string | null;
  readonly gpuInstanceId: number | null;
  readonly computeInstanceId: number | null;
}
