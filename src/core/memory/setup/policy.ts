import type { Rollout } from '../rollout';
import type { MemoryRun } from '../run';
import type { Asker } from './asker';
import type { BatchShape } from './rows';

/** Tasks that train a model on what it has written itself, by the log-probabilities of that. */
const POLICY_TASKS: ReadonlySet<string> = new Set(['grpo', 'rloo', 'ppo']);

/** Tasks of models that write what they are trained on, whatever the loss. */
const WRITES: ReadonlySet<string> = new Set([...POLICY_TASKS, 'online_dpo', 'gkd']);

export const isPolicy = (task: string | null): boolean => task !== null && POLICY_TASKS.has(task);

/**
 * Who writes, beside training: an engine that holds a share of the GPU, or the model itself, all completions of an
 * optimizer step at once (trl 1.16, grpo_config.py: steps_per_generation is gradient_accumulation_steps).
 */
export function rolloutOf(asker: Asker, { batch }: BatchShape): Rollout | null {
  if (!WRITES.has(asker.value('task') ?? '')) return null;
  const share = asker.detail('memoryShare') ?? 0;
  if (share > 0) return { rows: 0, share };
  // Beside policies nothing is written ahead of a micro-batch.
  const ahead = isPolicy(asker.value('task')) ? (asker.value('gradAccum') ?? 1) : 1;
  const rows = asker.detail('rolloutRows') ?? batch * ahead;
  const scored = asker.detail('scoredRows');
  if (scored === null) return { rows, share: 0 };
  return { rows, share: 0, scores: scored * (asker.detail('completionTokens') ?? 0) };
}

/**
 * Whether values are of a model of their own (trl 0.12, ppo_trainer.py, PolicyAndValueWrapper): then another copy of the
 * trained model with a score for each token, all of which is trained.
 */
export function valuesOf(asker: Asker): NonNullable<MemoryRun['values']> {
  if (asker.value('task') !== 'ppo' || asker.detail('valueModel') !== true) return 'none';
  if (asker.value('lora') !== null) asker.lack('the memory of a value model beside a policy with adapters');
  const shares = (asker.value('zeroStage') ?? 0) > 0 || asker.value('fsdp') !== null;
  if (shares) asker.lack('how ranks share the value model');
  return asker.assume('model', 'the value model is as large as the policy');
}

/** Logits that the loss asks for: of what was written, and of the token before it. */
export function scoredTokens(asker: Asker): number | null {
  const written = isPolicy(asker.value('task')) ? asker.detail('completionTokens') : null;
  return written === null ? null : written + 1;
}
