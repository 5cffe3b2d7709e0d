import type { Architecture } from '../../../src/core/memory/architecture';
import type { Phase } from '../../../src/core/memory/estimate';
import type { Behavior } from '../../../src/core/memory/frameworks/behavior/behavior';
import type { Metric } from '../../../src/core/models/terms';
import type { ModelFacts } from '../../../src/core/models/model';
import type { Target } from '../../../src/core/hardware/gpu';
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
