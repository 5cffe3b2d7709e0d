import type { Framework } from '../../spec/runSpec';
import { isBefore, releaseOf } from './releases';

/** Torch's release where somebody says it; its newest otherwise. */
const isOldTorch = (framework: Framework): boolean => {
  const torch = releaseOf(framework, 'torch');
  return torch !== null && isBefore('2.0', torch);
};

/** `zero_grad` fills gradients with zeros and leaves them where they are (torch/nn/modules/module.py before 2.0). */
export const keepsGradients = isOldTorch;

/** Before torch 2.0 an optimizer that is not told otherwise goes from parameter to parameter (torch/optim/adam.py). */
const WITHOUT_FOREACH: Readonly<Record<string, string>> = { adamw_torch: 'adamw_loop', adam: 'adamw_loop' };

/** The name of the code that an optimizer's name stands for. */
export function optimizerCodeOf(framework: Framework, name: string): string {
  return (isOldTorch(framework) ? WITHOUT_FOREACH[name] : undefined) ?? name;
}
