import { formatBytes } from '../core/units';
import type { JobLimits, JobPlace } from './job';
import { MIB } from '../core/units';
import { english } from '../core/text/say';
import type { Say } from '../core/text/say';

const HOUR = 60;
const DAY = 24 * HOUR;

/** What can be requested from a scheduler in addition to the GPUs. */
export type Limit = 'timeMinutes' | 'cpus' | 'memoryMiB' | 'requeue';

/** The limits of each engine; empty without a scheduler. */
export function limitsOf({ engine }: JobPlace): readonly Limit[] {
  if (engine === 'slurm') return ['timeMinutes', 'cpus', 'memoryMiB', 'requeue'];
  if (engine === 'kubernetes') return ['timeMinutes', 'cpus', 'memoryMiB'];
  return engine === 'ray' ? ['cpus', 'memoryMiB'] : [];
}

/** The requested limits as texts; the scheduler's defaults are omitted. */
export function limitsText(
  { timeMinutes, cpus, memoryMiB, requeue }: JobLimits,
  say: Say = english,
): readonly string[] {
  return [
    ...(timeMinutes === null ? [] : [say('{0} at most', minutesText(timeMinutes))]),
    ...(cpus === null ? [] : [cpus === 1 ? say('1 CPU') : say('{0} CPUs', cpus)]),
    ...(memoryMiB === null ? [] : [say('{0} of host RAM', formatBytes(memoryMiB * MIB))]),
    ...(requeue ? [say('requeued if its node fails or is preempted')] : []),
  ];
}

/** `90 min`, `4 h`, `1 d 12 h`. */
export function minutesText(minutes: number): string {
  const parts = [
    [Math.floor(minutes / DAY), 'd'],
    [Math.floor((minutes % DAY) / HOUR), 'h'],
    [minutes % HOUR, 'min'],
  ] as const;
  return parts
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(' ');
}
