import type { RunAnalysis } from '../rules/analysis';
import type { Target } from '../hardware/gpu';
import type { DeviceEstimate } from '../memory/estimate';
import type { RunSpec } from '../spec/runSpec';
import { perDevice, replicas } from './batch';

/** Facts about a run after its files were changed, to compare it with the plan. */
export interface RunOutcome {
  /** Null if it cannot be estimated. */
  readonly device: DeviceEstimate | null;
  /** Samples per optimizer step; null if unknown. */
  readonly effectiveBatch: number | null;
  /** Messages of its errors and warnings. */
  readonly problems: readonly string[];
}

export function outcomeOf({ run, estimate, target, findings }: RunAnalysis): RunOutcome {
  const grave = findings.filter(({ severity }) => severity === 'error' || severity === 'warning');
  return {
    device: estimate?.devices[0] ?? null,
    effectiveBatch: effectiveBatchOf(run, target),
    problems: grave.map(({ message }) => message),
  };
}

/**
 * Samples per optimizer step over all GPUs; null if unknown, or if the GPUs do not form whole copies of the model.
 */
function effectiveBatchOf(run: RunSpec, target: Target | null): number | null {
  const stated = run.quantities.effectiveBatch.value;
  if (stated !== null) return stated;
  const samples = perDevice(run);
  const copies = replicas(run, target);
  return samples === null || !Number.isInteger(copies) ? null : samples * copies;
}
