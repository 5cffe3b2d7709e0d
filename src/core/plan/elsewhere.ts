import { carried } from '../dialects/change';
import { effectOn } from './effect';
import type { PlanOptions } from './plan';
import type { Change } from '../spec/change';
import type { RemedyContext } from './remedy';
import { isWithin } from './serving';

/** The other runs of the config, with what the changes make of them. */
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

/** A context with the changes to another run in it. */
export function carriedTo(context: RemedyContext, part: Part): RemedyContext {
  const run = carried(context.run, part.run, part.changes);
  if (run === context.run) return context;
  return { ...context, run, estimate: effectOn(context, run).estimate };
}

/** The run as it stands leaves the room that is asked for. */
export function holds(context: RemedyContext, options: PlanOptions): boolean {
  const now = context.estimate?.devices[0];
  return now !== undefined && isWithin(context, now, options);
}
