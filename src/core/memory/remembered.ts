import type { Target } from '../hardware/gpu';
import type { ModelFacts } from '../models/model';
import type { Estimate } from './estimate';
import type { Reserving } from './reserved';
import type { Plan } from './setup/setUp';

/** A few kilobytes each. */
const MOST = 512;

const estimates = new Map<string, Estimate>();

const models = new WeakMap<ModelFacts, string>();

/** A catalog gives the same facts each time: they are put into words once. */
function wordsOf(model: ModelFacts): string {
  const words = models.get(model) ?? JSON.stringify(model);
  models.set(model, words);
  return words;
}

/**
 * An estimate of late, if there was one for a plan that is equal in everything: most edits of a config, and most files
 * of a sweep, change nothing that takes memory. An answer is the same with and without.
 */
export function remembered(
  plan: Plan,
  target: Target | null,
  reserving: Reserving,
  make: () => Estimate,
): Estimate {
  const { memoryRun, architecture, assumptions, stages } = plan;
  const places = stages.map(({ stage, batch }) => ({ stage, batch }));
  const { model, ...decided } = memoryRun;
  // Functions are no part of a key: optimizers and architectures are told apart by what they are called.
  const words = JSON.stringify([reserving, architecture.modelTypes, assumptions, target, decided, places]);
  const key = wordsOf(model) + words;
  const known = estimates.get(key);
  if (known) estimates.delete(key);
  const estimate = known ?? make();
  estimates.set(key, estimate);
  const [oldest] = estimates.size > MOST ? estimates.keys() : [];
  if (oldest !== undefined) estimates.delete(oldest);
  return estimate;
}
