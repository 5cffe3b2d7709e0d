import type { RunAnalysis } from '../analysis';
import type { Location, Quantity } from '../spec/quantity';
import { formatBytes } from './units';

/** A key that has a share in a finding, and what share. */
export interface RelatedPlace {
  readonly at: Location;
  readonly message: string;
}

/** So many of the largest terms are worth a look. */
const MOST_TERMS = 3;

/** The keys behind the largest terms of the memory sum, largest first: where a run that does not fit can be changed. */
export function relatedPlaces(analysis: RunAnalysis): RelatedPlace[] {
  const terms = analysis.estimate?.devices[0]?.terms ?? [];
  const largest = terms.toSorted((a, b) => b.bytes - a.bytes).slice(0, MOST_TERMS);
  return largest.flatMap(term => {
    const message = `${term.term}: ${formatBytes(term.bytes)}`;
    return term.from.flatMap(name => placesOf(analysis, name)).map(at => ({ at, message }));
  });
}

function placesOf(analysis: RunAnalysis, name: string): Location[] {
  const all: Readonly<Record<string, Quantity<unknown> | undefined>> = {
    ...analysis.run.quantities,
    ...analysis.run.details,
  };
  const origin = all[name]?.origin;
  return origin?.kind === 'file' || origin?.kind === 'referenced' ? [origin.at] : [];
}
