import type { Framework } from '../spec/runSpec';
import { compareReleases } from '../spec/version';

/** How logits become a loss. */
export type LossCode =
  /** `logits.float()`, labels shifted, cross entropy: transformers ≥ 4.50. */
  | 'shifted-labels'
  /** `logits.float()`, then a shifted contiguous copy of the logits: transformers 4.46–4.49. */
  | 'shifted-copy'
  /** `logits = logits.float()` inside forward, so the 16-bit logits die; then the shifted copy: transformers < 4.46. */
  | 'inline-float';

/** What frameworks and releases do differently. */
export interface Behaviour {
  readonly loss: LossCode;
}

/** transformers as of a date when nothing says which. */
const NEWEST = '5.23.0';

export function behaviourOf(framework: Framework): Behaviour {
  const transformers =
    framework.libraries?.['transformers'] ??
    (framework.name === 'transformers' ? framework.version : null) ??
    NEWEST;
  return { loss: lossOf(transformers) };
}

function lossOf(transformers: string): LossCode {
  if (compareReleases(transformers, '4.50') >= 0) return 'shifted-labels';
  return compareReleases(transformers, '4.46') >= 0 ? 'shifted-copy' : 'inline-float';
}
