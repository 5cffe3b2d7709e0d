import type { Estimate, HostEstimate, PlacedOn } from '../memory/estimate';
import { goalWords } from '../plan/goals';
import type { FittingGpu, Goal, PlanSearch } from '../plan/plan';
import { formatBytes, formatCapacity, formatRange } from '../units';

/** Why there is no plan, without a full stop; distinguishes a near miss. */
export function noneHeadline({ least, deviceMap, isUnsized, isGuessed }: PlanSearch, goal: Goal): string {
  if (isGuessed) return 'No plan: a guess decides whether it fits';
  const words = goalWords(goal);
  if (goal !== 'fit') return (isUnsized ? words.unsized : undefined) ?? words.none;
  if (deviceMap?.placed) return 'No setting makes it fit, but a device map does';
  return least?.verdict === 'fits' || least?.verdict === 'tight'
    ? 'No plan makes it fit with memory to spare'
    : words.none;
}

/** GPUs on which the run would fit, a sentence each; null if none is known. */
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

const PHASES: Readonly<Record<HostEstimate['phase'], string>> = {
  load: 'while loading',
  training: 'while training',
  computing: 'while computing',
  save: 'while saving',
  resume: 'while reading a checkpoint',
  merge: 'while merging adapters',
};

/** Smaller amounts are the same in every run and not worth a mention. */
const LEAST_BYTES = 2 ** 30 / 10;

/** Why a run needs less on a full GPU than without a target; null if it does not. */
export function describeReleased({ devices: [device] }: Estimate): string | null {
  const bytes = device?.releasedBytes ?? 0;
  if (bytes < LEAST_BYTES) return null;
  return `On a larger GPU the allocator would cache ${formatBytes(bytes)} more; here it gives that back.`;
}

/** What host RAM is needed for, in a sentence; null if unknown or if only the processes need it. */
export function describeHostMemory({ host }: Estimate): string | null {
  if (!host) return null;
  const { low, expected, high } = host.bytes;
  const rows = host.terms.filter(({ bytes }) => bytes.high >= LEAST_BYTES);
  const parts = rows.map(({ term, bytes, formula }) => `${term} ${formatBytes(bytes.expected)} (${formula})`);
  const of = host.capacityBytes === null ? '' : ` of ${formatBytes(host.capacityBytes)}`;
  return `Host RAM: ${formatBytes(expected)}${of} (${formatRange(low, high)}) ${PHASES[host.phase]}: ${parts.join(', ')}.`;
}

const nameOf = (device: PlacedOn['device']): string =>
  typeof device === 'number' ? `GPU ${device}` : device === 'cpu' ? 'the host' : 'the disk';

/** The modules that a device map puts on each device, in a sentence; null if all are on one device. */
export function describePlacement({ placed }: Estimate): string | null {
  if (!placed || placed.length < 2) return null;
  const parts = placed.map(
    ({ device, modules, bytes }) => `${nameOf(device)} ${modules.join(', ')} (${formatBytes(bytes)})`,
  );
  return `The device map puts on ${parts.join('; on ')}.`;
}
