import { formatBytes } from '../core/units';
import type { JobLimits, JobPlace } from './job';
import { MIB } from '../core/units';

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
export function limitsText({ timeMinutes, cpus, memoryMiB, requeue }: JobLimits): readonly string[] {
  return [
    ...(timeMinutes === null ? [] : [`${minutesText(timeMinutes)} at most`]),
    ...(cpus === null ? [] : [cpus === 1 ? '1 CPU' : `${cpus} CPUs`]),
    ...(memoryMiB === null ? [] : [`${formatBytes(memoryMiB * MIB)} of host RAM`]),
    ...(requeue ? ['requeued if its node fails or is preempted'] : []),
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
