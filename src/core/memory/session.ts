import type { Target } from '../hardware/gpu';
import { Alive } from './alive';
import { CachingAllocator } from './allocator';
import { calibration } from './calibration';
import type { Calibration } from './calibration';
import type { GpuEstimate } from './estimate';
import type { ModelFacts } from '../models/model';
import type { Playing } from './playing';
import type { Extent } from './reserved';
import type { Plan } from './setup/setUp';

/** A few kilobytes each. */
const MOST = 512;

/** The latest values of a kind, each by a text of all it depends on. */
class Latest<T> {
  private readonly known = new Map<string, T>();

  /** The value that was made before, or a new one: they are equal. */
  get(key: string, make: () => T): T {
    const before = this.known.get(key);
    if (before !== undefined) this.known.delete(key);
    const value = before ?? make();
    this.known.set(key, value);
    const [oldest] = this.known.size > MOST ? this.known.keys() : [];
    if (oldest !== undefined) this.known.delete(oldest);
    return value;
  }
}

/**
 * What estimates of one program share: the latest of them, and the allocator that replays use one after the other. A program
 * makes one and passes it on. Answers are the same without: most edits of a config, and most files of a sweep, change
 * nothing that takes memory.
 */
export class MemorySession {
  /** Replays are short, and what each would leave to collect is not. */
  readonly allocator = new CachingAllocator(false);
  readonly alive = new Alive(0);
  private readonly estimates = new Latest<GpuEstimate>();
  private readonly playings = new Latest<readonly Playing[]>();
  private readonly models = new WeakMap<ModelFacts, string>();
  private readonly keys = new WeakMap<Plan, Map<Extent, string>>();

  /** What was measured: other values than the shipped ones where these are put to the test. */
  constructor(readonly measured: Calibration = calibration) {}

  /** The estimate of a plan, or of an earlier one that is equal in everything. */
  estimate(plan: Plan, target: Target | null, extent: Extent, make: () => GpuEstimate): GpuEstimate {
    const key = this.keyOf(plan, extent) + JSON.stringify([plan.assumptions, target]);
    return this.estimates.get(key, make);
  }

  /** What a plan, or an earlier equal one, allocates: on another GPU that is the same. */
  playing(
    plan: Plan,
    workspaces: readonly number[],
    extent: Extent,
    make: () => readonly Playing[],
  ): readonly Playing[] {
    return this.playings.get(this.keyOf(plan, extent) + JSON.stringify(workspaces), make);
  }

  private keyOf(plan: Plan, extent: Extent): string {
    const known = this.keys.get(plan) ?? new Map<Extent, string>();
    this.keys.set(plan, known);
    const key = known.get(extent) ?? this.planText(plan, extent);
    known.set(extent, key);
    return key;
  }

  /** All that a plan decides. Functions are no part of it: optimizers and architectures differ in what they are called. */
  private planText({ memoryRun, architecture, stages }: Plan, extent: Extent): string {
    const ranks = stages.map(({ ranks: { stage }, batch }) => ({ stage, batch }));
    const { model, ...decided } = memoryRun;
    return this.modelText(model) + JSON.stringify([extent, architecture.modelTypes, decided, ranks]);
  }

  /** A catalog gives the same facts each time: they are written out once. */
  private modelText(model: ModelFacts): string {
    const text = this.models.get(model) ?? JSON.stringify(model);
    this.models.set(model, text);
    return text;
  }
}
