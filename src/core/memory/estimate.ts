import type { TermName } from '../models/terms';
import type { EngineWords } from './engine';
import type { Phase } from './played';
import type { RankWork } from './rankWork';
import type { Gap } from './gap';

/** Bytes as an interval; low ≤ expected ≤ high. */
export interface Bytes {
  readonly low: number;
  readonly expected: number;
  readonly high: number;
}

interface PhasePeak {
  readonly phase: Phase;
  /** Torch allocated, expected. */
  readonly bytes: number;
}

/** One row of the peak's sum. Rows add up to the device's expected bytes. */
export interface Term {
  readonly term: TermName;
  readonly bytes: number;
  /** The formula with numbers: `8.03 B parameters × 2 B`. */
  readonly formula: string;
  /** Quantities that it depends on, to show their keys and origins. */
  readonly from: readonly string[];
  readonly note?: string;
}

/** What a server's cache holds, and what the server takes in addition on this GPU; all in bytes or tokens. */
export interface ServedRoom {
  readonly engine: string;
  /** The key of the share of the GPU, and its value. */
  readonly shareKey: string;
  readonly lengthKey: string;
  /** The engine's words where it does not start. */
  readonly says: EngineWords;
  readonly share: number;
  /** Tokens in the cache, as the engine reports them at startup. */
  readonly tokens: number;
  /** Requests of the promised length that fit at once, as the engine reports them. */
  readonly sequences: number;
  /** Requests that the engine runs at once at most. */
  readonly most: number;
  /** Ranks that share each layer. */
  readonly tensorRanks: number;
  /** A pass reads the weights from the GPU, and writes one token for each request. */
  readonly isPlainStep: boolean;
  /** The promised length. */
  readonly context: number;
  /** The longest request that fits the cache; 0: none. */
  readonly longest: number;
  /** The longest that fits in nineteen of twenty starts; 0: none. */
  readonly surely: number;
  readonly cacheBytes: number;
  /** "Model loading took": weights and tables. */
  readonly weightsBytes: number;
  /** The peak of the profiling pass beyond the weights. */
  readonly activationBytes: number;
  /** Kernels and buffers for communication, outside torch's counters. */
  readonly besideTorchBytes: number;
  /** CUDA graphs; null: not counted for this engine. */
  readonly graphsBytes: number | null;
  /** They come out of the share, not on top of it. */
  readonly countsGraphs: boolean;
  /** The smallest share, in hundredths, with which one request of the promised length fits; null: none does. */
  readonly leastShare: number | null;
  /** The largest share, in hundredths, that the GPU's free memory allows. */
  readonly mostShare: number;
  /** It starts although a request of the promised length does not fit, and cuts requests at what the cache holds. */
  readonly cutsRequests: boolean;
  /** Why the engine does not start, whatever the model takes; null: nothing known. */
  readonly refusal: Refusal | null;
}

/** What an engine checks before it loads a model. */
export type Refusal =
  /** The promised length is above the model's positions. */
  | 'length'
  /** Tensor ranks do not divide the attention heads, or the padded vocabulary. */
  | 'heads'
  | 'vocabulary'
  /** The GPU has less free memory at startup than the share asks for. */
  | 'share';

export type Verdict = 'fits' | 'tight' | 'exceeds' | 'unknown';

/** The estimate for one device: the worst of several equal ones; in a pipeline the worst rank comes first. */
export interface DeviceEstimate {
  /** The target's name, or `per GPU` without a target. */
  readonly name: string;
  readonly capacityBytes: number | null;
  readonly usableBytes: number | null;
  readonly device: Bytes;
  readonly reserved: Bytes;
  readonly allocated: Bytes;
  /** A live job takes more than `reserved` if the device has the memory. */
  readonly isLive?: true;
  /** Memory that the allocator would keep on a larger device and frees on this one; reduces the need. */
  readonly releasedBytes?: number;
  readonly verdict: Verdict;
  readonly peakPhase: Phase;
  readonly phases: readonly PhasePeak[];
  readonly terms: readonly Term[];
  /** Of a server that fills its share of the GPU with keys and values. */
  readonly served?: ServedRoom;
}

/** One row of the memory that a run takes on the host. */
export interface HostTerm {
  readonly term:
    | 'processes'
    | 'weights while loading'
    | 'offloaded'
    | 'sleeping engine'
    | 'computing on the CPU'
    | 'paged optimizer states'
    | 'prefetched batches'
    | 'checkpoint';
  readonly bytes: Bytes;
  readonly formula: string;
}

/** Host RAM of one machine: of all the run's processes there, in the phase that takes most. */
export interface HostEstimate {
  readonly phase: 'load' | 'training' | 'computing' | 'save' | 'resume' | 'merge';
  readonly bytes: Bytes;
  readonly terms: readonly HostTerm[];
  /** The machine's RAM; null: unknown. */
  readonly capacityBytes: number | null;
}

/** The part of a model on one device of a device map. */
export interface PlacedOn {
  /** A GPU by number, the host, or the disk. */
  readonly device: number | 'cpu' | 'disk';
  /** Modules in order, with consecutive layers as a range: `model.layers.0–15`. */
  readonly modules: readonly string[];
  /** Number of layers among them. */
  readonly layers: number;
  /** Bytes of weights. */
  readonly bytes: number;
}

/** What an assumption leaves open: how several GPUs share the run, or how long its rows are. */
export type Doubt = 'unsharded' | 'uncut';

export interface Estimate {
  /** Assumptions that a verdict names; absent: none. */
  readonly doubts?: readonly Doubt[];
  readonly devices: readonly DeviceEstimate[];
  /** Placement by a device map; absent without one. */
  readonly placed?: readonly PlacedOn[];
  /** Null: unknown. */
  readonly host: HostEstimate | null;
  /** The run computes on the CPU, or in memory that its GPU shares with it: the devices hold nothing. */
  readonly onMachine?: true;
  /** What each rank of a pipeline computes in a step; absent or empty: unknown. */
  readonly work?: readonly RankWork[];
  /** What was not counted, as phrases. */
  readonly notCounted: readonly string[];
  /** Assumptions where the config is silent, as phrases. */
  readonly assumptions: readonly string[];
  /** How many of them may be quite different: there is no verdict; absent: none. */
  readonly guesses?: number;
}

/** The GPU part of an estimate, which depends on fewer inputs than the host part. */
export type GpuEstimate = Omit<Estimate, 'host'>;

/** Why there is no estimate. */
export interface Unanswered {
  readonly ok: false;
  /** The missing facts, as phrases that complete "missing: …". */
  readonly missing: readonly string[];
  /** The kind of each; absent: none that matters. */
  readonly gaps?: readonly Gap[];
}

export type EstimateResult = { readonly ok: true; readonly estimate: Estimate } | Unanswered;

/** `least`: memory that must exist at the same time, whatever the allocator does. */
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
    releasedBytes: (device.releasedBytes ?? 0) + over,
    terms: device.terms.map(term =>
      term.term === 'allocator slack' ? { ...term, bytes: Math.max(0, term.bytes - over) } : term,
    ),
  };
}
