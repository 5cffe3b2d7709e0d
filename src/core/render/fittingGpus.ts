import type { FittingGpu } from '../plan/plan';
import { formatBytes, formatCapacity } from '../units';

/** Where a run would fit that no plan makes fit here: a sentence each; null where nobody knows such a GPU. */
export function fittingGpusText(fittingGpus: readonly FittingGpu[]): string | null {
  return fittingGpus.length === 0 ? null : fittingGpus.map(sentence).join(' ');
}

function sentence({ gpu, gpus, asItIs, needBytes, capacityBytes, usdPerHour }: FittingGpu): string {
  const how = asItIs ? 'Unchanged' : 'With all available changes';
  const place = gpus === 1 ? `one ${gpu}` : `${gpus} × ${gpu}`;
  const room = capacityBytes === null ? '' : ` of ${formatCapacity(capacityBytes)}`;
  const each = gpus === 1 ? '' : ' each';
  const price = usdPerHour === null ? '' : `, about $${usdPerHour.toFixed(2)} an hour`;
  return `${how}, it fits ${place}: ${formatBytes(needBytes)}${room}${each}${price}.`;
}
