import type { Framework } from '../../../spec/runSpec';
import { inRelease, isBefore, releaseOf } from '../../../spec/version';
import type { Release } from '../../../spec/version';

/** True if torch's stated release is older; the default is the newest. */
function torchBefore(framework: Framework, release: string): boolean {
  const torch = releaseOf(framework, 'torch');
  return torch !== null && isBefore(release, torch);
}

const isOldTorch = (framework: Framework): boolean => torchBefore(framework, '2.0');

/** `zero_grad` fills gradients with zeros in place (torch/nn/modules/module.py before 2.0). */
export const keepsGradients = isOldTorch;

/**
 * `relu` keeps its input instead of its result (tools/autograd/derivatives.yaml before pull request 63089, August
 * 2021).
 */
export const reluKeepsInput = (framework: Framework): boolean => torchBefore(framework, '1.10');

/** `softmax` and `log_softmax` keep their input and their result (the same file before pull request 65242). */
export const softmaxKeepsInput = (framework: Framework): boolean => torchBefore(framework, '1.11');

/** Before torch 2.0, an optimizer updates one parameter at a time by default (torch/optim/adam.py). */
const WITHOUT_FOREACH: Readonly<Record<string, string>> = { adamw_torch: 'adamw_loop', adam: 'adamw_loop' };

/** Releases of torch at the time of these (October 2023). */
const TORCH_OF_TRANSFORMERS: readonly [Release<string>, ...Release<string>[]] = [
  { since: '4.34.1', value: '2.1' },
  { since: '0', value: '2.0' },
];

/**
 * Torch's release: stated, else that at the time of the transformers release that a model's own code was written
 * for.
 */
function torchOf(framework: Framework, codeRelease: string | undefined): string | null {
  const transformers = releaseOf(framework, 'transformers') ?? codeRelease;
  const stated = releaseOf(framework, 'torch');
  return stated ?? (transformers === undefined ? null : inRelease(TORCH_OF_TRANSFORMERS, transformers));
}

/** The name of the optimizer code for an optimizer's name. */
export function optimizerCodeOf(framework: Framework, name: string, codeRelease?: string): string {
  if (isOldTorch(framework)) return WITHOUT_FOREACH[name] ?? name;
  const torch = torchOf(framework, codeRelease);
  const isBeforeInPlace = name === 'adamw_torch' && torch !== null && isBefore('2.1', torch);
  return isBeforeInPlace ? 'adamw_foreach_before_2_1' : name;
}
