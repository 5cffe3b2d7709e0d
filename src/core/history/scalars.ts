import type { Metric } from '../models/terms';
import type { LoggedPeak, LoggedSpeed } from './logs';

const GIB = 2 ** 30;

/** A metric's name that states memory. `device` is the index of the GPU, if the name has one. */
interface MemoryName {
  readonly pattern: RegExp;
  readonly metric: Metric;
  /** Bytes of one unit. */
  readonly unit: number;
}

/**
 * Names under which trainers and trackers log a GPU's memory, with the unit that their code divides by. A name that states no unit
 * and has none in its trainer's code is not here.
 */
const MEMORY: readonly MemoryName[] = [
  // wandb, sdk/internal/system/assets/gpu.py and the Rust monitor: NVML's used memory of the card and of the process.
  { pattern: /^(?:system\.)?gpu\.process\.(\d+)\.memoryallocatedbytes$/, metric: 'device', unit: 1 },
  { pattern: /^(?:system\.)?gpu\.(\d+)\.memoryallocatedbytes$/, metric: 'device', unit: 1 },
  // MLflow, system_metrics/metrics/gpu_monitor.py: NVML's used memory over 1e6.
  { pattern: /^system\/gpu_(\d+)_memory_usage_megabytes$/, metric: 'device', unit: 1e6 },
  // PyTorch Lightning, callbacks/device_stats_monitor.py and its predecessor GPUStatsMonitor.
  { pattern: /(?:^|[/.])allocated_bytes\.all\.peak$/, metric: 'allocated', unit: 1 },
  { pattern: /(?:^|[/.])reserved_bytes\.all\.peak$/, metric: 'reserved', unit: 1 },
  { pattern: /gpu_id: (\d+)\/memory\.used \(mb\)$/, metric: 'device', unit: 2 ** 20 },
  // ms-swift, trainers/mixin.py: torch's max_memory_reserved over 1024³.
  { pattern: /(?:^|\/)memory\(gib\)$/, metric: 'reserved', unit: GIB },
  // Axolotl, utils/callbacks and core/trainers; torchtitan, components/metrics.py.
  { pattern: /(?:^|\/)max_(?:mem_)?(?:active|allocated) ?\(gib\)$/, metric: 'allocated', unit: GIB },
  { pattern: /(?:^|\/)(?:device_(?:mem_)?reserved|max_reserved) ?\(gib\)$/, metric: 'reserved', unit: GIB },
  // verl, utils/metric: over 1024³.
  { pattern: /(?:^|\/)max_memory_allocated_gb$/, metric: 'allocated', unit: GIB },
  { pattern: /(?:^|\/)max_memory_reserved_gb$/, metric: 'reserved', unit: GIB },
  // torchtune, training/memory.py: over 1024³.
  { pattern: /(?:^|\/)peak_memory_alloc$/, metric: 'allocated', unit: GIB },
  { pattern: /(?:^|\/)peak_memory_reserved$/, metric: 'reserved', unit: GIB },
  // Composer, callbacks/memory_monitor.py: over 1e9.
  { pattern: /^memory\/peak_(?:allocated|active)_mem$/, metric: 'allocated', unit: 1e9 },
  { pattern: /^memory\/peak_reserved_mem$/, metric: 'reserved', unit: 1e9 },
  // Megatron-LM, training/training.py.
  { pattern: /(?:^|\/)mem-max-allocated-bytes$/, metric: 'allocated', unit: 1 },
  { pattern: /(?:^|\/)mem-reserved-bytes$/, metric: 'reserved', unit: 1 },
];

/** Names of the time of an optimizer step, or of its inverse. */
const SPEED: readonly {
  readonly pattern: RegExp;
  readonly isRate: boolean;
  readonly isWhole?: boolean;
}[] = [
  { pattern: /(?:^|\/)train_speed\(iter\/s\)$/, isRate: true },
  { pattern: /(?:^|\/)train_speed\(s\/it\)$/, isRate: false },
  { pattern: /(?:^|\/)train_step_timing in s$/, isRate: false },
  { pattern: /^(?:timing_s\/step|perf\/time_per_step)$/, isRate: false },
  { pattern: /^time_metrics\/end_to_end\(s\)$/, isRate: false },
  { pattern: /^throughput\/batches_per_sec$/, isRate: true },
  // transformers, trainer_utils.py speed_metrics: with evaluating and saving.
  { pattern: /^(?:train[/_])?train_steps_per_second$/, isRate: true, isWhole: true },
];

/** Names of the optimizer's step. */
const STEP = /^(?:train(?:er)?\/)?(?:global|update)_step$/;

/** True if a scalar of this name is the number of optimizer steps so far. */
export const isStep = (name: string): boolean => STEP.test(name);

/** Values of one name, thinned out evenly once there are many. */
class Series {
  private values: number[] = [];
  private every = 1;
  private seen = 0;
  most = -Infinity;
  last = 0;

