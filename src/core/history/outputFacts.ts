import { readProgress } from '../output/progress/reader';
import type { ProgressState } from '../output/progress/progress';
import { versionsIn } from '../output/versions';
import type { Metric } from '../models/terms';
import type { LogFacts, LoggedSpeed } from './logs';
import { peakOf } from './scalars';

/** What a program's output says about its run. */
export function factsOfOutput(text: string): Pick<LogFacts, 'peaks' | 'speed' | 'steps' | 'versions'> {
  const { states } = readProgress(text);
  const steps = states.flatMap(({ step }) => step ?? []);
  return {
    peaks: peaksOf(states),
    speed: speedOf(states),
    steps: steps.length > 0 ? Math.max(...steps.slice(-1)) : null,
    versions: versionsIn(text),
  };
}

/** What lines call the amounts of torch's allocator and of the device; other names do not tell which amount it is. */
const METRICS: Readonly<Record<string, Metric>> = {
  allocated: 'allocated',
  'max allocated': 'allocated',
  'peak allocated': 'allocated',
  'memory allocated': 'allocated',
  MaxMemAllocated: 'allocated',
  reserved: 'reserved',
  'max reserved': 'reserved',
  'peak reserved': 'reserved',
  'memory reserved': 'reserved',
  'device memory used': 'device',
};

function peaksOf(states: readonly ProgressState[]): LogFacts['peaks'] {
  const most = new Map<Metric, number>();
  for (const { what, bytes } of states.flatMap(({ memory }) => memory ?? [])) {
    const metric = METRICS[what];
    if (metric && bytes !== null) most.set(metric, Math.max(bytes, most.get(metric) ?? 0));
  }
  return [...most].flatMap(([metric, bytes]) => peakOf(metric, [bytes]) ?? []);
}

/** The usual time of a step, over all lines that print one. */
function speedOf(states: readonly ProgressState[]): LoggedSpeed | null {
  const each = states.flatMap(({ secondsPerStep, stepsPerSecond }) =>
    secondsPerStep !== undefined && secondsPerStep > 0
      ? [secondsPerStep]
      : stepsPerSecond !== undefined && stepsPerSecond > 0
        ? [1 / stepsPerSecond]
        : [],
  );
  const middle = each.toSorted((a, b) => a - b)[Math.floor((each.length - 1) / 2)];
  return middle === undefined ? null : { secondsPerStep: middle, from: 'its output' };
}
