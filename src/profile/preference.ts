import type { MemoryRun } from '../core/memory/run';
import { compareReleases } from '../core/spec/version';
import type { RunSpec } from '../core/spec/runSpec';

/** A step that compares pairs: whose code computes the scores, and the reference for the scores. */
export interface DryRunPreference {
  readonly code: 'trl' | 'llamafactory';
  readonly reference: MemoryRun['training']['reference'];
}

/**
 * Trainers whose preference step `src/python` implements, and for which tasks. ORPO and KTO in trl need more than
 * scores.
 */
const TRAINERS: Readonly<Record<string, DryRunPreference['code']>> = {
  trl: 'trl',
  axolotl: 'trl',
  llamafactory: 'llamafactory',
};
const TASKS: Readonly<Record<DryRunPreference['code'], ReadonlySet<string>>> = {
  trl: new Set(['dpo', 'ipo']),
  // Its odds ratio and its SimPO use the same scores, without a reference.
  llamafactory: new Set(['dpo', 'orpo', 'simpo']),
};

/**
 * Releases of trl with this step (dpo_trainer.py of these wheels): earlier ones copied all logits without their
 * last token; 1.14 computes scores and entropies in one function. Since 1.15 there are tiles, and the difference is
 * computed (added.ts).
 */
const isFollowed = (trl: string): boolean =>
  compareReleases(trl, '1.15') >= 0 || (compareReleases(trl, '1.6') >= 0 && compareReleases(trl, '1.14') < 0);

/** How a dry run computes the loss of pairs; null: no pairs are compared, or not in a supported way. */
export function preferenceIn({ framework, quantities }: RunSpec, run: MemoryRun): DryRunPreference | null {
  const code = TRAINERS[framework.name];
  const task = quantities.task.value;
  if (!code || task === null || !TASKS[code].has(task) || !comparesRows(run)) return null;
  const trl = framework.libraries?.['trl'] ?? (framework.name === 'trl' ? framework.version : null);
  if (code === 'trl' && trl !== null && !isFollowed(trl)) return null;
  return { code, reference: run.training.reference };
}

const comparesRows = ({ behavior, generation: { rollout }, model }: MemoryRun): boolean =>
  behavior.loss.kind === 'log-probabilities' && !rollout && model.kind === 'decoder';
