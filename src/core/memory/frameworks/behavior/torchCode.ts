import type { Framework } from '../../../spec/runSpec';
import { inRelease, isBefore, releaseOf } from '../../../spec/version';
import type { Release } from '../../../spec/version';

/** By torch's release where someone says it; its newest otherwise. */
function torchBefore(framework: Framework, release: string): boolean {
  const torch = releaseOf(framework, 'torch');
  return torch !== null && isBefore(release, torch);
}

const isOldTorch = (framework: Framework): boolean => torchBefore(framework, '2.0');

/** `zero_grad` fills gradients with zeros and leaves them where they are (torch/nn/modules/module.py before 2.0). */
export const keepsGradients = isOldTorch;

/** `relu` keeps what it is given, not what it gives (tools/autograd/derivatives.yaml before pull request 63089, August 2021). */
export const reluKeepsInput = (framework: Framework): boolean => torchBefore(framework, '1.10');

/** `softmax` and `log_softmax` keep what they are given in addition to what they give (the same file before pull request 65242). */
export const softmaxKeepsInput = (framework: Framework): boolean => torchBefore(framework, '1.11');

/** Before torch 2.0 an optimizer that is not told otherwise goes from parameter to parameter (torch/optim/adam.py). */
const WITHOUT_FOREACH: Readonly<Record<string, string>> = { adamw_torch: 'adamw_loop', adam: 'adamw_loop' };

/** What torch was when these came out (October 2023). */
const TORCH_OF_TRANSFORMERS: readonly [Release<string>, ...Release<string>[]] = [
  { since: '4.34.1', value: '2.1' },
  { since: '0', value: '2.0' },
];

/** Torch's release: as stated, else that of the transformers that a model's own code was written for. */
function torchOf(framework: Framework, codeRelease: string | undefined): string | null {
  const transformers = releaseOf(framework, 'transformers') ?? codeRelease;
  const stated = releaseOf(framework, 'torch');
  return stated ?? (transformers === undefined ? null : inRelease(TORCH_OF_TRANSFORMERS, transformers));
}

/** The name of the code that an optimizer's name stands for. */
export function optimizerCodeOf(framework: Framework, name: string, codeRelease?: string): string {
  if (isOldTorch(framework)) return WITHOUT_FOREACH[name] ?? name;
  const torch = torchOf(framework, codeRelease);
  const isBeforeInPlace = name === 'adamw_torch' && torch !== null && isBefore('2.1', torch);
  return isBeforeInPlace ? 'adamw_foreach_before_2_1' : name;
}
