/** The measures that are read repeatedly. */
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

/** Readings of one MIG instance, in addition to those of its GPU. Null: not reported. */
export interface MigSample {
  readonly gpuInstanceId: number | null;
  readonly computeInstanceId: number | null;
  readonly memoryUsedMiB: number | null;
  readonly utilPct: number | null;
}

/** A device's fault as reported by its driver. */
type SampleState = 'needs-reset' | 'lost';

/** What a power reading covers: now, the last second, a shared rail, the whole chip. */
export type PowerKind = 'instant' | 'avg1s' | 'rail' | 'soc';

/**
 * One reading of one device. A measure is null if it was not read (a zero is a zero); `unavailable` keeps the
 * tool's own text, if any. `memoryUsedMiB` excludes what the driver reserves; `memBusyPct` is the share of time in
 * which memory was accessed, not how full it is; `memoryAllocatedMiB` is what programs requested, which may exceed
 * the total. An absent field is one that this tool never reports.
 */
export interface GpuSample extends Readonly<Record<Measure, number | null>> {
  /** The device's key. */
  readonly key: string;
  /** Time of receipt, in ms of this machine's clock. */
  readonly receivedMs: number;
  readonly pstate: string | null;
  /** The reasons for throttling as the driver's bit mask (`0x0000000000000004`). */
  readonly throttleMask?: string | null;
  /** The same as texts; empty: no throttling; null: unknown. */
  readonly throttleReasons?: readonly string[] | null;
  readonly engines?: readonly EngineLoad[] | null;
  readonly mig?: readonly MigSample[] | null;
  /** Absent: none was reported. */
  readonly state?: SampleState;
  readonly powerKind?: PowerKind | null;
  readonly unavailable: Readonly<Record<string, string>>;
}

/**
 * The measures from candidate texts: for each the first text with a number, else the first text is kept unparsed.
 */
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

/** Drivers print this instead of every value: `[GPU requires reset]`, `GPU is lost`. */
function stateIn(words: readonly string[]): SampleState | null {
  if (words.some(text => /\bGPU is lost\b/i.test(text))) return 'lost';
  return words.some(text => /\bGPU requires reset\b/i.test(text)) ? 'needs-reset' : null;
}

/** A sentence that explains a device's fault to the user; null if there is none. */
export function troubleOf({ state }: Pick<GpuSample, 'state'>): string | null {
  if (state === 'lost') return 'The driver has lost this GPU. Restart the machine.';
  return state === 'needs-reset'
    ? 'This GPU needs a reset: run nvidia-smi --gpu-reset as root while nothing uses it, or restart the machine.'
    : null;
}

/** A sample with only the given values. */
export function blankSample(
  key: string,
  receivedMs: number,
  read: Partial<Omit<GpuSample, 'key' | 'receivedMs'>> = {},
): GpuSample {
  return { key, receivedMs, ...NO_MEASURES, pstate: null, unavailable: {}, ...read };
}

const NO_MEASURES = Object.fromEntries(MEASURES.map(measure => [measure, null])) as Record<Measure, null>;

const PROCESS_TYPES = ['C', 'G', 'C+G'] as const;

/** A process on a GPU. Null: hidden or not reported. */
export interface GpuProcess {
  /** Null where a tool names only the user or the program. */
  readonly pid: number | null;
  readonly name: string | null;
  readonly memoryUsedMiB: number | null;
  /** Compute, graphics, or both. */
  readonly type: (typeof PROCESS_TYPES)[number] | null;
  /** The process's share of GPU time, and of the time in which memory was accessed. */
  readonly smPct?: number | null;
  readonly memBusyPct?: number | null;
  /** Its user and command, with secrets masked; known for local processes and if a tool reports it. */
  readonly user?: string | null;
  readonly command?: string | null;
  /** The short id of its container; null: none, or unknown. */
  readonly container?: string | null;
  /** All of its GPUs, if the tool reports per process instead of per GPU. */
  readonly gpuIndices?: readonly number[];
  /** The number of its GPUs, if a tool reports only that. */
  readonly gpuCount?: number | null;
  /** The key of its device; null: not reported. Absent: not looked up. */
  readonly deviceKey?: string | null;
  readonly gpuIndex: number | null;
  readonly gpuUuid: string | null;
  readonly pciBusId: string | null;
  readonly gpuInstanceId: number | null;
  readonly computeInstanceId: number | null;
}

/** A process with only the given facts. */
export const unknownProcess = (known: Pick<GpuProcess, 'pid'> & Partial<GpuProcess>): GpuProcess => ({
  name: null,
  memoryUsedMiB: null,
  type: null,
  gpuIndex: null,
  gpuUuid: null,
  pciBusId: null,
  gpuInstanceId: null,
  computeInstanceId: null,
  ...known,
});

/** What tools call the type of a process; null for any other text. */
export const processTypeOf = (text: string | null | undefined): GpuProcess['type'] =>
  PROCESS_TYPES.find(type => type === text) ?? null;
