import type { Target } from '../../../src/core/hardware/gpu';
import type { Architecture } from '../../../src/core/memory/architecture';
import type { EstimateResult, Phase } from '../../../src/core/memory/estimate';
import { estimateRun } from '../../../src/core/memory/estimateRun';
import type { EstimateOptions } from '../../../src/core/memory/estimateRun';
import type { Behavior } from '../../../src/core/memory/frameworks/behavior/behavior';
import type { ModelFacts } from '../../../src/core/models/model';
import type { Metric } from '../../../src/core/models/terms';
import type { RunSpec } from '../../../src/core/spec/runSpec';

/** A measured run: what it was, what it took, and which groups it counts in. */
export interface Measured {
  readonly id: string;
  readonly source: string;
  readonly run: RunSpec;
  readonly model: ModelFacts | null;
  readonly target: Target | null;
  readonly metric: Metric;
  readonly bytes: number;
  /** The phase that was measured, where it was not the whole run; its amount is allocated. */
  readonly phase?: Phase;
  /** The rank of a pipeline that was measured, where it was not the worst. */
  readonly stage?: 'first' | 'last';
  /** Devices whose memory `bytes` is the sum of. */
  readonly devices: number;
  readonly groups: readonly string[];
  /** What the measured program did otherwise than a user's run of its framework. */
  readonly behavior?: Partial<Behavior>;
  /** A network that no config names: a loss by itself. */
  readonly architecture?: Architecture;
}

/** The estimate of what was measured, with what is known of the measured program beyond its settings. */
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

/** The same as a user gets it: by the settings alone. */
export const estimatedForUsers = ({ run, model, target }: Measured): EstimateResult =>
  estimateRun(run, model, target);
