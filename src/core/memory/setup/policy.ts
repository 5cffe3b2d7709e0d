import type { Rollout } from '../rollout';
import type { Asker } from './asker';
import type { BatchShape } from './batch';

/** Tasks that train a model on what it has written itself, by the log-probabilities of that. */
const POLICY_TASKS: ReadonlySet<string> = new Set(['grpo', 'rloo']);

export const isPolicy = (task: string | null): boolean => task !== null && POLICY_TASKS.has(task);

/**
 * Who writes, beside training: an engine that holds a share of the GPU, or the model itself, all completions of an
 * optimizer step at once (trl 1.16, grpo_config.py: steps_per_generation is gradient_accumulation_steps).
 */
export function rolloutOf(asker: Asker, { batch }: BatchShape): Rollout | null {
  if (!isPolicy(asker.value('task'))) return null;
  const share = asker.detail('memoryShare') ?? 0;
  if (share > 0) return { rows: 0, share };
  const rows = asker.detail('rolloutRows') ?? batch * (asker.value('gradAccum') ?? 1);
  return { rows, share: 0 };
}

/** Logits that the loss asks for: of what was written, and of the token before it. */
export function scoredTokens(asker: Asker): number | null {
  const written = isPolicy(asker.value('task')) ? asker.detail('completionTokens') : null;
  return written === null ? null : written + 1;
}
