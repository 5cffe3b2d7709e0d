import { formatBytes } from '../units';
import type { Goal, Plan } from './plan';
import type { Rejected, Slot } from './slots';

/** What nobody would change a key for. */
const LEAST_WORTH_BYTES = 16 * 2 ** 20;

/** Remedies that could be written but are in no plan. */
export function idle(slots: readonly Slot[], plans: readonly Plan[], goal: Goal): readonly Rejected[] {
  const used = new Set(plans.flatMap(plan => plan.id.split('+')));
  const why = plans.length > 0 ? 'other plans reach the goal at a lower cost' : IN_VAIN[goal];
  return slots
    .filter(slot => !used.has(slot.remedy.id))
    .map(slot => ({ remedy: slot.remedy.label, why: [...byItself(slot), why].join('; ') }));
}

/** `frees 0.3 GB by itself`. */
function byItself({ leanest }: Slot): string[] {
  if (leanest === null) return [];
  const { price } = leanest.option;
  const words = [price.speed, price.quality].flatMap(text => text?.split(':')[0] ?? []);
  const freed = -leanest.deltaBytes;
  const says =
    freed < LEAST_WORTH_BYTES ? 'frees almost nothing on its own' : `frees ${formatBytes(freed)} on its own`;
  return [[says, ...words].join(', ')];
}

const NOT_ENOUGH = "it isn't enough, alone or combined";
const NO_ROOM = 'not enough spare memory';

const IN_VAIN: Readonly<Record<Goal, string>> = {
  fit: NOT_ENOUGH,
  fewest: NOT_ENOUGH,
  fill: NO_ROOM,
  fastest: NO_ROOM,
  longest: NO_ROOM,
  largest: NO_ROOM,
};
