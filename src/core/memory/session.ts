import type { Target } from '../hardware/gpu';
import { Alive } from './alive';
import { CachingAllocator } from './allocator';
import { calibration } from './calibration';
import type { Calibration } from './calibration';
import type { GpuEstimate } from './estimate';
import type { ModelFacts } from '../models/model';
import { isNoted, playingsOf, recordingsOf } from './playing';
import type { Playing, Recorded } from './playing';
import type { Extent } from './reserved';
import type { Plan } from './setup/setUp';

/** Number of cached values, of a few kilobytes each. */
const MOST = 512;
/** With the order of allocations, some ten times as much: those of one run and what it may become. */
const MOST_JOURNALS = 24;

/** The latest values of a kind, by a text key of all inputs. */
class Latest<T> {
  private readonly known = new Map<string, T>();

  constructor(private readonly most: number) {}

  /** The cached value, or a new one; both are equal. */
  get(key: string, make: () => T): T {
    const before = this.known.get(key);
    if (before !== undefined) this.known.delete(key);
    const value = before ?? make();
    this.known.set(key, value);
    const [oldest] = this.known.size > this.most ? this.known.keys() : [];
    if (oldest !== undefined) this.known.delete(oldest);
    return value;
  }
}

/**
 * State that estimates of one program share: a cache of the latest ones, and an allocator for replays. A program
 * creates one and passes it on. Results are the same without it: most edits of a config, and most files of a sweep,
 * do not change memory.
 */
export class MemorySession {
  /** Reused, because collecting the garbage of each replay would take longer than the replay. */
  readonly allocator = new CachingAllocator(false);
  readonly alive = new Alive(0);
  private readonly estimates = new Latest<GpuEstimate>(MOST);
  private readonly playings = new Latest<readonly Playing[]>(MOST);
  private readonly recordings = new Latest<readonly Recorded[]>(MOST_JOURNALS);
  private readonly models = new WeakMap<ModelFacts, string>();
  private readonly keys = new WeakMap<Plan, string>();

  /** Measured constants; tests pass others. */
  constructor(readonly measured: Calibration = calibration) {}

  /** The estimate of a plan, or of an earlier equal one. */
  estimate(plan: Plan, target: Target | null, extent: Extent, make: () => GpuEstimate): GpuEstimate {
    const key = this.keyOf(plan) + JSON.stringify([extent, plan.assumptions, target, plan.engineRoom]);
    return this.estimates.get(key, make);
  }

  /** The allocations of a plan, or of an earlier equal one, on a GPU with equal traits. */
  playing(plan: Plan, workspaces: readonly number[], extent: Extent): readonly Playing[] {
    const key = this.keyOf(plan) + JSON.stringify([extent, workspaces]);
    return this.playings.get(key, () => playingsOf(this.recording(plan, extent), workspaces, extent, this));
  }

  /** The order in which it allocates is the same, however far it is replayed. */
  private recording(plan: Plan, extent: Extent): readonly Recorded[] {
    if (!isNoted(extent)) return recordingsOf(plan, extent);
    return this.recordings.get(`${this.keyOf(plan)}${extent.enoughBytes}`, () => recordingsOf(plan, extent));
  }

  private keyOf(plan: Plan): string {
    const key = this.keys.get(plan) ?? this.planText(plan);
    this.keys.set(plan, key);
    return key;
  }

  /** A text key of a plan. Omits functions: optimizers and architectures differ in their names. */
  private planText({ memoryRun, architecture, stages }: Plan): string {
    const ranks = stages.map(({ ranks: { stage }, batch }) => ({ stage, batch }));
    const { model, ...decided } = memoryRun;
    return this.modelText(model) + JSON.stringify([architecture.modelTypes, decided, ranks]);
  }

  /** Cached: a catalog returns the same facts object each time. */
  private modelText(model: ModelFacts): string {
    const text = this.models.get(model) ?? JSON.stringify(model);
    this.models.set(model, text);
    return text;
  }
}
