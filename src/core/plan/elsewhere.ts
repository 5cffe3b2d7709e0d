import { carried } from '../dialects/change';
import { effectOn } from './effect';
import type { PlanOptions } from './plan';
import type { Change } from '../spec/change';
import type { RemedyContext } from './remedy';
import { isWithin } from './serving';

/** True if all other runs of the config still fit with the changes. */
export function holdsElsewhere(
  { run, others = [] }: RemedyContext,
  changes: readonly Change[],
  options: PlanOptions,
): boolean {
  return others.every(other => holds(carriedTo(other, { run, changes }), options));
}

/** Changes, and the run that they were made for. */
export interface Part {
  readonly run: RemedyContext['run'];
  readonly changes: readonly Change[];
}

/** The context after the changes to another run. */
export function carriedTo(context: RemedyContext, part: Part): RemedyContext {
  const run = carried(context.run, part.run, part.changes);
  if (run === context.run) return context;
  return { ...context, run, estimate: effectOn(context, run).estimate };
}

/** True if the run leaves the required margin. */
export function holds(context: RemedyContext, options: PlanOptions): boolean {
  const now = context.estimate?.devices[0];
  return now !== undefined && isWithin(context, now, options);
}
