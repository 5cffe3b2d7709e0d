import type { Estimate, HostEstimate, PlacedOn } from '../memory/estimate';
import { goalWords } from '../plan/goals';
import type { FittingGpu, Goal, PlanSearch } from '../plan/plan';
import { formatBytes, formatCapacity, formatRange } from '../units';
import { hostTermInWords } from '../memory/words';
import { english, said, template, told } from '../text/say';
import { commas } from '../text/lists';
import type { Say, Template } from '../text/say';

/** Why there is no plan, without a full stop; distinguishes a near miss. */
export function noneHeadline(
  { least, deviceMap, isUnsized, isGuessed }: PlanSearch,
  goal: Goal,
  say: Say = english,
): string {
  if (isGuessed) return say('No plan: a guess decides whether it fits');
  const words = goalWords(goal);
  if (goal !== 'fit') return said(say, (isUnsized ? words.unsized : undefined) ?? words.none);
  if (deviceMap?.placed) return say('No setting makes it fit, but a device map does');
  return least?.verdict === 'fits' || least?.verdict === 'tight'
    ? say('No plan makes it fit with memory to spare')
    : said(say, words.none);
}

/** GPUs on which the run would fit, a sentence each; null if none is known. */
export function fittingGpusText(fittingGpus: readonly FittingGpu[], say: Say = english): string | null {
  return fittingGpus.length === 0 ? null : fittingGpus.map(one => sentence(say, one)).join(' ');
}

function sentence(say: Say, fitting: FittingGpu): string {
  const { gpu, gpus, asItIs, usdPerHour } = fitting;
  const place = gpus === 1 ? say('one {0}', gpu) : `${gpus} × ${gpu}`;
  const amount = amountText(say, fitting);
  const need = usdPerHour === null ? amount : say('{0}, about ${1} an hour', amount, usdPerHour.toFixed(2));
  return asItIs
    ? say('Unchanged, it fits {0}: {1}.', place, need)
    : say('With all available changes, it fits {0}: {1}.', place, need);
}

function amountText(say: Say, { gpus, needBytes, capacityBytes }: FittingGpu): string {
  const need = formatBytes(needBytes);
  if (capacityBytes === null) return gpus === 1 ? need : say('{0} each', need);
  const size = formatCapacity(capacityBytes);
  return gpus === 1 ? say('{0} of {1}', need, size) : say('{0} of {1} each', need, size);
}

const PHASES: Readonly<Record<HostEstimate['phase'], Template>> = {
  load: template('while loading'),
  training: template('while training'),
  computing: template('while computing'),
  save: template('while saving'),
  resume: template('while reading a checkpoint'),
  merge: template('while merging adapters'),
};

/** Smaller amounts are the same in every run and not worth a mention. */
const LEAST_BYTES = 2 ** 30 / 10;

/** Why a run needs less on a full GPU than without a target; null if it does not. */
export function describeReleased(say: Say, { devices: [device] }: Estimate): string | null {
  const bytes = device?.releasedBytes ?? 0;
  if (bytes < LEAST_BYTES) return null;
  return say(
    'On a larger GPU the allocator would cache {0} more; here it gives that back.',
    formatBytes(bytes),
  );
}

/** What host RAM is needed for, in a sentence; null if unknown or if only the processes need it. */
export function describeHostMemory(say: Say, { host }: Estimate): string | null {
  if (!host) return null;
  const { low, expected, high } = host.bytes;
  const rows = host.terms.filter(({ bytes }) => bytes.high >= LEAST_BYTES);
  const parts = rows.map(
    term => `${hostTermInWords(say, term)} ${formatBytes(term.bytes.expected)} (${told(say, term.formula)})`,
  );
  const rest = [formatRange(low, high), said(say, PHASES[host.phase]), commas(say, parts)];
  return host.capacityBytes === null
    ? say('Host RAM: {0} ({1}) {2}: {3}.', formatBytes(expected), ...rest)
    : say(
        'Host RAM: {0} of {1} ({2}) {3}: {4}.',
        formatBytes(expected),
        formatBytes(host.capacityBytes),
        ...rest,
      );
}

function nameOf(say: Say, device: PlacedOn['device']): string {
  if (typeof device === 'number') return `GPU ${device}`;
  return device === 'cpu' ? say('the host') : say('the disk');
}

/** The modules that a device map puts on each device, in a sentence; null if all are on one device. */
export function describePlacement(say: Say, { placed }: Estimate): string | null {
  if (!placed || placed.length < 2) return null;
  const parts = placed.map(({ device, modules, bytes }) =>
    say('on {0} {1} ({2})', nameOf(say, device), modules.join(', '), formatBytes(bytes)),
  );
  return say('The device map puts {0}.', parts.join('; '));
}
