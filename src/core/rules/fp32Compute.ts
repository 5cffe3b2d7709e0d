import { scalarsIn } from '../spec/scalarKeys';
import type { RunSpec } from '../spec/runSpec';
import { gainOf, lessTime, timedStep } from './gain';
import type { Rule } from './rule';
import { change } from './when';

export const fp32Compute: Rule = {
  id: 'fp32-compute',
  severity: 'hint',
  summary: 'Training computes in fp32 on a GPU whose 16-bit units are faster.',
  sources: [
    'Micikevicius et al., arXiv 1710.03740: fp16 with scaled losses and fp32 weights matches fp32',
    'Kalamkar et al., arXiv 1905.12322: bf16 matches fp32 without changes of hyperparameters',
    'torch docs, "CUDA semantics": fp32 matrix products use no TF32 by default',
  ],
  check(context) {
    const { run, target } = context;
    const { precision } = run.quantities;
    if (precision.value !== 'fp32' || precision.origin.kind === 'unresolved') return [];
    const gpu = target?.gpu;
    if (!gpu || usesTf32(run)) return [];
    const step = timedStep(context, 'same');
    if (!step) return [];
    for (const to of gpu.supports.bf16 === true ? [...BF16, ...FP16] : FP16) {
      const narrow = change(context.say('Compute in {0}', to.slice(0, 4)), { quantity: 'precision', to });
      const gain = gainOf(context, step.speed, narrow.changes, 'same');
      if (!gain) continue;
      const message = context.say(
        'Computes in fp32: {0} in {1}, which {2} computes natively. {3}',
        lessTime(context.say, gain.share),
        to.slice(0, 4),
        gpu.label,
        to.startsWith('bf16')
          ? context.say('The loss curve matches in practice.')
          : context.say('Losses are scaled meanwhile.'),
      );
      return [{ at: ['quantity:precision', 'quantity:microBatchSize'], message, remedies: [narrow] }];
    }
    return [];
  },
};

/** Best first: weights that stay in fp32 are those of the papers. A trainer has words for some of these only. */
const BF16 = ['bf16-mixed', 'bf16'] as const;
const FP16 = ['fp16-mixed', 'fp16'] as const;

const TF32 = /tf32|matmul_precision/i;

/** Products in TF32 take less time than the speed model has for fp32. */
const usesTf32 = ({ sources }: RunSpec): boolean =>
  sources.some(source =>
    scalarsIn(source).some(({ name, value }) => TF32.test(name) && value !== false && value !== 'highest'),
  );
