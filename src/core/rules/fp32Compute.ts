import { scalarsIn } from '../spec/scalarKeys';
import type { RunSpec } from '../spec/runSpec';
import { gainOf, lessTime, timedStep } from './gain';
import type { Rule } from './rule';
import { change } from './when';

export const fp32Compute: Rule = {
  id: 'fp32-compute',
  severity: 'hint',
  summary: 'Training computes in fp32 on a GPU that has bf16 units.',
  sources: [
    'Kalamkar et al., arXiv 1905.12322: bf16 matches fp32 without changes of hyperparameters',
    'torch docs, "CUDA semantics": fp32 matrix products use no TF32 by default',
  ],
  check(context) {
    const { run, target } = context;
    const { precision } = run.quantities;
    if (precision.value !== 'fp32' || precision.origin.kind === 'unresolved') return [];
    if (target?.gpu?.supports.bf16 !== true || usesTf32(run)) return [];
    const step = timedStep(context);
    const narrow = change('Compute in bf16', { quantity: 'precision', to: 'bf16' });
    const gain = step && gainOf(context, step.speed, narrow.changes);
    if (!gain) return [];
    const message =
      `Computes in fp32: ${lessTime(gain.share)} in bf16, which ${target.gpu.label} computes natively. ` +
      'The loss curve matches in practice; weights can stay in fp32.';
    return [{ at: ['quantity:precision', 'quantity:microBatchSize'], message, remedies: [narrow] }];
  },
};

const TF32 = /tf32|matmul_precision/i;

/** Products in TF32 take less time than the speed model has for fp32. */
const usesTf32 = ({ sources }: RunSpec): boolean =>
  sources.some(source =>
    scalarsIn(source).some(({ name, value }) => TF32.test(name) && value !== false && value !== 'highest'),
  );
