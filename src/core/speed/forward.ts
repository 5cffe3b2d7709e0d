import type { Target } from '../hardware/gpu';
import type { Estimate } from '../memory/estimate';
import { CONSTANTS } from './constants';
import { deviceOf, passSeconds, together, workingOf } from './roofline';
import type { Seconds } from './roofline';

const sumOf = (pass: Seconds): number => together(workingOf(pass), pass.starting);

/** Share of a training pass's time that its forward half takes, 0 to 1; null where the speed model has no time. */
export function forwardShare(estimate: Estimate | null, target: Target | null): number | null {
  const [rank] = estimate?.work ?? [];
  const device = deviceOf(target?.gpu ?? null);
  if (!rank?.backward || device === null) return null;
  const forward = sumOf(passSeconds(rank, rank.forward, device, CONSTANTS));
  const whole = forward + sumOf(passSeconds(rank, rank.backward, device, CONSTANTS));
  return whole > 0 ? forward / whole : null;
}
