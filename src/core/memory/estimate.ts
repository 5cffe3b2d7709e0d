import type { TermName } from '../models/terms';

/** Bytes as an interval; low ≤ expected ≤ high. */
export interface Bytes {
  readonly low: number;
  readonly expected: number;
  readonly high: number;
}

/** When a peak occurs. The first step differs: optimizer states do not exist before its end. */
export type Phase =
  | 'load'
  | 'first forward'
  | 'first backward'
  | 'first optimizer step'
  | 'forward'
  /** A token after the prompt: the first one, or the last. */
  | 'generation'
  | 'backward'
  | 'optimizer step'
  /** A batch of evaluation between two steps. */
  | 'evaluation'
  /** A checkpoint is written, or a model of one whole piece is put together for it. */
  | 'save'
  /** Weights and states of a checkpoint are there again, before the first step. */
  | 'resume'
  /** Adapters are merged into the weights. */
  | 'merge';

export interface PhasePeak {
  readonly phase: Phase;
  /** Torch allocated, expected. */
  readonly bytes: number;
}

/** One row of the sum at the peak. Rows add up to the device's expected bytes. */
export interface Term {
  readonly term: TermName;
  readonly bytes: number;
  /** How it comes about, with numbers: `8.03 B parameters × 2 B`. */
  readonly formula: string;
  /** Quantities it rests on, for showing their keys and origins. */
  readonly from: readonly string[];
  readonly note?: string;
}

export type Verdict = 'fits' | 'tight' | 'exceeds' | 'unknown';

/** The estimate for one device (of several equal ones, the worst; of a pipeline the worst rank comes first). */
export interface DeviceEstimate {
  /** Target's name, or `per GPU` without a target. */
  readonly name: string;
  readonly capacityBytes: number | null;
  readonly usableBytes: number | null;
  readonly device: Bytes;
  readonly reserved: Bytes;
  readonly allocated: Bytes;
  /** A live job takes more than `reserved`, where the device has it. */
  readonly isLive?: true;
  /** What the allocator would keep on a larger device and gives back on this one: the need is that much smaller. */
  readonly givenBackBytes?: number;
  readonly verdict: Verdict;
  readonly peakPhase: Phase;
  readonly phases: readonly PhasePeak[];
  readonly terms: readonly Term[];
}

/** One row of what a run takes on the host. */
export interface HostTerm {
  readonly term:
    | 'processes'
    | 'weights while loading'
    | 'offloaded'
    | 'computing on the CPU'
    | 'paged optimizer states'
    | 'prefetched batches'
    | 'checkpoint';
  readonly bytes: Bytes;
  readonly formula: string;
}

/** Memory of one machine in addition to its GPUs: of all the run's processes there, in the phase that takes most. */
export interface HostEstimate {
  readonly phase: 'load' | 'training' | 'computing' | 'save' | 'resume' | 'merge';
  readonly bytes: Bytes;
  readonly terms: readonly HostTerm[];
  /** What the machine has; null: not known. */
  readonly capacityBytes: number | null;
}

/** What of a model lies on one device of a device map. */
export interface PlacedOn {
  /** A GPU by its number, the host, the disk. */
  readonly device: number | 'cpu' | 'disk';
  /** Modules in their order, layers that follow each other as one: `model.layers.0–15`. */
  readonly modules: readonly string[];
  /** How many of them are layers. */
  readonly layers: number;
  /** Of weights. */
  readonly bytes: number;
}

export interface Estimate {
  readonly devices: readonly DeviceEstimate[];
  /** Where a device map puts the model; absent where nothing says that there is one. */
  readonly placed?: readonly PlacedOn[];
  /** Null: not known. */
  readonly host: HostEstimate | null;
  /** The run computes on the CPU, or in memory that its GPU shares with it: the devices hold nothing. */
  readonly onMachine?: true;
  /** What was not counted, one phrase each. */
  readonly notCounted: readonly string[];
  /** What was assumed where the config is silent, one phrase each. */
  readonly assumptions: readonly string[];
}

/** What an estimate says of GPUs: it depends on less than what it says of the machine. */
export type GpuEstimate = Omit<Estimate, 'host'>;

/** An estimate, or the facts without which there is none: each a phrase that completes "missing: …". */
export type EstimateResult =
  | { readonly ok: true; readonly estimate: Estimate }
  | { readonly ok: false; readonly missing: readonly string[] };

/** `least`: what has to be there at once, whatever the allocator does. */
export function verdictOf(device: Bytes, least: number, usable: number | null): Verdict {
  if (usable === null) return 'unknown';
  if (least > usable) return 'exceeds';
  return device.high > usable ? 'tight' : 'fits';
}

/**
 * A device by what is known of its amounts. What the allocator holds beyond what has to be there at once is given back
 * where the device has no room for it: a run that only just fits never shows more than there is.
 */
export function judged(device: DeviceEstimate): DeviceEstimate {
  const { usableBytes: usable } = device;
  const context = device.terms.find(({ term }) => term === 'cuda context')?.bytes ?? 0;
  const least = device.allocated.expected + context;
  const verdict = verdictOf(device.device, least, usable);
  const over = usable === null || least > usable ? 0 : Math.max(0, device.device.expected - usable);
  if (over === 0) return { ...device, verdict };
  const less = ({ low, expected, high }: Bytes): Bytes => ({
    low: Math.min(low, expected - over),
    expected: expected - over,
    high,
  });
  return {
    ...device,
    verdict,
    device: less(device.device),
    reserved: less(device.reserved),
    givenBackBytes: (device.givenBackBytes ?? 0) + over,
    terms: device.terms.map(term =>
      term.term === 'allocator slack' ? { ...term, bytes: Math.max(0, term.bytes - over) } : term,
    ),
  };
}
