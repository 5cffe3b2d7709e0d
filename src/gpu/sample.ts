/** What is read from a GPU again and again. */
export const MEASURES = [
  'utilPct',
  'memBusyPct',
  'memoryUsedMiB',
  'memoryFreeMiB',
  'memoryReservedMiB',
  'memoryUsedPct',
  'memoryAllocatedMiB',
  'tempC',
  'tempHotspotC',
  'tempMemC',
  'powerW',
  'powerInstantW',
  'powerAvgW',
  'powerLimitW',
  'fanPct',
  'fanRpm',
  'clockSmMHz',
  'clockMemMHz',
] as const;

export type Measure = (typeof MEASURES)[number];

/** One engine of a GPU (`Render/3D`, `encoder`) and the share of time it was busy. */
export interface EngineLoad {
  readonly name: string;
  readonly busyPct: number;
}

/** What one MIG instance shows in addition to its whole GPU. Null: not printed. */
export interface MigSample {
  readonly gpuInstanceId: number | null;
  readonly computeInstanceId: number | null;
  readonly memoryUsedMiB: number | null;
  readonly utilPct: number | null;
}

/** In which trouble a device is by its driver's words. */
export type SampleState = 'needs-reset' | 'lost';

/** What a power reading covers: now, the last second, a rail that others share, the whole chip. */
export type PowerKind = 'instant' | 'avg1s' | 'rail' | 'soc';

/**
 * One reading of one device. A measure is null when it was not read (a zero is a zero); `unavailable` keeps the tool's own
 * words where it had some. `memoryUsedMiB` leaves out what the driver reserves; `memBusyPct` is the time in which memory
 * was accessed, not how full it is; `memoryAllocatedMiB` is what programs asked for, which may exceed what is there.
 * What is absent, this tool has no word for.
 */
export interface GpuSample extends Readonly<Record<Measure, number | null>> {
  /** The device's key. */
  readonly key: string;
  /** When it was received, in ms of this machine's clock. */
  readonly receivedMs: number;
  readonly pstate: string | null;
  /** What holds the clocks down, as the driver's bits (`0x0000000000000004`). */
  readonly throttleMask?: string | null;
  /** The same in words for people; empty: nothing does; null: not known. */
  readonly throttleReasons?: readonly string[] | null;
  readonly engines?: readonly EngineLoad[] | null;
  readonly mig?: readonly MigSample[] | null;
  /** Absent: none that was told. */
  readonly state?: SampleState;
  readonly powerKind?: PowerKind | null;
  readonly unavailable: Readonly<Record<string, string>>;
}

/** The measures among some texts: of each, the first that is a number; else the first text is kept as it is. */
export function measuresFrom(
  textsOf: (measure: Measure) => readonly string[],
  numberOf: (text: string, measure: Measure) => number | null,
): Readonly<Record<Measure, number | null>> & Pick<GpuSample, 'unavailable' | 'state'> {
  const unavailable: Record<string, string> = {};
  const read = (measure: Measure): number | null => {
    const texts = textsOf(measure);
    const value = texts.map(text => numberOf(text, measure)).find(number => number !== null) ?? null;
    if (value === null && texts[0] !== undefined) unavailable[measure] = texts[0];
    return value;
  };
  const values = Object.fromEntries(MEASURES.map(measure => [measure, read(measure)]));
  const state = stateIn(Object.values(unavailable));
  return { ...(values as Record<Measure, number | null>), unavailable, ...(state && { state }) };
}

/** Drivers say it in the place of every value: `[GPU requires reset]`, `GPU is lost`. */
function stateIn(words: readonly string[]): SampleState | null {
  if (words.some(text => /\bGPU is lost\b/i.test(text))) return 'lost';
  return words.some(text => /\bGPU requires reset\b/i.test(text)) ? 'needs-reset' : null;
}

/** What such a state means for its user, a sentence; null where there is none. */
export function troubleOf({ state }: Pick<GpuSample, 'state'>): string | null {
  if (state === 'lost') return 'The driver has lost this GPU. Restart the machine.';
  return state === 'needs-reset'
    ? 'This GPU needs a reset: run nvidia-smi --gpu-reset as root while nothing uses it, or restart the machine.'
    : null;
}

/** A sample in which nothing was read but what is given. */
export function blankSample(
  key: string,
  receivedMs: number,
  read: Partial<Omit<GpuSample, 'key' | 'receivedMs'>> = {},
): GpuSample {
  return { key, receivedMs, ...NO_MEASURES, pstate: null, unavailable: {}, ...read };
}

const NO_MEASURES = Object.fromEntries(MEASURES.map(measure => [measure, null])) as Record<Measure, null>;

/** A process on a GPU. Null: hidden or not printed. */
export interface GpuProcess {
  readonly pid: number;
  readonly name: string | null;
  readonly memoryUsedMiB: number | null;
  /** Compute, graphics, both. */
  readonly type: 'C' | 'G' | 'C+G' | null;
  /** Share of the GPU's time that was this process's, and of the time its memory was accessed. */
  readonly smPct?: number | null;
  readonly memBusyPct?: number | null;
  /** Whose it is and how it was started, secrets masked; known of local processes and where a tool says so. */
  readonly user?: string | null;
  readonly command?: string | null;
  /** Short id of the container it runs in; null: in none, or not known. */
  readonly container?: string | null;
  /** All GPUs it is on, where the tool counts by process and not by GPU. */
  readonly gpuIndices?: readonly number[];
  /** On how many GPUs it is, where a tool tells only that. */
  readonly gpuCount?: number | null;
  /** Key of the device it is on; null: the tool does not say. Absent: not looked up. */
  readonly deviceKey?: string | null;
  readonly gpuIndex: number | null;
  readonly gpuUuid: string | null;
  readonly pciBusId: string | null;
  readonly gpuInstanceId: number | null;
  readonly computeInstanceId: number | null;
}
