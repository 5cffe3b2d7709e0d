import type { DeviceEstimate } from '../memory/estimate';
import { room } from '../memory/words';
import { formatBytes } from '../units';
import { effectOf } from './effect';
import type { Goal, Plan, PlanOptions } from './plan';
import type { RemedyContext, RemedyOption } from './remedy';
import { isRoomy } from './serving';
import type { Rejected, Slot } from './slots';
import { said, template } from '../text/say';
import { commas } from '../text/lists';
import type { Say, Template } from '../text/say';

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
          ? context.say('other plans reach the goal at a lower cost')
          : whyInsufficient(context, slot, options);
      return {
        remedy: said(context.say, slot.remedy.label),
        why: [...aloneTexts(context.say, slot), why].join('; '),
      };
    });
}

/** `frees 0.3 GB by itself`. */
function aloneTexts(say: Say, { leanest }: Slot): string[] {
  if (leanest === null) return [];
  const { price } = leanest.option;
  const words = [price.speed, price.quality].flatMap(text => text?.split(/[:：]/)[0] ?? []);
  const freed = -leanest.deltaBytes;
  const says =
    freed < LEAST_WORTH_BYTES
      ? say('frees almost nothing on its own')
      : say('frees {0} on its own', formatBytes(freed));
  return [commas(say, [says, ...words])];
}

/** What a remedy has to achieve, and the message if it does not. */
const GOAL_NEEDS: Readonly<
  Partial<Record<Goal, { readonly brings: (option: RemedyOption) => boolean; readonly without: Template }>>
> = {
  fill: { brings: ({ price }) => price.time < 1, without: template('saves no time') },
  fastest: { brings: ({ price }) => price.time < 1, without: template('saves no time') },
  steps: { brings: ({ price }) => price.time < 1, without: template('saves no time') },
  longest: { brings: ({ gain = 1 }) => gain > 1, without: template('makes no sequence longer') },
  largest: { brings: ({ gain = 1 }) => gain > 1, without: template('makes nothing larger') },
};

/** Why a remedy alone does not reach the goal, if no plan does. */
function whyInsufficient(context: RemedyContext, slot: Slot, options: PlanOptions): string {
  const { say } = context;
  const needs = GOAL_NEEDS[options.goal];
  if (!needs) return say("it isn't enough, alone or combined");
  const useful = slot.options.flatMap(({ option }) => (option && needs.brings(option) ? [option] : []));
  if (useful.length === 0) return said(say, needs.without);
  const after = leastOf(context, useful);
  if (after === null) return say('its memory is unknown');
  if (isRoomy(context, after, options)) {
    const { others = [] } = context;
    return others.length > 0
      ? say("other runs of this config wouldn't fit")
      : say("it doesn't give the batch you asked for");
  }
  const [bytes, size] = [formatBytes(after.device.expected), room(say, after)];
  return after.verdict === 'fits'
    ? say(
        'it would need {0} of {1}, more than the {2} % that plans may use',
        bytes,
        size,
        Math.round(options.margin * 100),
      )
    : say('it would need {0} of {1}', bytes, size);
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
