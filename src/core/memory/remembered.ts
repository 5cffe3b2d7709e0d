import type { Target } from '../hardware/gpu';
import type { ModelFacts } from '../models/model';
import type { Estimate } from './estimate';
import type { Playing } from './playing';
import type { Extent } from './reserved';
import type { Plan } from './setup/setUp';

/** A few kilobytes each. */
const MOST = 512;

/** The latest of something, by words that say all it depends on. */
class Lately<T> {
  private readonly known = new Map<string, T>();

  /** As it was made before; the answer is the same with and without. */
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

const estimates = new Lately<Estimate>();
const playings = new Lately<readonly Playing[]>();

const models = new WeakMap<ModelFacts, string>();

/** A catalog gives the same facts each time: they are put into words once. */
function wordsOf(model: ModelFacts): string {
  const words = models.get(model) ?? JSON.stringify(model);
  models.set(model, words);
  return words;
}

const keys = new WeakMap<Plan, Map<Extent, string>>();

function keyOf(plan: Plan, extent: Extent): string {
  const known = keys.get(plan) ?? new Map<Extent, string>();
  keys.set(plan, known);
  const key = known.get(extent) ?? wordsOfPlan(plan, extent);
  known.set(extent, key);
  return key;
}

/** All that a plan decides. Functions are no part of it: optimizers and architectures are told apart by what they are called. */
function wordsOfPlan({ memoryRun, architecture, stages }: Plan, extent: Extent): string {
  const places = stages.map(({ ranks: { stage }, batch: { rows: batch } }) => ({ stage, batch }));
  const { model, ...decided } = memoryRun;
  return wordsOf(model) + JSON.stringify([extent, architecture.modelTypes, decided, places]);
}

/**
 * An estimate of late, if there was one for a plan that is equal in everything: most edits of a config, and most files
 * of a sweep, change nothing that takes memory.
 */
export function remembered(
  plan: Plan,
  target: Target | null,
  extent: Extent,
  make: () => Estimate,
): Estimate {
  const key = keyOf(plan, extent) + JSON.stringify([plan.assumptions, target]);
  return estimates.get(key, make);
}

/** What was played of late for an equal plan: on another GPU the same is allocated. */
export function rememberedPlay(
  plan: Plan,
  workspaces: readonly number[],
  extent: Extent,
  make: () => readonly Playing[],
): readonly Playing[] {
  return playings.get(keyOf(plan, extent) + JSON.stringify(workspaces), make);
}