  add(value: number): void {
    this.most = Math.max(this.most, value);
    this.last = value;
    if (this.seen++ % this.every !== 0) return;
    this.values.push(value);
    if (this.values.length < MOST_VALUES) return;
    this.values = this.values.filter((_, i) => i % 2 === 0);
    this.every *= 2;
  }

  median(): number {
    const sorted = this.values.toSorted((a, b) => a - b);
    return sorted[Math.floor((sorted.length - 1) / 2)] ?? this.last;
  }
}

const MOST_VALUES = 4096;
/** More names than any trainer logs; others are ignored. */
const MOST_NAMES = 5000;

/** The scalars of a log by name, in bounded space. */
export class Scalars {
  private readonly series = new Map<string, Series>();

  add(name: string, value: unknown): void {
    if (typeof value !== 'number' || !Number.isFinite(value)) return;
    const key = name.slice(0, 200).toLowerCase();
    let series = this.series.get(key);
    if (!series) {
      if (this.series.size >= MOST_NAMES) return;
      this.series.set(key, (series = new Series()));
    }
    series.add(value);
  }

  /** Adds all numbers of an object. */
  addAll(record: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(record)) this.add(name, value);
  }

  /** The last value of a name; null: never logged. */
  last(name: string): number | null {
    return this.series.get(name)?.last ?? null;
  }

  has(name: string): boolean {
    return this.series.has(name);
  }

  /** The highest peak per metric. Names are tried in order: that of a process before that of its card. */
  peaks(): readonly LoggedPeak[] {
    const found = new Map<Metric, LoggedPeak>();
    for (const { pattern, metric, unit } of MEMORY) {
      if (found.has(metric)) continue;
      const most = [...this.series].flatMap(([name, { most: value }]) =>
        pattern.test(name) && value > 0 ? [Math.round(value * unit)] : [],
      );
      const peak = peakOf(metric, most);
      if (peak) found.set(metric, peak);
    }
    return [...found.values()];
  }

  /** The usual time of a step; null: not logged. */
  speed(): LoggedSpeed | null {
    for (const { pattern, isRate, isWhole = false } of SPEED) {
      for (const [name, series] of this.series) {
        const value = pattern.test(name) ? series.median() : 0;
        if (value > 0) return { secondsPerStep: isRate ? 1 / value : value, from: name, isWhole };
      }
    }
    return null;
  }

  /** The number of optimizer steps; null: not logged. */
  steps(): number | null {
    const found = [...this.series].filter(([name]) => STEP.test(name)).map(([, { most }]) => most);
    return found.length > 0 ? Math.max(...found) : null;
  }
}

/** A peak from the highest amounts of each GPU in bytes; null: none. */
export function peakOf(metric: Metric, each: readonly number[]): LoggedPeak | null {
  const sorted = each.filter(bytes => bytes > 0).toSorted((a, b) => b - a);
  const [bytes] = sorted;
  if (bytes === undefined) return null;
  return { metric, bytes, ...(sorted.length > 1 && { devices: sorted }) };
}

/** A point in time at a step. */
export interface TimedStep {
  readonly step: number;
  readonly atMs: number;
}

/** Rows of a log with their steps, in bounded space: every second one is dropped once there are many. */
export class TimedSteps {
  private points: TimedStep[] = [];
  private every = 1;
  private seen = 0;

  /** The last step; null: none. */
  lastStep: number | null = null;

  add(step: number, atMs: number): void {
    if (!Number.isFinite(step) || !Number.isFinite(atMs)) return;
    this.lastStep = step;
    if (this.seen++ % this.every !== 0) return;
    this.points.push({ step, atMs });
    if (this.points.length < MOST_VALUES) return;
    this.points = this.points.filter((_, i) => i % 2 === 0);
    this.every *= 2;
  }

  /** The usual time of a step; null: too few rows. */
  speed(from: string): LoggedSpeed | null {
    return speedBetween(this.points, from);
  }
}

/** The fewest intervals that tell the usual time of a step. */
const FEWEST_INTERVALS = 3;

/** The usual time of a step from when steps were logged; null: too few. The median leaves out evaluating and saving. */
export function speedBetween(points: readonly TimedStep[], from: string): LoggedSpeed | null {
  const each = points.flatMap(({ step, atMs }, i) => {
    const before = points[i - 1];
    const steps = before ? step - before.step : 0;
    const seconds = before ? (atMs - before.atMs) / 1000 : 0;
    return steps > 0 && seconds > 0 ? [seconds / steps] : [];
  });
  if (each.length < FEWEST_INTERVALS) return null;
  const middle = each.toSorted((a, b) => a - b)[Math.floor((each.length - 1) / 2)];
  return middle === undefined ? null : { secondsPerStep: middle, from };
}
