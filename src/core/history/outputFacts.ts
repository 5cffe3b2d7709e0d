import { barsIn } from '../output/progress/bars';
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
    speed: speedOf([...states, ...barsOf(text)]),
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

/** Each bar that an output shows; of those that follow each other, the states of a training keep the last one. */
const barsOf = (text: string): readonly ProgressState[] =>
  text.split(/[\r\n]/).flatMap(line => barsIn(line).map(({ state }) => state));

/**
 * The usual time of a step, over all lines that print one. A program shows bars of loading and evaluating, too: bars with another
 * number of steps are of something else, and the one that ran longest is the training.
 */
function speedOf(states: readonly ProgressState[]): LoggedSpeed | null {
  const bars = new Map<number, { longest: number; readonly each: number[] }>();
  for (const state of states) {
    const seconds = secondsOf(state);
    if (seconds === null) continue;
    const bar = bars.get(state.totalSteps ?? 0) ?? { longest: 0, each: [] };
    bars.set(state.totalSteps ?? 0, bar);
    bar.each.push(seconds);
    bar.longest = Math.max(bar.longest, seconds * (state.step ?? 1));
  }
  const [longest] = [...bars.values()].toSorted((a, b) => b.longest - a.longest);
  const middle = longest?.each.toSorted((a, b) => a - b)[Math.floor((longest.each.length - 1) / 2)];
  return middle === undefined ? null : { secondsPerStep: middle, from: 'its output' };
}

function secondsOf({ secondsPerStep = 0, stepsPerSecond = 0 }: ProgressState): number | null {
  if (secondsPerStep > 0) return secondsPerStep;
  return stepsPerSecond > 0 ? 1 / stepsPerSecond : null;
}
