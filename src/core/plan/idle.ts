import type { DeviceEstimate } from '../memory/estimate';
import { room } from '../memory/words';
import { formatBytes } from '../units';
import { effectOf } from './effect';
import type { Goal, Plan, PlanOptions } from './plan';
import type { RemedyContext, RemedyOption } from './remedy';
import { isRoomy } from './serving';
import type { Rejected, Slot } from './slots';

/** Savings below this do not justify a change. */
const LEAST_WORTH_BYTES = 16 * 2 ** 20;

/** Remedies that could be written but are in no plan. */
export function idle(
  context: RemedyContext,
  slots: readonly Slot[],
  plans: readonly Plan[],
  options: PlanOptions,
): readonly Rejected[] {
  const used = new Set(plans.flatMap(plan => plan.id.split('+')));
  return slots
    .filter(slot => !used.has(slot.remedy.id))
    .map(slot => {
      const why =
        plans.length > 0
          ? 'other plans reach the goal at a lower cost'
          : whyInsufficient(context, slot, options);
      return { remedy: slot.remedy.label, why: [...aloneTexts(slot), why].join('; ') };
    });
}

/** `frees 0.3 GB by itself`. */
function aloneTexts({ leanest }: Slot): string[] {
  if (leanest === null) return [];
  const { price } = leanest.option;
  const words = [price.speed, price.quality].flatMap(text => text?.split(':')[0] ?? []);
  const freed = -leanest.deltaBytes;
  const says =
    freed < LEAST_WORTH_BYTES ? 'frees almost nothing on its own' : `frees ${formatBytes(freed)} on its own`;
  return [[says, ...words].join(', ')];
}

/** What a remedy has to achieve, and the message if it does not. */
const GOAL_NEEDS: Readonly<
  Partial<Record<Goal, { readonly brings: (option: RemedyOption) => boolean; readonly without: string }>>
> = {
  fill: { brings: ({ price }) => price.time < 1, without: 'saves no time' },
  fastest: { brings: ({ price }) => price.time < 1, without: 'saves no time' },
  steps: { brings: ({ price }) => price.time < 1, without: 'saves no time' },
  longest: { brings: ({ gain = 1 }) => gain > 1, without: 'makes no sequence longer' },
  largest: { brings: ({ gain = 1 }) => gain > 1, without: 'makes nothing larger' },
};

/** Why a remedy alone does not reach the goal, if no plan does. */
function whyInsufficient(context: RemedyContext, slot: Slot, options: PlanOptions): string {
  const needs = GOAL_NEEDS[options.goal];
  if (!needs) return "it isn't enough, alone or combined";
  const useful = slot.options.flatMap(({ option }) => (option && needs.brings(option) ? [option] : []));
  if (useful.length === 0) return needs.without;
  const after = leastOf(context, useful);
  if (after === null) return 'its memory is unknown';
  if (isRoomy(context, after, options)) {
    const { others = [] } = context;
    return others.length > 0
      ? "other runs of this config wouldn't fit"
      : "it doesn't give the batch you asked for";
  }
  const share =
    after.verdict === 'fits'
      ? `, more than the ${Math.round(options.margin * 100)} % that plans may use`
      : '';
  return `it would need ${formatBytes(after.device.expected)} of ${room(after)}${share}`;
}

/** The most estimates that this explanation may cost. */
const MOST_ASKED = 4;

const sizeOf = ({ sizes = [] }: RemedyOption): number => sizes.reduce((sum, size) => sum + size, 0);

/** The device with the option that uses the least memory. */
function leastOf(context: RemedyContext, useful: readonly RemedyOption[]): DeviceEstimate | null {
  const smallest = useful.toSorted((a, b) => sizeOf(a) - sizeOf(b)).slice(0, MOST_ASKED);
  const devices = smallest.flatMap(({ changes }) => effectOf(context, changes).estimate?.devices[0] ?? []);
  const [least] = devices.toSorted((a, b) => a.device.expected - b.device.expected);
  return least ?? null;
}
