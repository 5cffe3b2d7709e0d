import { estimateRun } from '../../../src/core/memory/estimateRun';
import type { EstimateOptions } from '../../../src/core/memory/estimateRun';
import type { EstimateResult } from '../../../src/core/memory/estimate';
import type { Measured } from './record';

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
