import type { ProgressState } from './progress';

/** The time at which a step was first seen in an output that is still being written. */
export interface SeenStep {
  readonly step: number;
  readonly timeMs: number;
}

/** The shortest reliable interval for a rate. */
const SHORTEST_MS = 5000;

/**
 * The last state, with the remaining time if the program does not print it: the remaining steps at the printed
 * rate, else at the observed one. Unchanged if that would be a guess: no total, no rate, steps that restart (then
 * the total is an epoch's), or a program that prints its own time in other lines.
 */
export function withEta(states: readonly ProgressState[], seen: readonly SeenStep[]): ProgressState | null {
  const last = states.at(-1);
  if (last?.step === undefined) return last ?? null;
  const total = states.findLast(({ totalSteps }) => totalSteps !== undefined)?.totalSteps;
  const ownTime = states.some(({ etaSeconds }) => etaSeconds !== undefined);
  if (total === undefined || total < last.step || ownTime || restarts(states)) return last;
  const rate = printedRate(last) ?? seenRate(seen);
  return rate === null ? last : { ...last, etaSeconds: Math.round((total - last.step) / rate) };
}

function restarts(states: readonly ProgressState[]): boolean {
  let most = -Infinity;
  for (const { step, epoch } of states) {
    if (step === undefined) continue;
    if (step < most || (epoch !== undefined && epoch > 1 && step === 1)) return true;
    most = step;
  }
  return new Set(states.flatMap(({ totalSteps }) => totalSteps ?? [])).size > 1;
}

function printedRate({ stepsPerSecond, secondsPerStep }: ProgressState): number | null {
  if (stepsPerSecond !== undefined && stepsPerSecond > 0) return stepsPerSecond;
  return secondsPerStep !== undefined && secondsPerStep > 0 ? 1 / secondsPerStep : null;
}

/** Steps per second between the first and the last seen step. */
function seenRate(seen: readonly SeenStep[]): number | null {
  const [first, last] = [seen[0], seen.at(-1)];
  if (!first || !last || last.timeMs - first.timeMs < SHORTEST_MS || last.step <= first.step) return null;
  return ((last.step - first.step) * 1000) / (last.timeMs - first.timeMs);
}
