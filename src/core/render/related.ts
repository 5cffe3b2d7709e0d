import type { RunAnalysis } from '../rules/analysis';
import type { Location, Quantity } from '../spec/quantity';
import { visibleLine } from '../text/visible';
import { formatBytes } from '../units';
import { termInWords } from '../memory/words';
import { english } from '../text/say';
import { commas } from '../text/lists';
import type { Say } from '../text/say';

/** A key that contributes to a finding, and how. */
interface RelatedPlace {
  readonly at: Location;
  readonly message: string;
}

/** Number of largest terms to point at. */
const MOST_TERMS = 3;

/** The keys behind the largest terms of the estimate, largest first: where to change a run that does not fit. */
export function relatedPlaces(analysis: RunAnalysis, say: Say = english): RelatedPlace[] {
  const terms = analysis.estimate?.devices[0]?.terms ?? [];
  const largest = terms.toSorted((a, b) => b.bytes - a.bytes).slice(0, MOST_TERMS);
  const places = new Map<string, { readonly at: Location; readonly shares: string[] }>();
  for (const { term, bytes, from } of largest) {
    for (const at of from.flatMap(name => placesOf(analysis, name))) {
      const key = `${at.file}#${at.path}`;
      const place = places.get(key) ?? { at, shares: [] };
      place.shares.push(`${termInWords(say, term)} ${formatBytes(bytes)}`);
      places.set(key, place);
    }
  }
  return [...places.values()].map(({ at, shares }) => ({
    at,
    message: visibleLine(`${at.path}: ${commas(say, shares)}`),
  }));
}

function placesOf(analysis: RunAnalysis, name: string): Location[] {
  const all: Readonly<Record<string, Quantity<unknown> | undefined>> = {
    ...analysis.run.quantities,
    ...analysis.run.details,
  };
  const origin = all[name]?.origin;
  return origin?.kind === 'file' || origin?.kind === 'referenced' ? [origin.at] : [];
}
