import type { RunAnalysis } from '../rules/analysis';
import type { Target } from '../hardware/gpu';
import type { DeviceEstimate } from '../memory/estimate';
import type { RunSpec } from '../spec/runSpec';
import { perDevice, replicas } from './batch';

/** Facts of a run whose files were changed, to compare it with what was planned. */
export interface RunOutcome {
  /** Null when it cannot be estimated. */
  readonly device: DeviceEstimate | null;
  /** Samples of an optimizer step; null when not known. */
  readonly effectiveBatch: number | null;
  /** What is wrong with it: messages of errors and warnings. */
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

/** Samples of an optimizer step over all GPUs; null when not known, or when they do not make whole copies. */
export function effectiveBatchOf(run: RunSpec, target: Target | null): number | null {
  const stated = run.quantities.effectiveBatch.value;
  if (stated !== null) return stated;
  const samples = perDevice(run);
  const copies = replicas(run, target);
  return samples === null || !Number.isInteger(copies) ? null : samples * copies;
}
