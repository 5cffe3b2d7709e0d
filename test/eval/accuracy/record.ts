import type { Target } from '../../../src/core/hardware/gpu';
import type { Architecture } from '../../../src/core/memory/architecture';
import type { EstimateResult } from '../../../src/core/memory/estimate';
import type { Phase } from '../../../src/core/memory/played';
import { estimateRun } from '../../../src/core/memory/estimateRun';
import type { EstimateOptions } from '../../../src/core/memory/estimateRun';
import type { Behavior } from '../../../src/core/memory/frameworks/behavior/behavior';
import type { ModelFacts } from '../../../src/core/models/model';
import type { Metric } from '../../../src/core/models/terms';
import type { RunSpec } from '../../../src/core/spec/runSpec';

/** A measured run: its settings, its memory, and its groups. */
export interface Measured {
  readonly id: string;
  readonly source: string;
  readonly run: RunSpec;
  readonly model: ModelFacts | null;
  readonly target: Target | null;
  readonly metric: Metric;
  readonly bytes: number;
  /** The measured phase if it was not the whole run; its amount is allocated memory. */
  readonly phase?: Phase;
  /** The measured rank of a pipeline if it was not the worst. */
  readonly stage?: 'first' | 'last';
  /** The number of devices that `bytes` sums. */
  readonly devices: number;
  readonly groups: readonly string[];
  /** How the measured program differs from a user's run of its framework. */
  readonly behavior?: Partial<Behavior>;
  /** A network that no config names: a loss alone. */
  readonly architecture?: Architecture;
}

/** The estimate for the measured program, with facts beyond its settings. */
export function estimatedAs(
  { run, model, target, behavior, architecture }: Measured,
  options: EstimateOptions = {},
): EstimateResult {
  return estimateRun(run, model, target, {
    ...options,
    ...(behavior && { behavior }),
    ...(architecture && { architecture }),
  });
}

/** The estimate that a user gets, from the settings alone. */
export const estimatedForUsers = ({ run, model, target }: Measured): EstimateResult =>
  estimateRun(run, model, target);
