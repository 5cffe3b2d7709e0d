import type { Lessons } from '../learn/learned';
import type { Evidence } from '../learn/measurement';
import type { EstimateResult, Estimate } from '../memory/estimate';
import type { ModelFacts } from '../models/model';
import type { Target } from '../hardware/gpu';
import type { RunAnalysis, Tentative } from '../rules/analysis';
import type { RunSpec } from '../spec/runSpec';
import type { QuantityName } from '../spec/values';

type Lacked = Pick<RunAnalysis, 'missing' | 'gaps'>;

/** Without a target, the amounts are compared with nothing. */
export const NO_GPU: Lacked = { missing: ['a GPU to compare with'], gaps: [{ what: 'GPU' }] };

/** What an estimate lacks. */
export const lackedBy = (result: EstimateResult): Lacked =>
  result.ok ? { missing: [] } : { missing: result.missing, gaps: result.gaps ?? [] };

/** The quantities that decide the verdict. */
const WEIGHTY: readonly QuantityName[] = [
  'model',
  'method',
  'optimizer',
  'precision',
  'microBatchSize',
  'gradientCheckpointing',
];

/** The assumptions about a run that was read by vocabulary, and perhaps a verdict that needs none. */
function tentativeOf(
  { quantities }: RunSpec,
  model: ModelFacts | null,
  estimate: Estimate | null,
): Tentative {
  const assumed = WEIGHTY.filter(name => {
    const { kind } = quantities[name].origin;
    // The network of the code is no assumption.
    if (name === 'model' && model?.network) return false;
    return kind !== 'file' && kind !== 'referenced' && kind !== 'user';
  });
  const verdict = estimate?.devices[0]?.verdict ?? 'unknown';
  return { perhaps: assumed.length === 0 && verdict !== 'unknown' ? verdict : null, assumed };
}

/** The amounts of an estimate, without verdicts. */
const unjudgedEstimate = (estimate: Estimate): Estimate => ({
  ...estimate,
  devices: estimate.devices.map(device => ({ ...device, verdict: 'unknown' as const })),
});

/** No verdict, so that a build cannot fail by it, and no findings, because rules are about frameworks. */
export function tentative(
  run: RunSpec,
  model: ModelFacts | null,
  result: EstimateResult,
  target: Target | null,
): RunAnalysis {
  const estimate = result.ok ? result.estimate : null;
  return {
    run,
    judged: true,
    model,
    target,
    estimate: estimate && unjudgedEstimate(estimate),
    ...(estimate && !target ? NO_GPU : lackedBy(result)),
    verdict: 'unknown',
    tentative: tentativeOf(run, model, estimate),
    findings: [],
  };
}

/** If its own program was run, this is what it needs, whatever its keys mean. */
export function seenOrGuessed(
  guessed: RunAnalysis,
  result: EstimateResult,
  evidence: Evidence | null,
  lessons: Lessons | undefined,
): RunAnalysis {
  if (evidence?.kind !== 'dry run' || !result.ok) return guessed;
  const { run, judged, model, target, missing, gaps = [], findings } = guessed;
  const { estimate } = result;
  const verdict = estimate.devices[0]?.verdict ?? 'unknown';
  const known = { run, judged, model, target, missing, gaps, findings };
  return { ...known, estimate, evidence, ...(lessons && { lessons }), verdict };
}
